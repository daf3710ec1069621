"""Words of the command line -> values of options and the user's command.

The first word that belongs to no option starts the user's command, and everything after it is
the command's own. A word that starts with ``-`` before that must be an option.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xlearning import units
from xlearning.client.misread import judge_command, late_verb, note_of_one_word
from xlearning.client.options import OPTIONS, Option, Takes, spellings
from xlearning.client.problems import Problem

# What people type who come from elsewhere, and what they mean.
_MEANT = {
    **dict.fromkeys(("workers", "nworkers", "instances"), "worker-num"),
    "memory": "worker-memory",
    **dict.fromkeys(("ps", "servers"), "ps-num"),
    "job-name": "app-name",
    "archive": "archives",
    "gpus": "worker-gpus",
    **dict.fromkeys(("D", "define"), "conf"),
}
# The original takes every word up to the next option for a value of these, and drops all but the first.
# What can only be one more value is one; anything else starts the command.
_PAIR, _PLACE = re.compile(r"[A-Za-z]\w*(\.[\w-]+)+="), re.compile(r"[^-].*(#|://)", re.DOTALL)
_FURTHER = {"conf": _PAIR, **dict.fromkeys(("input", "output", "s3input", "s3output"), _PLACE)}
_SHIPPING = ("files", "cache-file", "archives", "cache-archive")
_STRATEGIES = {"inputformat-enable": "input-strategy", "outputformat-enable": "output-strategy"}


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
    written : dict
        Canonical option name -> the option as the user wrote it.
    """

    values: dict[str, list[str]] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)

    def given(self, name: str) -> bool:
        """Whether the option was there."""
        return name in self.values

    def one(self, name: str) -> str | None:
        """The value of an option that counts once; None when it was not given."""
        return self.values[name][0] if name in self.values else None

    def many(self, name: str) -> tuple[str, ...]:
        """All values of a repeatable option."""
        return tuple(self.values.get(name, ()))

    def on(self, name: str) -> bool:
        """Whether a switch was given and is not false."""
        return self.one(name) == "true"

    def properties(self) -> dict[str, tuple[str, str]]:
        """Configuration key -> (value, option as the user wrote it) of the options that set one."""
        return {
            option.key: (self.values[option.name][0], self.written.get(option.name, option.flag))
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
        separated = False
        while self._at < len(self._words):
            word = self._words[self._at]
            if word == "--":
                self._at += 1
                separated = True
                break
            if not word.startswith("-") or word == "-":
                break
            self._at += 1
            self._option(word)
        self._result.command = tuple(self._words[self._at :])
        self._contradictions()
        if not separated:
            self._judge(self._result.command)
        shipped = [text for option in _SHIPPING for text in self._result.many(option)]
        if note := note_of_one_word(self._result.command, shipped):
            self._result.notes.append(note)
        return self._result

    def _judge(self, command: tuple[str, ...]) -> None:
        verb = late_verb(command, local=self._result.given("local"))
        if verb is not None:
            self._result.problems.append(verb)
        judge_command(command, self._known, self._result.problems, self._result.notes)

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
        if option.instead:
            self._problem(f"{token} is not part of this version", option.instead)
        if value is None:
            return
        self._store(option, token, value)
        further = _FURTHER.get(option.name)
        while further is not None and further.match(self._peek()):
            self._store(option, token, self._peek())
            self._at += 1

    def _switch(self, token: str, inline: str | None) -> str | None:
        text = inline
        if text is None:
            text = self._peek()
            if _truth(text) is None:
                if difflib.get_close_matches(text.lower(), ("true", "false"), 1, 0.75):
                    self._problem(
                        f"{token} {text}: is {text!r} its value, or your command?",
                        f"write {token}=true or {token}=false, and -- before the command",
                    )
                return "true"
            self._at += 1
        value = _truth(text)
        if value is None:
            self._problem(f"{token} is true or false, not {text!r}", f"write {token}=true or {token}=false")
        return value

    def _next_value(self, option: Option, token: str) -> str | None:
        word = self._peek()
        # a command in one string may be made of options alone
        option_like = word.startswith("--") and option.name != "launch-cmd"
        if self._at >= len(self._words) or option_like or word.partition("=")[0] in (*self._known, "--"):
            self._problem(f"{token} needs a value", f"write {token} {option.metavar}")
            return None
        self._at += 1
        return word

    def _peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _store(self, option: Option, token: str, value: str) -> None:
        values = self._result.values.setdefault(option.name, [])
        self._result.written.setdefault(option.name, token)
        if values and option.takes is not Takes.MANY:
            if values[0] != value:
                self._result.notes.append(
                    f"{option.flag} is given twice ({values[0]!r} and {value!r}): the first counts"
                )
            return
        values.append(value)

    def _unknown(self, token: str, *, has_value: bool) -> None:
        plain = {token[2:].lower(): token for token in self._known if token.startswith("--")}
        meant = {word.lower(): f"--{name}" for word, name in _MEANT.items()}
        words = {**plain, **meant}
        typed = token.lstrip("-").lower()
        close = difflib.get_close_matches(typed, words, n=3, cutoff=0.7)
        close.sort(key=lambda word: word[:2] != typed[:2])  # who mistypes a word mostly begins it well
        hint = "see xl-submit --help-all; words of your own command come after -- or after its first word"
        if token.startswith("-D") and len(token) > 2:
            hint = f"write --conf {token[2:]}=VALUE"
        elif close:
            hint = f"did you mean {words[close[0]]}?"
            takes_word = self._known[words[close[0]]].takes in (Takes.ONE, Takes.MANY)
            if takes_word and not has_value and not self._peek().startswith("-"):
                self._at += 1  # its value, so that what follows is still read as options
        self._problem(f"unknown option {token}", hint)

    def _contradictions(self) -> None:
        for older, newer in _STRATEGIES.items():
            strategy = (self._result.one(newer) or "").strip().upper()
            if self._result.on(older) and strategy not in ("", "STREAM", "INPUTFORMAT"):
                self._problem(
                    f"--{older} means --{newer} STREAM, but --{newer} {strategy} is given", "leave out one"
                )

        last: dict[str, str] = {}
        for pair in self._result.many("env"):
            name = pair.partition("=")[0]
            if last.setdefault(name, pair) != pair:
                self._result.notes.append(f"--env {name} is given twice: the last counts")
            last[name] = pair

    def _problem(self, message: str, fix: str) -> None:
        self._result.problems.append(Problem(message, fix))


def _truth(text: str) -> str | None:
    """``true`` or ``false`` for a word that means one; None for any other."""
    try:
        return "true" if units.parse_bool(text) else "false"
    except ValueError:
        return None
