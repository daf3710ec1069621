"""Every row of docs/preflight.md that needs no cluster."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from preflight_table import keeps, rows, said_by

from xlearning.client.planning.resources import Shipped
from xlearning.client.preflight.archive_content import Bad, inspect
from xlearning.client.preflight.shipped import check
from xlearning.fs.local import LocalFileSystem
from xlearning.job import LocalResource

ROWS = rows("On every back end")
NOBODY = 65534


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder that other users may look into, which pytest's own are not."""
    path = Path(tempfile.mkdtemp(prefix="xlearning-test-"))
    path.chmod(0o755)
    monkeypatch.chdir(path)
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(path))
    for name in ("full/part", "one/part", "two/part", "two/train.py", "train.py"):
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(name)
    (path / "empty").mkdir()
    yield path
    shutil.rmtree(path)


def local(*words: object, command: tuple[str, ...] = ("true",)) -> str:
    home = f"xlearning.local.dir={Path.cwd()}/local"
    history = f"xlearning.history.log.dir={Path.cwd()}/history"
    given = ("--conf", home, "--conf", history)
    return said_by("--local", "--dry-run", *given, *words, "--", *command)


def archive(name: str) -> str:
    path = Path(name)
    if name == "empty.tgz":
        path.touch()
    elif name == "text.tgz":
        path.write_text("words " * 200)
    elif name == "plain.tgz":
        path.write_bytes(gzip.compress(b"words " * 200))
    elif name in ("cut.zip", "zipped.tgz"):
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("x", os.urandom(9000))
        if name == "cut.zip":
            path.write_bytes(path.read_bytes()[:5000])
    else:
        with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as tar:
            tar.add("full/part", arcname="../x" if name == "out.tar" else "x")
            tar.add("train.py", arcname="y")
        if name == "cut.tgz":
            path.write_bytes(path.read_bytes()[:-9])
    return local("--archiveFiles", name)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's right to read everything, for whom tests may run as."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(before)


def saves() -> str:
    save = Path("saves/interResult_2026_01_01_00_00_00")
    save.mkdir(parents=True)
    (save / "w").touch()
    return str(save.parent)


def secret() -> str:
    Path("secret").write_text("s")
    Path("secret").chmod(0)
    with as_nobody():
        return local("--files", "secret")


def special(option: str, *folders: str) -> str:
    place = Path(*folders)
    place.mkdir(exist_ok=True)
    os.mkfifo(place / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place / "socket"))
    return local(option, place if folders else place / "pipe")


CASES: dict[str, Callable[[], str]] = {
    "no command": lambda: local(command=()),
    "a word that no program can be given": lambda: local(command=("true", "x" * 131_072)),
    "a variable that no program can be given": lambda: local("--env", f"X={'x' * 131_070}"),
    "an input matches nothing": lambda: local("--input", "nowhere#data"),
    "an input folder holds no file": lambda: local("--input", "empty#data"),
    "files of one input with equal names": lambda: local("--input", "one,two#data"),
    "the input would lie in an output": lambda: local("--input", "one#data", "--output", "out#data"),
    "the output exists": lambda: local("--output", "full#m"),
    "the output is the input": lambda: local("--input", "one#in", "--output", "one#out"),
    "the output is a file": lambda: local("--output", "train.py#m"),
    "the output lies below a file": lambda: local("--output", "train.py/x#m"),
    "the output lies in /proc or /sys": lambda: local("--output", "/proc/x#m"),
    "an output with several names": lambda: local("--output", "a#x,b#y"),
    "one output inside another": lambda: local("--output", "out#m", "--output", "out/x#n"),
    "an output to overwrite that holds the input, or a file that is shipped": lambda: local(
        "--input", "one#in", "--output", "one#out", "--output-existing", "overwrite"
    ),
    "an output that is not empty, even by a job that fails": lambda: local(
        *("--output", "full#m", "--output-existing", "overwrite", "--conf", "xlearning.failed.upload=true")
    ),
    "an output to overwrite that holds saved models (note)": lambda: local(
        "--output", f"{saves()}#m", "--output-existing", "overwrite"
    ),
    "an input that holds saved models (note)": lambda: local("--input", f"{saves()}#data"),
    "the output inside an input (note)": lambda: local("--input", "one#data", "--output", "one/out#m"),
    "the output among files of jobs": lambda: local("--output", "local/apps/x#m"),
    "a file is missing": lambda: local("--files", "nofile"),
    "a folder where a file is wanted": lambda: local("--files", "full"),
    "a file may not be read": secret,
    "a pipe or device where a file is wanted": lambda: special("--files"),
    "a pipe or device as an archive": lambda: special("--archiveFiles"),
    "a pipe or device as an input": lambda: special("--input"),
    "pipes and sockets in an input folder": lambda: special("--input", "odd"),
    "two files of one name": lambda: local("--files", "train.py,two/train.py"),
    "a file is named like a folder of the job": lambda: local(
        "--files", "train.py", "--output", "o#train.py"
    ),
    "an archive is empty": lambda: archive("empty.tgz"),
    "an archive is none": lambda: archive("text.tgz"),
    "an archive is cut off": lambda: archive("cut.tgz"),
    "a zip is cut off": lambda: archive("cut.zip"),
    "a compressed file that is no archive": lambda: archive("plain.tgz"),
    "a member of an archive leads outside": lambda: archive("out.tar"),
    "an archive of another kind than its name says": lambda: archive("zipped.tgz"),
    "more containers than local slots": lambda: local("--local-slots", 2, "--worker-num", 3),
    "the staging folder cannot be made": lambda: local("--conf", "xlearning.staging.dir=train.py/s"),
    "the folder of local jobs cannot be made": lambda: local("--conf", "xlearning.local.dir=train.py/l"),
    "no such program on this machine, with --local (note)": lambda: local(command=("ehco", "x")),
    "more memory than this machine has, with --local (note)": lambda: local("--worker-memory", "1024t"),
    "the history cannot be written (note)": lambda: local("--conf", "xlearning.history.log.dir=train.py/h"),
    "another HDFS does not answer": lambda: local("--input", "hdfs://127.0.0.1:1/a#d"),
}


