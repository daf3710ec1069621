"""Which application a word on the command line means."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from xlearning.client.applications import find_application
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import UsageError
from xlearning.job import AppState

IDS = ["application_1700000000222_0001", "application_1700000000111_0002", "application_1700000000111_0001"]


class Cluster:
    """A back end that knows applications, the newest first."""

    def __init__(self, *ids: str) -> None:
        self.ids = ids

    def list(self) -> Sequence[ApplicationReport]:
        return [self.report(app_id) for app_id in self.ids]

    def report(self, app_id: str) -> ApplicationReport:
        return ApplicationReport(app_id, "n", "me", AppState.RUNNING)


@pytest.mark.parametrize(
    ("word", "found"), [("last", IDS[0]), (IDS[2], IDS[2]), ("0002", IDS[1]), ("111_0001", IDS[2])]
)
def test_one_is_meant(word: str, found: str) -> None:
    assert find_application(word, Cluster(*IDS)).app_id == found  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ids", "word", "why"),
    [
        (IDS, "0001", "is the end of several ids: application_1700000000222_0001, application_"),
        (IDS, "9", "no job has an id that ends in '9'"),
        (IDS, "", "no job has an id that ends in ''"),
        ([], "last", "there is no job on this machine"),
    ],
)
def test_none_is_meant(ids: list[str], word: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        find_application(word, Cluster(*ids))  # type: ignore[arg-type]
    assert caught.value.hint
