"""Carries out checks side by side, each with a deadline, in the order of what they need."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial

from xlearning.client.doctor.model import Check, Finding, Mark, Result, problem
from xlearning.cluster.background import Background
from xlearning.errors import XLearningError

PATIENCE = 22.0  # seconds for all checks together
_ALWAYS = 600.0  # seconds; a result comes long before, for whatever is called has a deadline


def examine(checks: Sequence[Check], patience: float = PATIENCE) -> Iterator[Result]:
    """The results, in the order of the checks, each as soon as it is there.

    A check that hangs costs a daemon thread and nothing else.

    Parameters
    ----------
    patience : float
        Seconds after which what has not ended counts as a problem.
    """
    end = time.monotonic() + patience
    running: dict[str, Background[Result]] = {}
    for check in checks:
        needed = [running[name] for name in check.needs]
        running[check.id] = Background(check.title, partial(_carry_out, check, needed, end))
    for check in checks:
        yield running[check.id].result(_ALWAYS)


def _carry_out(check: Check, needed: Sequence[Background[Result]], end: float) -> Result:
    for need in needed:
        before = need.result(_ALWAYS)
        if before.finding.mark is Mark.UNCHECKED:
            return _result(check, before.finding, 0.0)
        if before.finding.mark is Mark.PROBLEM:
            words = f"not before this is well: {before.title} ({before.area})"
            return _result(check, Finding(Mark.UNCHECKED, words), 0.0)
    start = time.monotonic()
    if start >= end:
        return _result(check, Finding(Mark.UNCHECKED, "what came before took all the time"), 0.0)
    return _result(check, _look(check, min(check.patience, end - start)), time.monotonic() - start)


def _look(check: Check, patience: float) -> Finding:
    call = Background(check.title, check.call)
    if not call.wait(patience):
        return problem(
            f"no answer within {patience:.0f} s",
            "look whether what it asks is up and can be reached from here",
        )
    try:
        return call.result(0.0)
    except XLearningError as error:
        return problem(error.message, error.hint or "")
    except OSError as error:
        return problem(_said(error), "see the message")
    except Exception as error:  # noqa: BLE001 - the other checks go on
        return problem(
            f"unexpected {type(error).__name__}: {error}", "report this, with the output of doctor"
        )


def _said(error: OSError) -> str:
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{error.strerror or error or type(error).__name__}"


def _result(check: Check, finding: Finding, seconds: float) -> Result:
    return Result(check.id, check.area, check.title, finding, seconds)
