"""The cache of files on the cluster: upload once, never a half file, clean-up that hurts nobody."""

from __future__ import annotations

import getpass
import hashlib
import os
import threading
from pathlib import Path

import pytest

from xlearning.client.packaging.shipping import given, world_readable
from xlearning.client.uploading.cache import Cache, Entry, Shipment
from xlearning.client.uploading.cache_sweep import Swept, sweep
from xlearning.cluster.base import ApplicationReport
from xlearning.errors import ClusterError, ConfigError, StorageError
from xlearning.fs import FileSystems
from xlearning.job import AppState

HOUR, DAY = 3600.0, 86400.0
NOW = 20000 * DAY + 1000
FILE = "package.tar.gz"
ARCHIVE = Entry("base", "1" * 32, FILE)
OTHER = Entry("base", "2" * 32, FILE)


def cache(root: Path, now: float = NOW, user: str = "") -> Cache:
    return Cache(FileSystems("file://"), root.as_uri(), user or getpass.getuser(), now)


def ship(shop: Cache, entry: Entry, work: Path, text: str = "content") -> Shipment:
    def make() -> Path:
        (work / "made").write_text(text)
        return work / "made"

    return shop.ship(entry, make)


def tidy(shop: Cache, applications: list[ApplicationReport], size: int = 10**9) -> Swept:
    return sweep(shop, applications, max_age=30 * DAY, max_size=size)


def folders(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("cache-*/*"))


def app(state: AppState, submitted: float) -> ApplicationReport:
    return ApplicationReport("application_1_0001", "n", "u", state, submitted=submitted)


def test_the_second_use_uploads_nothing(tmp_path: Path) -> None:
    first = ship(cache(tmp_path / "root"), ARCHIVE, tmp_path)
    second = ship(cache(tmp_path / "root"), ARCHIVE, tmp_path, "never asked for")
    assert (first.uploaded, second.uploaded, second.size) == (True, False, len("content"))
    assert first.uri == second.uri
    (folder,) = (tmp_path / "root").glob("cache-*/*")
    assert sorted(path.name.split("-")[0] for path in folder.iterdir()) == [FILE, "size", "used"]
    assert (folder / FILE).read_text() == "content"
    assert folder.parent.stat().st_mode & 0o777 == 0o700


def test_a_failed_upload_is_never_taken_for_the_whole(tmp_path: Path) -> None:
    def broken() -> Path:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        cache(tmp_path / "root").ship(ARCHIVE, broken)
    assert folders(tmp_path / "root") == []
    shop = cache(tmp_path / "root")
    assert shop.find(ARCHIVE) is None
    (folder,) = (tmp_path / "root").glob("cache-*/*")
    (folder / "draft-of-a-dead-client").write_text("half")
    assert ship(cache(tmp_path / "root"), ARCHIVE, tmp_path).uploaded
    assert (folder / FILE).read_text() == "content"


def test_what_changes_on_its_way_is_not_kept(tmp_path: Path) -> None:
    changed = Entry("own", "3" * 32, "content", hashlib.sha256(b"as it was hashed").hexdigest())
    with pytest.raises(StorageError, match="was changed while it was uploaded"):
        ship(cache(tmp_path / "root"), changed, tmp_path)
    assert folders(tmp_path / "root") == []
    assert ship(cache(tmp_path / "root"), changed, tmp_path, "as it was hashed").uploaded


def test_a_truncated_archive_is_uploaded_again(tmp_path: Path) -> None:
    first = ship(cache(tmp_path / "root"), ARCHIVE, tmp_path)
    (folder,) = (tmp_path / "root").glob("cache-*/*")
    (folder / FILE).write_text("con")
    again = ship(cache(tmp_path / "root"), ARCHIVE, tmp_path)
    assert (again.uploaded, again.uri) == (True, first.uri)
    assert (folder / FILE).read_text() == "content"


def test_two_at_once_agree_on_one_file(tmp_path: Path) -> None:
    barrier = threading.Barrier(2)
    sent: list[Shipment] = []

    def work(number: int) -> None:
        def make() -> Path:
            barrier.wait(30)
            (tmp_path / str(number)).write_text(str(number))
            return tmp_path / str(number)

        sent.append(cache(tmp_path / "root").ship(ARCHIVE, make))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len({shipment.uri for shipment in sent}) == 1
    (folder,) = (tmp_path / "root").glob("cache-*/*")
    assert sorted(path.name.split("-")[0] for path in folder.iterdir()) == [FILE, "size", "used"]


