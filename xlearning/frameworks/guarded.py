"""A type that is not ours, with its answers looked at: what it gets wrong is told with its name and place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.formats.bounded import Allowance, Overdue
from xlearning.formats.own import Own, printing_to_stderr
from xlearning.frameworks.base import Crew, Framework, Rules, Setup
from xlearning.job import CHIEF, WORKER, ClusterMap, JobSpec, RoleSpec, Task

_ROLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_MOST_PORTS = 1000
_TIME = "xlearning.app.type.timeout"

T = TypeVar("T")


class Guarded(Framework):
    """Passes all on to ``inner``.

    Its methods raise `xlearning.formats.own.FormatFault` where those of ``inner`` raise anything, or answer
    with what no job can run by, or not in time: all their calls together have `_TIME` for it.
    """

    def __init__(self, own: Own, inner: Framework) -> None:
        self._own, self.inner = own, inner
        self._allowance = Allowance(own.file)
        self.has_ps, self.has_evaluator, self.fixed = inner.has_ps, inner.has_evaluator, inner.fixed
        self.launches, self.runs = inner.launches, inner.runs

    def problems(self, crew: Crew, config: Config) -> Sequence[tuple[str, str]]:
        return self._ask(
            config,
            "problems",
            lambda: [(str(what), str(remedy)) for what, remedy in self.inner.problems(crew, config)],
        )

    def no_evaluator(self, workers: int, ps: int, config: Config) -> str:
        return self._ask(config, "no_evaluator", lambda: str(self.inner.no_evaluator(workers, ps, config)))

    def notes(self, crew: Crew, config: Config) -> Sequence[str]:
        return self._ask(config, "notes", lambda: [str(note) for note in self.inner.notes(crew, config)])

    def roles(self, crew: Crew, config: Config) -> tuple[RoleSpec, ...]:
        found = self._ask(config, "roles", lambda: tuple(self.inner.roles(crew, config)))
        if not found or not all(isinstance(role, RoleSpec) for role in found):
            self._refuse("roles", f"it answers {found!r}, not one or more RoleSpec")
        for role in found:
            if not isinstance(role.name, str) or not _ROLE.fullmatch(role.name):
                self._refuse("roles", f"{role.name!r} is no name of a role: letters, digits, - and _")
            numbers = {"instances": role.instances, "memory_mb": role.memory_mb, "vcores": role.vcores}
            for what, number in numbers.items():
                if not isinstance(number, int) or number < 1:
                    self._refuse("roles", f"role {role.name} with {what} {number!r}; it takes 1 or more")
        names = [role.name for role in found]
        if len(set(names)) < len(names):
            self._refuse("roles", f"a role is there twice: {', '.join(names)}")
        return found

    def rules(self, job: JobSpec, config: Config) -> Rules:
        found = self._ask(config, "rules", lambda: self.inner.rules(job, config))
        if not isinstance(found, Rules):
            self._refuse("rules", f"it answers {found!r}, not Rules")
        for role, count in found.ports.items():
            if not isinstance(count, int) or not 0 <= count <= _MOST_PORTS:
                self._refuse("rules", f"{count!r} ports for role {role}; it takes 0 to {_MOST_PORTS}")
        roles = {WORKER if role.name == CHIEF else role.name for role in job.roles}
        if not roles - found.service_roles - found.optional_roles:
            self._refuse("rules", "no role decides when the job is over: all are service or optional roles")
        return found

    def setup(self, job: JobSpec, config: Config, task: Task, cluster: ClusterMap) -> Setup:
        found = self._ask(config, "setup", lambda: self.inner.setup(job, config, task, cluster))
        if not isinstance(found, Setup):
            self._refuse("setup", f"it answers {found!r}, not Setup")
        pairs = (*_items(found.env), *_items(found.files), *_items(found.interfaces))
        for text in (*found.command, *(text for pair in pairs for text in pair)):
            if not isinstance(text, str):
                self._refuse("setup", f"{text!r} is no text; variables, files and words of a command are")
        for name, value in found.env.items():
            if not name or "=" in name or "\0" in name + value:
                self._refuse("setup", f"no program can have a variable {name}={value[:80]}"[:200])
        return found

    def _refuse(self, method: str, words: str) -> NoReturn:
        raise self._own.refuse(f"{method}(): {words}")

    def _ask(self, config: Config, method: str, call: Callable[[], T]) -> T:
        seconds = config.get(_TIME)
        try:
            with printing_to_stderr():
                return self._allowance.run(seconds, call)
        except XLearningError:
            raise
        except Overdue as error:
            words = f"no answer within {seconds:g} s, the time for all its answers ({_TIME}){error.where}"
            self._refuse(method, words)
        except (Exception, SystemExit) as error:
            raise self._own.fault(error) from error


def _items(pairs: Mapping[Any, Any]) -> Sequence[tuple[Any, Any]]:
    return tuple(pairs.items())
