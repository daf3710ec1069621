"""Which application a word on the command line means, and in which place it is looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from xlearning.client.verbs.applications import OF_DOCTOR, find_application
from xlearning.client.verbs.places import Places
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config
from xlearning.errors import (
    ApplicationNotFound,
    ClusterUnavailable,
    ConfigError,
    UsageError,
    XLearningError,
)
from xlearning.job import AppState

IDS = ["application_1700000000222_0001", "application_1700000000111_0002", "application_1700000000111_0001"]
YARN = ["application_1600000000000_0007", "application_1600000000000_0001"]


class Cluster:
    """A back end that knows applications, the newest first."""

    def __init__(self, *ids: str, newest: float = 100.0, down: bool = False) -> None:
        self.ids, self.newest, self.down = ids, newest, down

    def list(self) -> Sequence[ApplicationReport]:
        return [self.report(app_id) for app_id in self.ids]

    def report(self, app_id: str) -> ApplicationReport:
        if self.down:
            raise ClusterUnavailable("no ResourceManager answers at http://rm:8088")
        if app_id not in self.ids:
            raise ApplicationNotFound(f"no application {app_id}")
        submitted = self.newest - self.ids.index(app_id)
        return ApplicationReport(app_id, "n", "me", AppState.RUNNING, submitted=submitted)


class At:
    """A place with one back end."""

    def __init__(self, title: str, cluster: Cluster) -> None:
        self.title, self.cluster, self.report, self.user = title, cluster, cluster.report, "me"

    def jobs(self, user: str) -> Sequence[ApplicationReport]:
        assert user == self.user
        return self.cluster.list()


class Two(Places):
    """This machine with `IDS`, and YARN, if there is one."""

    def __init__(self, local: Cluster, yarn: Cluster | None, *, only_local: bool = False) -> None:
        self.only_local = only_local
        self.local = At("this machine", local)  # type: ignore[assignment]
        self._yarn = At("YARN", yarn) if yarn else None  # type: ignore[assignment]
        self._environ: dict[str, str] = {}

    def yarn(self):  # type: ignore[no-untyped-def]
        if self._yarn is None:
            raise ConfigError("HADOOP_CONF_DIR is not set, so there is no YARN to submit to", hint="set it")
        return self._yarn


@pytest.mark.parametrize(
    ("word", "found"),
    [("last", IDS[0]), ("-", IDS[0]), (IDS[2], IDS[2]), ("0002", IDS[1]), ("111_0001", IDS[2])],
)
def test_one_of_this_machine_is_meant(word: str, found: str) -> None:
    for yarn in (None, Cluster(*YARN, newest=1.0)):
        one = find_application(word, Two(Cluster(*IDS), yarn))
        assert (one.app_id, one.place.title) == (found, "this machine")


@pytest.mark.parametrize(
    ("word", "found"),
    [("last", YARN[0]), ("-", YARN[0]), (YARN[1], YARN[1]), ("0007", YARN[0]), ("000_0001", YARN[1])],
)
def test_one_on_yarn_is_meant(word: str, found: str) -> None:
    one = find_application(word, Two(Cluster(*IDS), Cluster(*YARN, newest=200.0)))
    assert (one.app_id, one.place.title) == (found, "YARN")


@pytest.mark.parametrize(
    ("ids", "word", "why"),
    [
        (IDS, "0001", "is the end of several ids: application_1700000000222_0001, application_"),
        (IDS, "9", "no job of yours has an id that ends in '9' .on this machine"),
        (IDS, "", "no job of yours has an id that ends in ''"),
        ([], "last", "there is no job of yours on this machine"),
    ],
)
@pytest.mark.parametrize("yarn", [None, Cluster()])
def test_none_is_meant(ids: list[str], word: str, why: str, yarn: Cluster | None) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        find_application(word, Two(Cluster(*ids), yarn))
    assert caught.value.hint
    assert ("and on YARN" in caught.value.message) == (yarn is not None and "several" not in why)


def test_the_job_of_doctor_is_nobodys_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    places = Two(Cluster(*IDS), None)
    first, *others = places.local.jobs("me")
    jobs = [replace(first, name=OF_DOCTOR), *others]
    monkeypatch.setattr(places.local, "jobs", lambda _user: jobs)
    assert find_application("last", places).app_id == IDS[1]
    assert find_application("222_0001", places).app_id == IDS[0]
    monkeypatch.setattr(places.local, "jobs", lambda _user: jobs[:1])
    with pytest.raises(UsageError, match="there is no job of yours"):
        find_application("last", places)


def test_an_end_that_is_in_both_places_is_ambiguous() -> None:
    with pytest.raises(UsageError, match=f"{IDS[0]}.*{YARN[1]}"):
        find_application("0001", Two(Cluster(IDS[0]), Cluster(*YARN)))


def test_an_id_that_nobody_knows() -> None:
    with pytest.raises(ApplicationNotFound, match="neither on this machine nor on YARN"):
        find_application("application_1_0001", Two(Cluster(*IDS), Cluster(*YARN)))
    with pytest.raises(ApplicationNotFound, match="as to YARN: HADOOP_CONF_DIR is not set") as caught:
        find_application("application_1_0001", Two(Cluster(*IDS), None))
    assert caught.value.hint
    with pytest.raises(ApplicationNotFound, match="no application"):
        find_application(YARN[0], Two(Cluster(*IDS), Cluster(*YARN), only_local=True))


def test_yarn_that_does_not_answer_is_no_reason_to_guess() -> None:
    places = Two(Cluster(*IDS), Cluster(*YARN, down=True))
    assert find_application(IDS[0], places).app_id == IDS[0]
    for word in ("last", "0002"):
        with pytest.raises(ClusterUnavailable, match=f"'{word}' cannot be told: no ResourceM") as caught:
            find_application(word, places)
        assert "--local" in str(caught.value.hint)
    places.only_local = True
    assert find_application("last", places).app_id == IDS[0]


def test_a_configuration_that_is_named_must_be_usable(tmp_path: Path) -> None:
    config = Config.from_properties({"xlearning.local.dir": str(tmp_path)})
    nowhere = Places(config, "me", only_local=False, environ={})
    assert [place.title for place in nowhere.all()] == ["this machine"]
    broken = {"HADOOP_CONF_DIR": str(tmp_path)}
    with pytest.raises(XLearningError, match=r"there is no core-site\.xml"):
        find_application("last", Places(config, "me", only_local=False, environ=broken))
    local = Places(config, "me", only_local=True, environ=broken)
    with pytest.raises(UsageError, match="there is no job of yours on this machine"):
        find_application("last", local)
