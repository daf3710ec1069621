"""Formats of the user's own: ``module:Class``, from a file that the job ships or from an installed module.

The client reads a shipped file and sends its text along with the job, so that the gateway, the
ApplicationMaster and the agents run the same code. What that code raises is told with its place in it.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType

from xlearning.config import Config
from xlearning.errors import UsageError, XLearningError

_LOADED_AS = "xlearning_own_{}"  # apart from whatever else has that name
_sources: dict[str, str] = {}


class FormatFault(UsageError):
    """The user's own format is not one, or its code has failed; the message names the place."""


def offer(modules: Mapping[str, str]) -> None:
    """Let formats be loaded from ``modules``: name of a module -> its text, as Python's own importers do.

    Those that were offered before are forgotten.
    """
    for name in {*_sources, *modules}:
        if _sources.get(name) != modules.get(name):
            sys.modules.pop(_LOADED_AS.format(name), None)
    _sources.clear()
    _sources.update(modules)


def is_java(name: str) -> bool:
    """Whether a format's name can be that of a Java class."""
    return "." in name and ":" not in name


def is_own(name: str) -> bool:
    """Whether a format's name is that of a user's own one."""
    return ":" in name


class Own:
    """A class of the user, and the words for what goes wrong in it.

    Parameters
    ----------
    what : str
        ``input format`` or ``output format``.
    name : str
        ``module:Class``.
    needed : sequence of str
        Methods that it must have.

    Attributes
    ----------
    title : str
        What it is and its name.
    file : str
        Its module as the frames of its functions name it.

    Raises
    ------
    FormatFault
        It cannot be loaded, or lacks methods, which are named together.
    """

    def __init__(self, what: str, name: str, needed: Sequence[str]) -> None:
        self.name = name.strip()
        self.title = f"{what} {self.name}"
        module, _, class_ = (part.strip() for part in self.name.partition(":"))
        if not all(part.isidentifier() for part in (*module.split("."), class_)):
            raise FormatFault(f"{self.title} does not name a class", hint="write module:Class")
        self.file = f"{module}.py"
        self._class = self._find(module, class_)
        missing = [method for method in needed if not callable(getattr(self._class, method, None))]
        if missing:
            raise FormatFault(
                f"{self.title} has no method {', '.join(missing)}",
                hint='docs/data.md, "Your own format", tells what a format has',
            )

    def make(self, *arguments: Config) -> object:
        """An instance, of the class called with ``arguments``.

        Raises
        ------
        FormatFault
            Its constructor has failed.
        """
        try:
            with printing_to_stderr():
                return self._class(*arguments)
        except XLearningError:
            raise
        except (Exception, SystemExit) as error:
            raise self.fault(error) from error

    def fault(self, error: BaseException) -> Exception:
        """What to raise for an error that came out of the user's code.

        An `OSError` that comes from below it, out of a file system, is told as it is.
        """
        place, innermost = self._place(error)
        if isinstance(error, OSError) and not innermost:
            return error
        where = f" ({place})" if place else ""
        return FormatFault(f"{self.title}: {type(error).__name__}: {error}{where}")

    def refuse(self, words: str) -> FormatFault:
        """What to raise for an answer that is not what the protocol says."""
        return FormatFault(f"{self.title}: {words}")

    def _find(self, module: str, class_: str) -> type:
        try:
            with printing_to_stderr():
                loaded = _shipped(module) if module in _sources else importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise self.fault(error) from error
            raise FormatFault(
                f"{self.title}: there is no module {module}",
                hint=f"ship it: --files {self.file}",
            ) from error
        except XLearningError:
            raise
        except (Exception, SystemExit) as error:
            raise self.fault(error) from error
        self.file = getattr(loaded, "__file__", None) or self.file
        found = getattr(loaded, class_, None)
        if not isinstance(found, type):
            raise FormatFault(f"{self.title}: there is no class {class_} in {self.file}")
        return found

    def _place(self, error: BaseException) -> tuple[str, bool]:
        """File and line in the user's code, and whether the error was raised right there."""
        if isinstance(error, SyntaxError) and error.filename == self.file:
            return f"{self.file} line {error.lineno}", True
        place, innermost, trace = "", False, error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            innermost = code.co_filename == self.file
            if innermost:
                place = f"{self.file} line {trace.tb_lineno}, in {code.co_name}"
            trace = trace.tb_next
        return place, innermost


def printing_to_stderr() -> contextlib.AbstractContextManager[object]:
    """Keep what the user's code prints out of our standard output, which other programs read."""
    return contextlib.redirect_stdout(sys.stderr)


def _shipped(name: str) -> ModuleType:
    known = _LOADED_AS.format(name)
    if known not in sys.modules:
        module = ModuleType(known)
        module.__file__ = f"{name}.py"
        sys.modules[known] = module  # dataclasses and others look for it there
        try:
            exec(compile(_sources[name], module.__file__, "exec"), module.__dict__)
        except BaseException:
            del sys.modules[known]
            raise
    return sys.modules[known]
