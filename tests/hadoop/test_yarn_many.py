"""Several applications on a real YARN: at once, of two users, and one after the other."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator

import pytest
from minihadoop import MiniHadoop
from places import Place
from side_by_side import side_by_side
from submitting import wait_for
from webhdfs import WebHdfs
from yarn_gateway import YarnGateway, settled

from xlearning.fs import FileSystems
from xlearning.fs.base import exists

Gateways = Callable[[], YarnGateway]
OTHER = "alice"


@pytest.fixture
def other_home(hadoop: MiniHadoop) -> Iterator[str]:
    """Home folder of another user on HDFS."""
    web = WebHdfs(hadoop.namenode_web)
    home = f"/user/{OTHER}"
    web.mkdirs(home)
    web.chown(home, OTHER)
    yield hadoop.hdfs_uri + home
    web.delete(home)


@pytest.mark.parametrize("count", [3, pytest.param(20, marks=[pytest.mark.large, pytest.mark.timeout(900)])])
def test_several(count: int, hadoop: MiniHadoop, hdfs_dir: str, other_home: str, gateways: Gateways) -> None:
    place = Place(hdfs_dir, FileSystems("file://"))

    def one_after_the_other() -> None:
        """Nothing grows: no process, no staging, no cache, no temporary file on the gateway."""
        gateway = gateways()
        temporary = gateway.root / "tmp"
        temporary.mkdir()
        gateway.environment["TMPDIR"] = str(temporary)
        caches = []
        for number in range(count):
            ended = gateway.submit(
                "--output", f"{place.at(f'row/{number}')}#output", "--", "touch", "output/x"
            )
            assert ended.code == 0, ended.err
            settled(gateway, ended.app_id)
            assert sorted(path.name for path in temporary.iterdir()) == []
            caches.append(cached(gateway, hadoop))
        assert caches[-1] == caches[0]
        assert not gateway.processes()

    def two_users() -> None:
        """At once; each works under his own name and cannot look into the other's staging."""
        mine, others = gateways(), gateways()
        others.environment["HADOOP_USER_NAME"] = OTHER
        go = hadoop.layout.data / f"go-{mine.root.parent.name}"
        script = f"touch output/$USER; while ! test -e {go}; do sleep 0.2; done"
        submissions = {
            user: gateway.start("--output", f"{home}/two#output", "--", "bash", "-c", script)
            for user, gateway, home in (
                (getpass.getuser(), mine, hdfs_dir),
                (OTHER, others, other_home),
            )
        }
        ids = {}
        for user, running in submissions.items():
            gateway = others if user == OTHER else mine
            ids[user] = gateway.submitted(running)
            assert gateway.application(ids[user])["user"] == user
        for running in submissions.values():
            running.said("worker: 1 running")
        stranger = FileSystems(hadoop.hdfs_uri)
        for user, app_id in ids.items():
            status = stranger.default.stat(f"{mine.shared}/staging/{app_id}")
            assert (status.owner, status.mode & 0o777) == (user, 0o700)
        go.touch()
        for user, running in submissions.items():
            ended = running.end()
            assert ended.code == 0, ended.err
            settled(others if user == OTHER else mine, ids[user])
        output = stranger.default.stat(f"{other_home}/two/_SUCCESS")
        assert output.owner == OTHER
        skein = f"{other_home}/.skein/{ids[OTHER]}"
        wait_for(lambda: not exists(stranger.default, skein), message=f"{skein} is left")
        go.unlink()

    side_by_side({"one_after_the_other": one_after_the_other, "two_users": two_users})


def cached(gateway: YarnGateway, hadoop: MiniHadoop) -> tuple[list[str], list[str]]:
    """Files of our package on HDFS, and what the nodes keep of the user's files for later applications."""
    user = getpass.getuser()
    staging = f"{gateway.shared}/staging/cache-{user}"
    nodes = hadoop.layout.data.glob(f"nodemanager*/local/usercache/{user}/filecache/*/*")
    return (
        sorted(child.name for child in gateway.storage.default.list(staging)),
        sorted({path.name for path in nodes}),
    )