def test_users_do_not_share_a_folder(tmp_path: Path) -> None:
    cache(tmp_path / "root").find(ARCHIVE)
    with pytest.raises(ClusterError, match=r"cache-some_body belongs to .*, not to some/body"):
        cache(tmp_path / "root", user="some/body").find(ARCHIVE)
    assert len({path.name for path in (tmp_path / "root").iterdir()}) == 2


@pytest.mark.parametrize(
    ("age", "applications", "stays"),
    [
        (10, [], True),
        (29, [], True),
        (40, [], False),
        (40, [app(AppState.SUCCEEDED, NOW - 45 * DAY)], False),
        (40, [app(AppState.RUNNING, NOW - 45 * DAY)], True),  # may be using it
        (40, [app(AppState.RUNNING, NOW - 40 * DAY)], True),
        (40, [app(AppState.RUNNING, NOW - 5 * DAY)], False),  # began long after the last use
        (40, [app(AppState.SUBMITTED, NOW - 5 * DAY), app(AppState.RUNNING, NOW - 50 * DAY)], True),
    ],
)
def test_clean_up(tmp_path: Path, age: int, applications: list[ApplicationReport], stays: bool) -> None:
    root = tmp_path / "root"
    ship(cache(root, NOW - 400 * DAY), ARCHIVE, tmp_path)
    ship(cache(root, NOW - age * DAY), ARCHIVE, tmp_path)  # the last use counts, not the upload
    ship(cache(root), OTHER, tmp_path)
    assert tidy(cache(root), applications).removed == (0 if stays else 1)
    assert len(folders(root)) == (2 if stays else 1)
    assert f"base-{OTHER.digest}" in folders(root)
    assert ship(cache(root), ARCHIVE, tmp_path).uploaded is not stays


def test_what_was_used_longest_ago_makes_room(tmp_path: Path) -> None:
    root = tmp_path / "root"
    ages = {"a": 20 * DAY, "b": 5 * DAY, "c": 5 * HOUR, "d": 2 * HOUR}
    for name, age in ages.items():
        ship(cache(root, NOW - age), Entry(name, "0", FILE), tmp_path, "x" * 100)
    running = [app(AppState.RUNNING, NOW - 4 * DAY)]
    assert tidy(cache(root), running, size=400) == Swept(0, 400)
    assert tidy(cache(root), running, size=150) == Swept(2, 200)  # c may be in use
    assert folders(root) == ["c-0", "d-0"]
    assert tidy(cache(root), [], size=0) == Swept(1, 100)  # d may be of a client that submits just now
    assert folders(root) == ["d-0"]


def test_what_is_used_while_it_is_swept_stays(tmp_path: Path) -> None:
    root = tmp_path / "root"
    ship(cache(root, NOW - 40 * DAY), ARCHIVE, tmp_path)
    other, sweeper = cache(root), cache(root)
    rename, found = sweeper.fs.rename, []

    class Racing(type(sweeper.fs)):  # type: ignore[misc]
        def rename(self, source: str, target: str) -> None:
            if not found:  # between the look of the one and the rename of the other
                found.append(other.find(ARCHIVE))
            rename(source, target)

    sweeper.fs = Racing()
    assert tidy(sweeper, []).removed == 0
    assert found[0] is not None and Path(found[0].uri.removeprefix("file://")).read_text() == "content"


def test_drafts_of_dead_clients_go(tmp_path: Path) -> None:
    root = tmp_path / "root"
    ship(cache(root), ARCHIVE, tmp_path)
    (folder,) = root.glob("cache-*/*")
    for name, age in (("draft-old", 2 * DAY), ("draft-new", HOUR)):
        (folder / name).write_text("half")
        os.utime(folder / name, (NOW - age, NOW - age))
    tidy(cache(root), [])
    assert [path.name for path in folder.glob("draft-*")] == ["draft-new"]


def test_what_was_given(tmp_path: Path) -> None:
    fss = FileSystems("file://")
    with pytest.raises(ConfigError, match=r"xlearning\.yarn\.archive: there is no"):
        given(fss, str(tmp_path / "x.tar.gz"))
    (tmp_path / "x.tar.gz").write_text("x")
    with pytest.raises(ConfigError, match="a file of this machine"):
        given(fss, str(tmp_path / "x.tar.gz"))
    (tmp_path / "x.tar.gz").chmod(0o644)
    assert not world_readable(fss, (tmp_path / "x.tar.gz").as_uri())  # pytest's folders are private
