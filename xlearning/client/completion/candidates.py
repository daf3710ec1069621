"""What fits at a place of a command line. Made from the tables of options and properties."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, ShellComplete

from xlearning.client.cli import DEFAULT_VERB, VERBS
from xlearning.client.cli.option_text import remark
from xlearning.client.options import OPTIONS, Option, Takes, spellings
from xlearning.config.keys import FAMILIES, HBOX_PREFIX, KEYS, PREFIX, Key, Kind, lookup
from xlearning.job import CHIEF, EVALUATOR, PS, WORKER, AppState

if TYPE_CHECKING:  # older versions of click have no parameter here
    Item = CompletionItem[str]
    Items = list[CompletionItem[str]]

_OPEN = "open"
_TYPES = ("TENSORFLOW", "XLEARNING")
_REMOTE = frozenset(("input", "output", "cache-file", "cache-archive"))  # on HDFS, unless --local is given


def fitting(words: Sequence[str], incomplete: str) -> Items:
    """Whole words that may stand where ``incomplete`` stands, after ``words``.

    Items of the type ``file`` and ``dir`` stand for files and folders of this machine, ``open`` for words
    that go on.
    """
    verb = words[0] if words and words[0] in VERBS else ""
    found = [] if words or incomplete.startswith("-") else _verbs(incomplete)
    if found:
        return found
    name, sep, value = incomplete.partition("=")
    if not (sep and name.startswith("-")):
        return _fitting(words, incomplete, verb)
    items = _fitting([*words, name], value, verb, inline=True)
    return [item if item.type in ("file", "dir") else _with(item, name + sep + item.value) for item in items]


def _fitting(words: Sequence[str], incomplete: str, verb: str, *, inline: bool = False) -> Items:
    if verb and verb != DEFAULT_VERB:
        return _of_verb(verb, list(words[1:]), incomplete)
    return _of_submit(words[1:] if verb else words, incomplete, inline=inline)


def _verbs(incomplete: str) -> Items:
    from xlearning.client.cli.submit import VERB_HELP

    about = {title.split()[1]: text for title, text in VERB_HELP}
    return [
        CompletionItem(name, help=about.get(name))
        for name in sorted(VERBS)
        if name.startswith(incomplete) and name in about
    ]


def _of_verb(verb: str, words: list[str], incomplete: str) -> Items:
    module = importlib.import_module(f"xlearning.client.cli.{verb}")
    (command,) = [one for one in vars(module).values() if isinstance(one, click.Command) and one.name == verb]
    return ShellComplete(command, {}, f"xl-submit {verb}", "").get_completions(words, incomplete)


# ---- the verb that submits --------------------------------------------------------------------------


def _of_submit(words: Sequence[str], incomplete: str, *, inline: bool) -> Items:
    awaited, command = _awaited(words, inline=inline)
    if awaited is not None:
        return values_of(awaited, incomplete, local="--local" in words)
    if command or not incomplete.startswith("-"):
        return [CompletionItem(incomplete, type="file")]
    return _options(incomplete)


def _awaited(words: Sequence[str], *, inline: bool) -> tuple[Option | None, bool]:
    """The option whose value comes next, and whether the user's command has begun.

    ``inline``: an equals sign follows the last word.
    """
    known, at = spellings(), 0
    while at < len(words):
        word = words[at]
        if word in ("--", "-") or not word.startswith("-"):
            return None, True
        at += 1
        token, sep, _ = word.partition("=")
        option = known.get(token)
        if option is None or sep or option.takes is Takes.NOTHING:
            continue
        if option.takes is Takes.SWITCH and not (inline and at == len(words)):
            at += at < len(words) and words[at].lower() in ("true", "false")
            continue
        if at == len(words):
            return option, False
        at += 1
    return None, False


def _options(incomplete: str) -> Items:
    """Every option that fits and works in this version; other spellings for who has begun one."""
    found = [(one.flag, one) for one in OPTIONS if one.flag.startswith(incomplete)]
    found = found or [(flag, one) for flag, one in spellings().items() if flag.startswith(incomplete)]
    return [CompletionItem(flag, help=option.help) for flag, option in found if not remark(option)]


def values_of(option: Option, incomplete: str, *, local: bool) -> Items:
    """Values of an option of the verb that submits."""
    if option.name == "conf":
        return pairs(incomplete)
    if option.name == "app-type":
        return _words(_TYPES, incomplete)
    if option.name == "queue":
        from xlearning.client.completion.known import queues

        return _words(queues(), incomplete)
    if option.takes is Takes.SWITCH:
        return _words(("true", "false"), incomplete)
    if option.name in _REMOTE:
        return [CompletionItem(incomplete, type="file")] if local else []
    key = lookup(option.key) if option.key else None
    if key is not None and key.kind in (Kind.ENUM, Kind.BOOL):
        return _of_key(key, incomplete)
    files = "FILE" in option.metavar or "PATH" in option.metavar
    return [CompletionItem(incomplete, type="file")] if files else []


def pairs(incomplete: str) -> Items:
    """``KEY=`` of every property, then the values of that property."""
    name, sep, value = incomplete.partition("=")
    if sep:
        key = lookup(name)
        items = _of_key(key, value) if key else []
        return [_with(item, item.value if item.type == "file" else f"{name}={item.value}") for item in items]
    works = [key for key in KEYS if not (key.effect.missing or key.effect.ignored)]
    shown = [(name, key) for key in works for name in (key.name, *key.aliases)]
    usual = [(name, key) for name, key in shown if name.startswith(PREFIX) or incomplete]
    found = [
        CompletionItem(f"{name}=", type=_OPEN, help=key.doc)
        for name, key in usual
        if name.startswith(incomplete)
    ]
    families = [(prefix, one.doc) for one in FAMILIES for prefix in (one.prefix, *one.aliases)]
    return found + [
        CompletionItem(prefix, type=_OPEN, help=doc)
        for prefix, doc in families
        if prefix.startswith(incomplete) and (prefix.startswith(PREFIX) or incomplete)
    ]


def _of_key(key: Key, incomplete: str) -> Items:
    if key.kind is Kind.BOOL:
        return _words(("true", "false"), incomplete)
    if key.kind is Kind.PATH:
        return [CompletionItem(incomplete, type="file")]
    return _words(key.values, incomplete)


def _words(words: Iterable[str], incomplete: str) -> Items:
    return [CompletionItem(word) for word in words if word.lower().startswith(incomplete.lower())]


def _with(item: Item, value: str) -> Item:
    return CompletionItem(value, type=item.type, help=item.help)


# ---- what the commands of the other verbs ask for ---------------------------------------------------


def app_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:  # noqa: ARG001
    """Ids of recent jobs, those with this end where none has this beginning; ``last``."""
    from xlearning.client.completion.known import jobs

    lively = ctx.command.name in ("kill", "save")
    known: list[dict[str, Any]] = [one for one in jobs() if not (lively and one["ended"])]
    found = [one for one in known if one["id"].startswith(incomplete)]
    found = found or [one for one in known if incomplete and one["id"].endswith(incomplete)]
    items = [CompletionItem(one["id"], help=one["about"]) for one in found]
    last = [CompletionItem("last", help="your job that was submitted last")] if known else []
    return items + [one for one in last if one.value.startswith(incomplete)]


def conf_pairs(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:  # noqa: ARG001
    """See `pairs`."""
    return pairs(incomplete)


def properties(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:  # noqa: ARG001
    """Names of properties, without their prefix for who has begun one so."""
    whole = incomplete.startswith((PREFIX, HBOX_PREFIX)) or PREFIX.startswith(incomplete)
    known = [(name, key) for key in KEYS for name in (key.name, *key.aliases)]
    return [
        CompletionItem(shown, help=key.doc)
        for name, key in known
        if (shown := name if whole else name.removeprefix(PREFIX)).startswith(incomplete)
        and (incomplete or name.startswith(PREFIX))
    ]


def states(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:  # noqa: ARG001
    """States of jobs, the last of several with commas between."""
    return _of_states(AppState, incomplete)


def final_states(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:  # noqa: ARG001
    """States of jobs that have ended, likewise."""
    return _of_states([state for state in AppState if state.final], incomplete)


def _of_states(states: Iterable[AppState], incomplete: str) -> Items:
    before, sep, rest = incomplete.rpartition(",")
    found = _words([state.value for state in states], rest)
    return [_with(item, f"{before}{sep}{item.value}") for item in found]


def roles(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:  # noqa: ARG001
    """Roles that ``logs`` knows."""
    return _words((WORKER, PS, CHIEF, EVALUATOR, "am"), incomplete)
