"""Java classes as formats: read and written by Hadoop's own code, in a helper process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import java_jar
import psutil
import pytest
from minihadoop import MiniHadoop
from places import Place
from submitting import Gateway, wait_for

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats import libraries
from xlearning.formats.base import Cutting, InputFormat
from xlearning.formats.java import classpath
from xlearning.formats.java import input as java
from xlearning.formats.java.starting import start
from xlearning.formats.output.base import RecordWriter
from xlearning.formats.output.registry import output_format
from xlearning.formats.registry import input_format
from xlearning.formats.source import Files
from xlearning.fs import FileSystems
from xlearning.job import InputSplit

pytestmark = pytest.mark.hadoop

OLD = "org.apache.hadoop.mapred.TextInputFormat"
NEW = "org.apache.hadoop.mapreduce.lib.input.TextInputFormat"
NAMES = ("a b", "x,y", "p[1]*?{c}", "back\\slash", "100%", "é")


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    java.release()
    classpath.offer(())


class Parts:
    """A folder; see `xlearning.formats.output.base.Parts`."""

    def __init__(self, folder: Path, limit: int = 1 << 20) -> None:
        self.folder, self.limit = folder, limit
        self.names: list[str] = []

    def create(self, ending: str = "") -> BinaryIO:
        self.names.append(f"{len(self.names)}{ending}")
        return (self.folder / self.names[-1]).open("xb")


def made(name: str, classes: str, **properties: str) -> InputFormat:
    return input_format(name, settings(classes, **properties))


def settings(classes: str, **properties: str) -> Config:
    forced = {f"xlearning.{way}putformat.java": "true" for way in ("in", "out")}
    forced |= {"xlearning.java.classpath": classes, "xlearning.java.options": java_jar.QUICK}
    return Config.from_properties({**forced, **properties})


def written(name: str, config: Config, parts: Parts, *batches: list[bytes]) -> list[str]:
    writer = cast(RecordWriter, output_format(name, config).writer(parts))
    for batch in batches:
        writer.write(batch)
    writer.close()
    return parts.names


def values(format_: InputFormat, folder: Path, cutting: Cutting = Cutting()) -> list[bytes]:  # noqa: B008
    fss = FileSystems("file://")
    reading = Files(fss)
    splits = format_.splits(list(fss.of("file:///").walk(folder.as_uri())), cutting, reading)
    return [value for split in splits for _, value in format_.records(split, reading)]


@pytest.mark.parametrize("name", [OLD, NEW])
def test_hadoops_text_gives_every_line_once(name: str, classes: str, tmp_path: Path) -> None:
    for file in NAMES:
        (tmp_path / file).write_bytes(b"".join(b"%d %s\r\n" % (n, file.encode()) for n in range(15)) + b"end")
    (tmp_path / "mixed").write_bytes(b"\xef\xbb\xbfone\r\n\ntwo\r\xff\n\r\rlast")
    fss = FileSystems("file://")
    files, reading = list(fss.of("file:///").walk(tmp_path.as_uri())), Files(fss)
    assert len(files) == len(NAMES) + 1
    cutting = Cutting(minimum=1, maximum=4)
    theirs = made(name, classes)
    splits = theirs.splits(files, cutting, reading)
    assert len(splits) >= (20 * len(NAMES) if name == NEW else len(files))
    assert {split.uri for split in splits} == {file.path for file in files}
    ours = input_format("text", Config.from_properties({}))
    for split in splits:
        same = InputSplit(split.uri, split.start, split.length, split.size)
        assert list(ours.records(same, reading)) == list(theirs.records(split, reading))
    got = [record[1] for split in splits for record in theirs.records(split, reading)]
    wanted = [line for file in NAMES for line in (tmp_path / file).read_bytes().split(b"\r\n")]
    assert sorted(got) == sorted([*wanted, b"one", b"", b"two", b"\xff", b"", b"", b"last"])


@pytest.mark.parametrize("old", [True, False])
def test_sequence_files_both_ways(old: bool, classes: str, tmp_path: Path) -> None:
    """Java writes what we read, and reads what it wrote, equal to the bytes."""
    records = [bytes({*range(256)} - {10}), b"", b"a\r", b"x" * 100_000, *(b"%d" % n for n in range(3000))]
    package = "org.apache.hadoop." + ("mapred." if old else "mapreduce.lib.")
    kinds = ("", "") if old else ("input.", "output.")
    config = settings(classes, **{"xlearning.outputformat.codec": "gzip"})
    parts = Parts(tmp_path, limit=50_000)
    names = written(f"{package}{kinds[1]}SequenceFileOutputFormat", config, parts, records[:7], records[7:])
    assert names == ["0", "1"]
    ours = values(input_format("sequencefile", config), tmp_path)
    assert ours == values(made(f"{package}{kinds[0]}SequenceFileInputFormat", classes), tmp_path)
    assert ours == records


def test_text_is_written_in_parts(classes: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    config = settings(classes)
    parts = Parts(tmp_path / "out", limit=3)
    names = written("org.apache.hadoop.mapred.TextOutputFormat", config, parts, [b"a", b"\xffbc", b"d"])
    assert [(tmp_path / "out" / name).read_bytes() for name in names] == [b"a\n\xffbc\n", b"d\n"]
    assert written("org.apache.hadoop.mapred.TextOutputFormat", config, Parts(tmp_path)) == ["0"]
    assert (tmp_path / "0").read_bytes() == b""


def test_classes_that_cannot_be_used(classes: str, jar: Path, tmp_path: Path) -> None:
    classpath.offer([str(jar)])
    with pytest.raises(UsageError, match=r"there is no Java class org\.example\.NoSuch"):
        made("org.example.NoSuch", classes).splits([], Cutting(), Files(FileSystems("file://")))
    order: dict[str, object] = {"do": "input", "class": NEW, "properties": {}}
    with contextlib.closing(start("input format", settings(classes), order)) as helper:
        for name, words in {
            "org.apache.hadoop.mapred.FileInputFormat": "is abstract",
            "java.lang.String": "is not an InputFormat",
            "example.Needy": "example.Needy has no constructor without arguments",
        }.items():
            with pytest.raises(UsageError, match=words):
                helper.ask(**{**order, "class": name})
    with pytest.raises(UsageError, match=f"output format {OLD}: {OLD} is not an OutputFormat"):
        output_format(OLD, settings(classes)).writer(Parts(tmp_path))


def test_without_java_or_jpype(classes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {"jpype1": libraries._Library("java", ("no_such_module",))}
    with monkeypatch.context() as patch:
        patch.setattr(libraries, "_LIBRARIES", missing)
        with pytest.raises(UsageError) as caught:
            output_format("a.B", settings(classes)).writer(Parts(tmp_path))
    assert "jpype1" in caught.value.message
    assert caught.value.hint == "pip install 'xlearning[java]'"
    broken = tmp_path / "sitecustomize.py"
    broken.write_text(
        "import jpype\n"
        "def no(*a, **k): raise jpype.JVMNotFoundException('no libjvm.so')\n"
        "jpype.startJVM = no\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(UsageError, match="there is no Java on this machine: set JAVA_HOME"):
        output_format("a.B", settings(classes)).writer(Parts(tmp_path))


def test_the_helper_ends_with_its_parent() -> None:
    code = (
        "import sys; from xlearning.formats.java.process import Helper; "
        "print(Helper('x').pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as it:
        assert it.stdout is not None
        helper = psutil.Process(int(it.stdout.readline()))
        it.kill()
        wait_for(lambda: not helper.is_running() or helper.status() == psutil.STATUS_ZOMBIE)


def test_helpers_of_other_jars_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    class Idle:
        def batches(self, *_: str) -> Iterator[bytes]:
            return iter(())

        def close(self) -> None:
            """It has no process."""

    started: list[Idle] = []
    monkeypatch.setattr(java, "start", lambda *_, **__: started.append(Idle()) or started[-1])
    split, reading = InputSplit("file:///a", 0, 1, 1, data='["", ""]'), Files(FileSystems("file://"))
    for jars, count in ((), 1), ((), 1), (("a.jar",), 2), (("a.jar",), 2):
        classpath.offer(jars)
        assert not list(made(OLD, "").records(split, reading))
        assert len(started) == count
    list(made(OLD, "", **{"some.key": "other"}).records(split, reading))
    assert len(started) == 3


def test_a_killed_helper_is_an_error(classes: str, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"some line\n" * 50_000)
    fss = FileSystems("file://")
    format_, reading = made(OLD, classes), Files(fss)
    [split] = format_.splits(list(fss.of("file:///").walk(tmp_path.as_uri())), Cutting(), reading)
    list(format_.records(split, reading))
    ((helper,),) = java._idle.values()
    records = format_.records(split, reading)
    next(records)
    os.kill(helper.pid, signal.SIGKILL)
    with pytest.raises(UsageError, match="killed by signal 9"):
        list(records)
    assert not any(java._idle.values())


@pytest.mark.parametrize("word", ["full", "late"])
def test_a_writer_that_fails(word: str, classes: str, jar: Path, tmp_path: Path) -> None:
    """In the middle of a part, or when it is closed."""
    classpath.offer([str(jar)])
    config, parts = settings(classes), Parts(tmp_path, limit=100)
    with pytest.raises(UsageError, match=f"Brackets: java.io.IOException: no more room for {word}"):
        written("example.Brackets", config, parts, [b"x" * 200], [b"one", word.encode()])
    assert parts.names == ["0.brackets"]


@pytest.mark.parametrize("place", ["local"], indirect=True)
def test_classes_in_a_jar_of_the_job(hadoop: MiniHadoop, jar: Path, place: Place, gateway: Gateway) -> None:
    """Hadoop's classes are where HADOOP_HOME says."""
    gateway.environment["HADOOP_HOME"] = str(hadoop.layout.root)
    gateway.properties["xlearning.java.options"] = java_jar.QUICK
    lines = [b"%s %d\n" % (name, n) for name in (b"a", b"b", b"c") for n in range(3000)]
    for number, name in enumerate(("a b", "b", "c")):
        place.write(f"in/{name}", b"".join(lines[3000 * number : 3000 * (number + 1)]))
    place.write("lib/own.jar", jar.read_bytes())
    common = ("--input-strategy", "stream", "--worker-num", 1, "--input", place.at("in"))
    output = ("--output-strategy", "stream", "--outputformat", "example.Brackets")
    ran = gateway.submit(
        *(*common, "--inputformat", "example.Upper", "--cacheFile", place.at("lib/own.jar")),
        *("--conf", "xlearning.input.split.number=6", "--conf", "xlearning.input.reader.threads=2"),
        *(*output, "--output", place.at("out"), "--", "cat"),
    )
    assert ran.code == 0, ran.err
    assert place.tree("out").keys() == {"_SUCCESS", "part-r-00000.brackets"}
    wanted = b"".join(b"[%s]\n" % line.strip().upper() for line in lines)
    assert place.read("out/part-r-00000.brackets") == wanted
    place.write("in/z", b"bad\n")
    ran = gateway.submit(
        *(*common, "--conf", "xlearning.input.reader.threads=1"),
        *("--jars", jar, "--inputformat", "example.Lower", "--", "cat"),
    )
    assert ran.code != 0
    assert "IllegalStateException: found bad" in ran.err
    assert "example.Lower" in ran.err
    ran = gateway.submit(
        *(*output, "--output", place.at("none"), "--jars", jar, "--worker-num", 1),
        *("--conf", "xlearning.outputformat.part.size=1k"),
        *("--", "bash", "-c", "seq 2000; echo full house; sleep 1000"),
    )
    assert ran.code == 2
    assert "its output could not be written" in ran.err
    assert "output format example.Brackets: java.io.IOException: no more room for full house" in ran.err
    assert not place.exists("none")
    gateway.nothing_is_left()
