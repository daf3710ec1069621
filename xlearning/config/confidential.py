"""Which values are nobody's business: told by the names of what holds them, and in addresses."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

HIDDEN = "(hidden)"
_SECRET = re.compile(
    r"passw(or)?d|passphrase|secret|credential|keystore"
    r"|(access|api|private|account|encryption|signing)[._-]?key"
    r"|token(?!s|i[sz])|(access|api|auth|refresh)[._-]?tokens",  # not max_new_tokens, not a tokenizer
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of DB_PASS, my.auth, authCookie
_SECRET_WORDS = re.compile(r"\w*(?<!by)(?<!com)pass|(?!oldpwd)\w*pwd|auth|cookies?|session|jwt|private")
_FOLDERS = frozenset(("PWD", "OLDPWD"))

_ADDRESS = re.compile(r"://[^\s\"]+")
_USER = re.compile(r"://[^/?#:@]*:(?!\d+(?:[/?#,]|$))")  # not host:80/a@b
_PARAMETER = re.compile(r"([?&;]([\w.-]+)=)[^\s&;#\"]+")
_ASSIGNED = re.compile(r"([\w./+-]+=)(.+)", re.DOTALL)
_SPACE = re.compile(r"\s")
_NAMED = re.compile(r"(?:^|(?<=[\s;|&('\"]))(?:-{0,2}[A-Za-z_][\w.-]*=|--?[A-Za-z_][\w.-]*\s+)(?=[^\s;|&)-])")
_VALUE = re.compile(r"\(hidden\)|\"[^\"]*\"|'[^']*'|[^\s;|&)'\"]+")


def is_secret(name: str) -> bool:
    """Whether a property, variable or option of this name holds a secret."""
    if name in _FOLDERS:
        return False
    return bool(_SECRET.search(name)) or any(
        _SECRET_WORDS.fullmatch(word.lower()) for word in _WORD.findall(name)
    )


def hide(values: Mapping[str, str]) -> dict[str, str]:
    """The same names; values of secrets that are not empty are `HIDDEN`, and passwords in addresses."""
    return {name: hide_value(name, value) for name, value in values.items()}


def hide_value(name: str, value: str) -> str:
    """The value of a property or variable as it may be shown."""
    return HIDDEN if value and is_secret(name) else mask(value)


def mask(text: str) -> str:
    """A text without the passwords of addresses: ``scheme://user:HERE@host``, ``...?password=HERE``."""
    return _PARAMETER.sub(_parameter, _ADDRESS.sub(_user_info, text)) if "://" in text else text


def masked(value: Any) -> Any:
    """A value of JSON with `mask` over every text in it; keys stay."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {name: masked(part) for name, part in value.items()}
    return [masked(part) for part in value] if isinstance(value, (list, tuple)) else value


def _user_info(found: re.Match[str]) -> str:
    text = found[0]
    user, end = _USER.search(text), text.rfind("@")  # one search: looking for @ behind each takes too long
    return f"{text[: user.end()]}{HIDDEN}{text[end:]}" if user and user.end() < end else text


def _parameter(found: re.Match[str]) -> str:
    return f"{found[1]}{HIDDEN}" if is_secret(found[2]) else found[0]


@functools.lru_cache(maxsize=16)
def hide_words(command: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command as they may be shown: without what follows ``--password`` and its like."""
    return tuple(_words(command))


def _words(command: tuple[str, ...]) -> Iterator[str]:
    named = False
    for word in command:
        if named and word and not word.startswith("-"):
            named = False
            yield HIDDEN
            continue
        named = word.startswith("-") and "=" not in word and is_secret(word) and not _SPACE.search(word)
        yield _word(word)


def _word(word: str) -> str:
    if _SPACE.search(word):
        return mask(_script(word))
    found = _ASSIGNED.fullmatch(word)
    return found[1] + HIDDEN if found and is_secret(found[1]) else mask(word)


def _script(text: str) -> str:
    """A word that is a command line itself, such as that of ``bash -c``."""
    parts, end = [], 0
    for found in _NAMED.finditer(text):
        value = _VALUE.match(text, found.end())
        if found.start() >= end and value and is_secret(found[0].rstrip("= \t\n")):
            parts += [text[end : found.end()], HIDDEN]
            end = value.end()
    return "".join((*parts, text[end:]))
