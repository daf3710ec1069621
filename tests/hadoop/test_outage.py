"""HDFS stops answering for a while: jobs and commits wait for it and go on."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from dfsadmin import dfsadmin
from minihadoop import MiniHadoop
from places import Place
from submitting import PATIENCE, PROGRAMS, Gateway, wait_for

from xlearning.fs.commit import Committer
from xlearning.fs.intent import upload_folder
from xlearning.job import OutputSpec

OUTAGE = 30.0  # seconds
SAFE_MODE = 20.0  # seconds
FILES = 40
APP = "application_7_0001"


@pytest.fixture
def gateway(hadoop: MiniHadoop, tmp_path: Path) -> Iterator[Gateway]:
    gateway = Gateway(tmp_path / "gateway", hadoop.env(dict(os.environ)))
    yield gateway
    gateway.close()


@pytest.fixture
def stopped(hadoop: MiniHadoop) -> Iterator[threading.Event]:
    """Set it to stop HDFS for `OUTAGE` seconds."""
    begin, over = threading.Event(), threading.Event()

    def outage() -> None:
        begin.wait()
        if over.is_set():
            return
        hadoop.pause("hdfs")
        try:
            over.wait(OUTAGE)
        finally:
            hadoop.resume("hdfs")

    thread = threading.Thread(target=outage)
    thread.start()
    yield begin
    over.set()
    begin.set()
    thread.join()


def test_download_upload_save_and_commit_survive_an_outage(
    place: Place, gateway: Gateway, stopped: threading.Event
) -> None:
    block = os.urandom(1 << 20)
    with ThreadPoolExecutor(20) as threads:
        list(threads.map(lambda n: place.write(f"in/f{n:02d}", block), range(FILES)))
    committer = Committer(
        place.storage, APP, place.at("staging"), (OutputSpec(place.at("out3"), "m"),), retry_time=120
    )
    committer.take_over(1)
    folder = upload_folder(place.at("out3"), APP, 1, "c1").removeprefix(place.uri + "/")
    place.write(f"{folder}/data", b"3")

    uploading = gateway.start(
        *("--output", f"{place.at('out1')}#output", "--"),
        *(sys.executable, str(PROGRAMS / "act.py"), "write:output/x=1"),
        *(f"touch:{gateway.root}/up-INDEX", f"wait:{gateway.root}/go"),
    )
    wait_for((gateway.root / "up-0").exists)
    downloading = gateway.start(
        *("--conf", "xlearning.download.file.thread.nums=1", "--input", f"{place.at('in')}#data"),
        *("--output", f"{place.at('out2')}#output", "--", "bash", "-c", "cat data/* | wc -c > output/bytes"),
    )
    wait_for(lambda: list(gateway.root.glob("local/apps/*/containers/*/*/data/f*")))
    saving = gateway.start(
        *("--output", f"{place.at('out4')}#output", "--"),
        *(sys.executable, str(PROGRAMS / "act.py"), "write:output/x=1"),
        *(f"touch:{gateway.root}/saves-INDEX", f"wait:{gateway.root}/saved"),
    )
    wait_for((gateway.root / "saves-0").exists)
    with ThreadPoolExecutor(1) as threads:
        stopped.set()
        (gateway.root / "go").touch()
        save = gateway.start_verb("save", "--local", "last")
        commit = threads.submit(committer.commit, 1, ["c1"], flat=False)
        ends = [uploading.end(), downloading.end(), save.end()]
        commit.result(PATIENCE)
    (gateway.root / "saved").touch()
    ends.append(saving.end())
    assert [end.code for end in ends] == [0] * 4, "".join(end.err for end in ends)
    (model,) = (name for name in place.children("out4") if name.startswith("interResult_"))
    assert {"_SUCCESS", "_manifest.json"} <= set(place.children(f"out4/{model}"))
    assert place.read("out1/output/x") == b"1"
    assert int(place.read("out2/output/bytes")) == FILES << 20
    assert place.read("out3/c1/data") == b"3"
    for output in ("out1", "out2", "out3"):
        assert place.exists(f"{output}/_SUCCESS")
        assert not place.exists(f"{output}/_temporary")


@pytest.fixture
def guarded(hadoop: MiniHadoop) -> Iterator[MiniHadoop]:
    """The cluster, whose NameNode leaves safe mode afterwards whatever happens."""
    yield hadoop
    dfsadmin(hadoop, "-safemode", "leave")


@pytest.mark.large
def test_jobs_wait_for_a_name_node_in_safe_mode(place: Place, gateway: Gateway, guarded: MiniHadoop) -> None:
    lines = b"".join(b"%d\n" % number for number in range(100_000))
    place.write("in/lines", lines)
    jobs = {
        "uploads": ("--output", f"{place.at('uploads')}#out"),
        "prints": (
            "--output",
            place.at("prints"),
            "--output-strategy",
            "stream",
            "--input",
            f"{place.at('in')}#in",
        ),
        "reads": (
            *(
                "--output",
                f"{place.at('reads')}#out",
                "--input",
                place.at("in"),
                "--input-strategy",
                "stream",
            ),
            *("--conf", "xlearning.input.prefetch=0"),
        ),
    }
    programs = {"uploads": "echo 1 > out/one", "prints": "cat in/lines", "reads": "cat > out/lines"}
    under_way = {}
    for name, options in jobs.items():
        waits = f"touch {gateway.root}/{name}; until [ -e {gateway.root}/go ]; do sleep 0.1; done"
        under_way[name] = gateway.start(*options, "--", "bash", "-c", f"{waits}; {programs[name]}")
    wait_for(lambda: all((gateway.root / name).exists() for name in jobs))
    assert "ON" in dfsadmin(guarded, "-safemode", "enter")
    (gateway.root / "go").touch()
    threading.Event().wait(SAFE_MODE)
    assert [running.process.poll() for running in under_way.values()] == [None] * 3
    assert not any(place.exists(f"{name}/_SUCCESS") for name in jobs)
    assert "OFF" in dfsadmin(guarded, "-safemode", "leave")
    ends = {name: running.end() for name, running in under_way.items()}
    assert [end.code for end in ends.values()] == [0] * 3, "".join(end.err for end in ends.values())
    assert place.read("uploads/out/one") == b"1\n"
    assert place.read("prints/part-r-00000") == lines
    assert place.read("reads/out/lines") == lines
    assert all(place.exists(f"{name}/_SUCCESS") for name in jobs)
    gateway.nothing_is_left()


@pytest.mark.parametrize("what", ["input", "output"])
def test_a_silent_hdfs_at_submit_is_one_sentence(
    what: str, place: Place, gateway: Gateway, hadoop: MiniHadoop
) -> None:
    gateway.properties["xlearning.fs.timeout"] = "3s"
    hadoop.pause("hdfs")
    try:
        ended = gateway.submit(f"--{what}", f"{place.at(what)}#data", "--", "true")
    finally:
        hadoop.resume("hdfs")
    assert ended.code == 1
    assert ended.out == ""
    assert "did not answer" in ended.err
    assert "Traceback" not in ended.err
