"""Words of the command line -> values of options and the user's command.

The first word that belongs to no option starts the user's command, and everything after it is
the command's own. A word that starts with ``-`` before that must be an option.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xlearning.client.options import OPTIONS, Option, Takes, spellings
from xlearning.client.problems import Problem

_SWITCH_WORDS = frozenset(("true", "false"))
# What people type who come from elsewhere, and what they mean.
_MEANT = {
    **dict.fromkeys(("workers", "num-workers", "nworkers", "instances"), "worker-num"),
    **dict.fromkeys(("memory", "executor-memory"), "worker-memory"),
    **dict.fromkeys(("ps", "num-ps", "servers"), "ps-num"),
    **dict.fromkeys(("name", "job-name"), "app-name"),
    **dict.fromkeys(("archives", "archive"), "cacheArchive"),
}
# Options that no program has, so behind the command they are most likely misplaced.
_OURS = frozenset(("--worker-num", "--ps-num", "--app-type", "--app-name", "--input-strategy", "--local"))
_STRAY_PAIR = re.compile(r"(xlearning|hbox)(\.\w[\w-]*)+=")


@dataclass
class Scan:
    """What a command line says.

    Attributes
    ----------
    values : dict
        Canonical option name -> its values in order; ``["true"]`` for an option without one.
    command : tuple of str
        The user's command as given by position, untouched.
    problems : list
        Everything that is wrong with the line.
    notes : list of str
        What was decided where the line speaks with two tongues.
    """

    values: dict[str, list[str]] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def given(self, name: str) -> bool:
        """Whether the option was there."""
        return name in self.values

    def one(self, name: str) -> str | None:
        """The value of an option that counts once; None when it was not given."""
        return self.values[name][0] if name in self.values else None

    def many(self, name: str) -> tuple[str, ...]:
        """All values of a repeatable option."""
        return tuple(self.values.get(name, ()))

    def properties(self) -> dict[str, tuple[str, str]]:
        """Configuration key -> (value, option as the user reads it) of the options that have a key."""
        return {
            option.key: (self.values[option.name][0], option.flag)
            for option in OPTIONS
            if option.key and option.name in self.values
        }


def scan(argv: Sequence[str]) -> Scan:
    """Take a command line apart; never raises, see `Scan.problems`."""
    return _Scanner(argv).run()


class _Scanner:
    def __init__(self, argv: Sequence[str]) -> None:
        self._words = list(argv)
        self._known: Mapping[str, Option] = spellings()
        self._result = Scan()
        self._at = 0

    def run(self) -> Scan:
        while self._at < len(self._words):
            word = self._words[self._at]
            if word == "--":
                self._at += 1
                break
            if not word.startswith("-") or word == "-":
                break
            self._at += 1
            self._option(word)
        self._result.command = tuple(self._words[self._at :])
        self._check_command()
        return self._result

    def _option(self, word: str) -> None:
        token, sep, inline = word.partition("=")
        option = self._known.get(token)
        if option is None:
            self._unknown(token, has_value=bool(sep))
            return
        value: str | None = inline if sep else None
        if option.takes is Takes.NOTHING:
            if sep:
                self._problem(f"{token} takes no value, but {inline!r} is given", f"leave out ={inline}")
            value = "true"
        elif option.takes is Takes.SWITCH:
            value = self._switch(token, value)
        elif option.takes is Takes.INLINE:
            value = inline
        elif value is None:
            value = self._next_value(option, token)
        if value is not None:
            self._store(option, value)

    def _switch(self, token: str, inline: str | None) -> str | None:
        value = inline
        if value is None:
            value = self._peek().lower()
            if value not in _SWITCH_WORDS:
                return "true"
            self._at += 1
        if value.lower() not in _SWITCH_WORDS:
            self._problem(f"{token} is true or false, not {value!r}", f"write {token}=true or {token}=false")
            return None
        return value.lower()

    def _next_value(self, option: Option, token: str) -> str | None:
        word = self._peek()
        if self._at >= len(self._words) or word == "--" or word.partition("=")[0] in self._known:
            self._problem(f"{token} needs a value", f"write {token} {option.metavar}")
            return None
        self._at += 1
        return word

    def _peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _store(self, option: Option, value: str) -> None:
        values = self._result.values.setdefault(option.name, [])
        if values and option.takes is not Takes.MANY:
            if values[0] != value:
                self._result.notes.append(
                    f"{option.flag} is given twice ({values[0]!r} and {value!r}): the first counts"
                )
            return
        values.append(value)

    def _unknown(self, token: str, *, has_value: bool) -> None:
        words = {**{name: name for name in self._plain_names()}, **_MEANT}
        close = difflib.get_close_matches(token.lstrip("-").lower(), words, n=1, cutoff=0.7)
        hint = "see xl-submit --help; words of your own command come after -- or after its first word"
        if close:
            option = self._known[f"--{words[close[0]]}"]
            hint = f"did you mean {option.flag}?"
            takes_word = option.takes in (Takes.ONE, Takes.MANY)
            if takes_word and not has_value and not self._peek().startswith("-"):
                self._at += 1  # its value, so that what follows is still read as options
        self._problem(f"unknown option {token}", hint)

    def _plain_names(self) -> list[str]:
        return [token[2:] for token in self._known if token.startswith("--")]

    def _check_command(self) -> None:
        command = self._result.command
        if command and _STRAY_PAIR.match(command[0]):
            self._problem(
                f"{command[0]!r} would start your command; --conf takes one pair",
                f"write --conf {command[0]} (once per pair)",
            )
        separated = "--" in self._words[: self._at]
        for word in [] if separated else [w for w in command[1:] if w.partition("=")[0] in _OURS]:
            self._result.notes.append(
                f"{word} stands after the first word of your command, so it belongs to the command; "
                "options of xl-submit come before it"
            )
        if len(command) == 1 and " " in command[0]:
            self._result.notes.append(
                f"your command is the one word {command[0]!r}: leave the quotes out, or use --launch-cmd"
            )

    def _problem(self, message: str, fix: str) -> None:
        self._result.problems.append(Problem(message, fix))