def test_each_row_has_a_case() -> None:
    assert list(CASES) == list(ROWS)


@pytest.mark.parametrize("situation", CASES)
def test_row(situation: str) -> None:
    keeps(ROWS[situation], CASES[situation]())


def test_what_is_away_hides_nothing_else() -> None:
    """One file system is away; it is told once, and the rest of the plan is looked at all the same."""
    away = "hdfs://127.0.0.1:1"
    said = local(
        *("--input", f"{away}/a#a", "--input", f"{away}/b#b", "--output", f"{away}/o#o", "--files", "nofile"),
        *("--cacheFile", f"{away}/c"),
    )
    assert "2 problems:" in said
    assert said.count("HDFS at 127.0.0.1:1 cannot be reached") == 1
    assert "there is no file://" in said


def test_an_output_with_a_slash_is_the_same_output() -> None:
    said = local("--output", "full#a", "--output", "full/#b")
    assert said.count("exists already") == 1


@pytest.mark.parametrize("option", ["--files", "--jars", "--cacheFile", "--cacheArchive", "--archiveFiles"])
def test_no_option_takes_a_device(option: str) -> None:
    assert f"{option}: file:///dev/zero is a character device, not a file" in local(option, "/dev/zero")


def test_a_pipe_is_not_waited_for_as_an_archive() -> None:
    os.mkfifo("pipe")
    with pytest.raises(Bad, match="is not a regular file"):
        inspect(Path("pipe"))


def test_a_folder_that_is_uploaded_holds_files_only(folder: Path) -> None:
    os.mkfifo("full/pipe")
    uri = f"file://{folder}/full"
    status = LocalFileSystem().stat(uri)
    item = Shipped(LocalResource("full", uri), status, upload=True)
    assert check([item], on_yarn=False) == []
    (found,) = check([item], on_yarn=True)
    assert found.message == f"--cacheFile: {uri}/pipe (a named pipe) is no file"


def test_outputs_among_files_of_jobs() -> None:
    for place in ("local/apps", "local/staging/x", "stage/x"):
        assert "where jobs keep files" in local(
            "--conf", "xlearning.staging.dir=stage", "--output", f"{place}#m"
        )
    assert "where jobs keep" not in local("--output", "local/out#m")


def test_outputs_beside_inputs() -> None:
    for pattern, told in (("one/*", True), ("one/", True), ("on", False), ("one/p*", False)):
        said = local("--input", f"{pattern}#data", "--output", "one/out#m")
        assert ("reads it too" in said) is (told and pattern != "on")


def test_good_archives_pass(folder: Path) -> None:
    modes = {"a.tar": "w", "a.tgz": "w:gz", "b.tar.bz2": "w:bz2", "c.tar.xz": "w:xz"}
    for name, mode in modes.items():
        with tarfile.open(name, mode) as tar:  # type: ignore[call-overload]
            tar.add(folder / "full", arcname="full")
            link = tarfile.TarInfo("python")
            link.type, link.linkname = tarfile.SYMTYPE, "/usr/bin/python3"  # as virtual environments have
            tar.addfile(link)
    with zipfile.ZipFile("d.zip", "w") as packed:
        packed.write("train.py")
    aliases = ",".join(f"{name}#{number}" for number, name in enumerate([*modes, "d.zip"]))
    assert "problem" not in local("--archiveFiles", aliases)
    assert "archive" not in local("--archiveFiles", aliases)
