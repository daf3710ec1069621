"""How many containers of which role, and what each gets."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from xlearning.client.planning.idle import given
from xlearning.client.problems import Problem
from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.frameworks import framework, known
from xlearning.frameworks.base import Crew, Framework
from xlearning.job import RoleSpec

TENSORFLOW = "TENSORFLOW"
_EVALUATOR_MEMORY = "xlearning.evaluator.worker.memory"
# Types of independent workers -> those that make them train together.
_TOGETHER = {"PYTORCH": "DISTTORCH", "XGBOOST": "DISTXGBOOST", "LIGHTGBM": "DISTLIGHTGBM"}
_INDEPENDENT = ("XLEARNING", "VISUALDL", "CAFFE", "THEANO", "KERAS", "SKLEARN")
# What people write who know the programs, not the types.
_WORDS = {
    **dict.fromkeys(("TORCH", "DDP", "TORCHRUN", "DISTPYTORCH"), "DISTTORCH"),
    **dict.fromkeys(("XGB", "DISTXGB"), "DISTXGBOOST"),
    **dict.fromkeys(("TF", "TF2", "TENSORFLOW2"), TENSORFLOW),
    **dict.fromkeys(("DISTMXNET", "DISTXDL", "DMLC"), "MXNET"),
    **dict.fromkeys(("OPENMPI", "MPIRUN"), "MPI"),
}


def outside(app_type: str, problems: list[Problem]) -> str:
    """``module:Class`` of a type that is not one of ours; empty for those that are, or that nobody knows."""
    if ":" in app_type:
        return app_type
    if app_type in known():
        return ""
    from xlearning.frameworks import outside as others  # costs a look at all that is installed

    try:
        return others.find(app_type)
    except UsageError as error:
        problems.append(Problem(error.message, error.hint or ""))
        return ""


def rules(app_type: str, outside: str, problems: list[Problem]) -> Framework:
    """What the application type says; that of independent workers where it cannot be loaded."""
    try:
        return framework(app_type, outside)
    except UsageError as error:
        problems.append(Problem(error.message, error.hint or ""))
        return Framework()


def asked(app_type: str, type_: Framework, config: Config, problems: list[Problem], notes: list[str]) -> Crew:
    """The crew that the properties ask for."""
    ps = int(config.get("xlearning.ps.num"))
    if ps > 0 and type_.runs and not type_.has_ps:
        served = [name for name in known() if framework(name).has_ps]
        problems.append(
            Problem(
                f"--ps-num {ps}: type {app_type} has no parameter servers",
                f"leave out --ps-num; these types have some: {', '.join(served)}",
            )
        )
    total = int(config.get("xlearning.worker.num"))
    if type(type_) is Framework:
        _tell_independent(app_type, total, notes)
    evaluator = bool(config.get("xlearning.tf.evaluator"))
    if evaluator and (why := type_.no_evaluator(total, ps, config)):
        notes.append(f"--tf-evaluator has no effect: {why}")
        evaluator = False
    elif not evaluator and type_.has_evaluator and (size := given(config, (_EVALUATOR_MEMORY,))):
        notes.append(f"{size} has no effect: there is no evaluator; --tf-evaluator makes the last worker one")
    return Crew(total - evaluator, ps, evaluator)


def check(type_: Framework, crew: Crew, config: Config, problems: list[Problem], notes: list[str]) -> None:
    """What the application type says against the crew that there will be."""
    problems.extend(Problem(*pair) for pair in type_.problems(crew, config))
    notes.extend(type_.notes(crew, config))


def _tell_independent(app_type: str, workers: int, notes: list[str]) -> None:
    """Where somebody may have thought of programs that train together."""
    if app_type in _TOGETHER and workers > 1:
        notes.append(
            f"type {app_type} runs {workers} independent workers, each of which trains a model of its own; "
            f"--app-type {_TOGETHER[app_type]} lets them train one"
        )
    elif app_type not in (*_INDEPENDENT, *_TOGETHER):
        ours = [name for name in known() if framework(name).runs]
        names = (*ours, *_TOGETHER, *_INDEPENDENT)
        meant = _WORDS.get(app_type) or next(iter(difflib.get_close_matches(app_type, names, 1, 0.7)), "")
        if meant:
            notes.append(f"type {app_type} runs independent workers; did you mean {meant}?")
        elif workers > 1:
            notes.append(f"no type is called {app_type}: its {workers} workers do not know one another")


def match_files(crew: Crew, smallest: int, config: Config, notes: list[str]) -> Crew:
    """Fewer files than workers: as many workers as files, unless the property keeps the number.

    Parameters
    ----------
    smallest : int
        Files of the smallest input that has any; 0 changes nothing.
    """
    if not 0 < smallest < crew.workers:
        return crew
    if not config.get("xlearning.workers.match.files"):
        notes.append(f"{crew.workers} workers for {smallest} files: some workers get no file")
        return crew
    plural = "s" if smallest > 1 else ""
    notes.append(
        f"{smallest} worker{plural} instead of {crew.workers}: "
        f"the smallest input has {smallest} file{plural} "
        "(--conf xlearning.workers.match.files=false keeps the number)"
    )
    return Crew(smallest, crew.ps, crew.evaluator)


def check_limit(roles: Sequence[RoleSpec], config: Config, problems: list[Problem]) -> None:
    """More containers than ``xlearning.execute.node.limit`` lets a job have."""
    limit, total = config.get("xlearning.execute.node.limit"), sum(role.instances for role in roles)
    if limit is not None and total > limit:
        entry = config.entry("xlearning.execute.node.limit")
        problems.append(
            Problem(f"{total} containers are more than a job may have: {entry}", f"ask for at most {limit}")
        )


def check_slots(roles: Sequence[RoleSpec], slots: int, problems: list[Problem]) -> None:
    """More containers than may run at once: no program starts before all are there, so none ever would.

    Parameters
    ----------
    slots : int
        ``xlearning.local.slots``; 0 means no limit.
    """
    total = sum(role.instances for role in roles)
    if 0 < slots < total:
        problems.append(
            Problem(
                f"{total} containers would never run at once: there are {slots} local slots "
                "(xlearning.local.slots)",
                "ask for fewer, or give more slots with --local-slots",
            )
        )
