"""What only a shell understands, in a command that runs without one."""

from __future__ import annotations

import re

_NAME = re.compile(r"\$(\w+|\{[^}]*\}|\()")
_OPERATOR = re.compile(r"&&|\|\||[<>]{1,2}|[|;&]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_BUILTINS = ("cd", "export", "source", ".", "set", "ulimit", "umask", "eval", "exec")
_SHELL = re.compile(r"(\S*/)?(ba|da|z|k)?sh\s+(-\S+\s+)*-\w*c\s")
_PLACEHOLDERS = ("${app_id}", "${index}", "${role}", "${num_workers}")  # of --template, which tells of them


def shell_note(text: str, what: str) -> str:
    """A sentence about the signs of a shell in a command of one string; empty where there are none.

    Parameters
    ----------
    what : str
        How the user knows the command, such as ``--launch-cmd``.
    """
    if _SHELL.match(text.lstrip()):
        return ""
    found = list(dict.fromkeys(_signs(text)))
    if not found:
        return ""
    one = len(found) == 1
    return (
        f"{what} runs without a shell, so {', '.join(found)} mean{'s' if one else ''} nothing in it and "
        f"{'is' if one else 'are'} handed to the program as {'it is' if one else 'they are'}; for a shell "
        "write bash -c '...'"
    )


def _signs(text: str) -> list[str]:
    """Signs and words of a shell outside of quotes; within double quotes it fills in variables too."""
    first = text.split(maxsplit=1)[0] if text.split() else ""
    found = [first] if first in _BUILTINS else []
    if match := _ASSIGNMENT.match(first):
        found.append(match[0])
    quote, at = "", 0
    while at < len(text):
        char, step = text[at], 1
        if char == "\\" and quote != "'":
            step = 2
        elif char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        elif quote != "'" and char == "`":
            found.append("`")
        elif quote != "'" and (match := _NAME.match(text, at)):
            found += [match[0]] if match[0] not in _PLACEHOLDERS else []
            step = len(match[0])
        elif not quote and (match := _OPERATOR.match(text, at)):
            found.append(match[0])
            step = len(match[0])
        at += step
    return found
