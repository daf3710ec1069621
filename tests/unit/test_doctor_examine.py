"""How checks are carried out, side by side and each with a deadline, and how they are told."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable

import pytest

from xlearning.client.doctor import report
from xlearning.client.doctor.examine import examine
from xlearning.client.doctor.model import Check, Finding, Mark, Result, healthy, ok, problem, warning
from xlearning.errors import ConfigError


def check(name: str, call: Callable[[], Finding], *needs: str, patience: float = 30.0) -> Check:
    return Check(name, "Area", name.title(), call, needs, patience)


def marks(results: list[Result]) -> list[Mark]:
    return [result.finding.mark for result in results]


def test_they_wait_side_by_side() -> None:
    both = threading.Barrier(2)

    def meet() -> Finding:
        both.wait(30)
        return ok("met")

    found = list(examine([check("one", meet), check("two", meet)]))
    assert [(result.id, result.finding) for result in found] == [("one", ok("met")), ("two", ok("met"))]


def test_what_needs_a_problem_is_not_checked_and_says_why() -> None:
    def never() -> Finding:
        raise AssertionError("looked")

    found = list(
        examine(
            [
                check("root", lambda: problem("bad", "mend it")),
                check("fair", lambda: warning("so so", "look")),
                check("child", never, "fair", "root"),
                check("grandchild", never, "child"),
                check("other", lambda: ok("well"), "fair"),
            ]
        )
    )
    assert marks(found) == [Mark.PROBLEM, Mark.WARNING, Mark.UNCHECKED, Mark.UNCHECKED, Mark.OK]
    assert {result.finding.text for result in found[2:4]} == {"not before this is well: Root (Area)"}
    assert not healthy(found)
    assert healthy([found[1], found[4]])


def failing(error: Exception) -> Callable[[], Finding]:
    def call() -> Finding:
        raise error

    return call


@pytest.mark.parametrize(
    ("error", "text", "fix"),
    [
        (ConfigError("no such key", hint="write it so"), "no such key", "write it so"),
        (FileNotFoundError(2, "No such file", "/a/b"), "/a/b: No such file", "see the message"),
        (ZeroDivisionError("by nought"), "unexpected ZeroDivisionError: by nought", "report this"),
    ],
)
def test_an_error_is_a_problem(error: Exception, text: str, fix: str) -> None:
    first, second = examine([check("one", failing(error)), check("two", lambda: ok("well"))])
    assert (first.finding.mark, first.finding.text) == (Mark.PROBLEM, text)
    assert first.finding.fix.startswith(fix)
    assert second.finding == ok("well")


def test_what_hangs_is_left_alone() -> None:
    hanging = threading.Event()

    def hang() -> Finding:
        hanging.wait(60)
        return ok("late")

    try:
        found = list(examine([check("one", hang, patience=0.05), check("two", hang, "one")]))
        assert marks(found) == [Mark.PROBLEM, Mark.UNCHECKED]
        assert "no answer within" in found[0].finding.text
        (late,) = examine([check("one", hang)], patience=0.05)
        assert late.finding.mark is Mark.PROBLEM
        (nothing,) = examine([check("one", hang)], patience=0.0)
        assert "took all the time" in nothing.finding.text
    finally:
        hanging.set()


def test_what_people_and_programs_are_told() -> None:
    results = [
        Result("a", "Gateway", "Java", ok("17"), 0.1234),
        Result("b", "Gateway", "Ports", warning("few\nports", "other\nrange"), 0.0),
        Result("c", "HDFS", "NameNode", problem("silent", "start it"), 2.0),
        Result("d", "HDFS", "Home", Finding(Mark.UNCHECKED, "not before"), 0.0),
    ]
    assert [line for some in report.areas(results) for line in some] == [
        "Gateway",
        "  ok           Java              17",
        "  warning      Ports             few",
        "                                 ports",
        "                                 fix: other range",
        "HDFS",
        "  problem      NameNode          silent",
        "                                 fix: start it",
        "  not checked  Home              not before",
    ]
    assert report.summary(results) == "Something is wrong: 1 ok, 1 warning, 1 problem, 1 not checked"
    assert report.summary(results[:2] * 2) == "Nothing is wrong: 2 ok, 2 warnings"
    data = dataclasses.asdict(report.record(results))
    assert (data["healthy"], len(data["checks"])) == (False, 4)
    assert data["checks"][0] == {
        **{"id": "a", "area": "Gateway", "title": "Java", "result": "ok", "text": "17", "fix": ""},
        "seconds": 0.123,
    }
    again = [Result.of(one) for one in json.loads(json.dumps(data))["checks"]]
    assert [one.finding for one in again] == [one.finding for one in results]
