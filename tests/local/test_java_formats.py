"""Java classes as input formats: read by Hadoop's own code, in a helper process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from places import Place
from submitting import Gateway

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.base import Cutting, InputFormat
from xlearning.formats.java import input as java
from xlearning.formats.registry import input_format
from xlearning.formats.source import Files
from xlearning.fs import FileSystems
from xlearning.job import InputSplit

pytestmark = pytest.mark.hadoop

OLD = "org.apache.hadoop.mapred.TextInputFormat"
NEW = "org.apache.hadoop.mapreduce.lib.input.TextInputFormat"
NAMES = ("a b", "x,y", "p[1]*?{c}", "back\\slash", "100%", "é")
UPPER = """
package example;
import java.io.IOException;
import org.apache.hadoop.io.*;
import org.apache.hadoop.mapreduce.*;
import org.apache.hadoop.mapreduce.lib.input.*;
public class Upper extends FileInputFormat<LongWritable, Text> {
  public RecordReader<LongWritable, Text> createRecordReader(InputSplit split, TaskAttemptContext context) {
    return new LineRecordReader() {
      public Text getCurrentValue() {
        String line = super.getCurrentValue().toString();
        if (line.startsWith("bad")) throw new IllegalStateException("found " + line);
        return new Text(line.toUpperCase());
      }
    };
  }
}
"""


@pytest.fixture
def classes(hadoop: MiniHadoop) -> str:
    command = [str(hadoop.layout.bin / "hadoop"), "classpath"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    java.release()


def made(name: str, classes: str, **properties: str) -> InputFormat:
    given = {"xlearning.inputformat.java": "true", "xlearning.java.classpath": classes, **properties}
    return input_format(name, Config.from_properties(given))


@pytest.mark.parametrize("name", [OLD, NEW])
def test_hadoops_text_gives_every_line_once(name: str, classes: str, tmp_path: Path) -> None:
    for file in NAMES:
        (tmp_path / file).write_bytes(
            b"".join(b"%d %s\r\n" % (n, file.encode()) for n in range(500)) + b"end"
        )
    fss = FileSystems("file://")
    files, reading = list(fss.of("file:///").walk(tmp_path.as_uri())), Files(fss)
    assert len(files) == len(NAMES)
    cutting = Cutting(maximum=1000)
    theirs = made(name, classes)
    splits = theirs.splits(files, cutting, reading)
    assert len(splits) >= (5 * len(NAMES) if name == NEW else len(NAMES))
    assert {split.uri for split in splits} == {file.path for file in files}
    ours = input_format("text", Config.from_properties({}))
    for split in splits:
        same = InputSplit(split.uri, split.start, split.length, split.size)
        assert list(ours.records(same, reading)) == list(theirs.records(split, reading))
    got = [record[1] for split in splits for record in theirs.records(split, reading)]
    wanted = [line for file in NAMES for line in (tmp_path / file).read_bytes().split(b"\r\n")]
    assert sorted(got) == sorted(wanted)


def test_classes_that_cannot_be_used(classes: str) -> None:
    reading = Files(FileSystems("file://"))
    for name, words in {
        "org.example.NoSuch": "there is no Java class org.example.NoSuch",
        "org.apache.hadoop.mapred.FileInputFormat": "is abstract",
        "java.lang.String": "is not an InputFormat",
    }.items():
        with pytest.raises(UsageError, match=words):
            made(name, classes).splits([], Cutting(), reading)


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


@pytest.mark.parametrize("place", ["local"], indirect=True)
def test_a_class_in_a_jar_of_the_job(classes: str, place: Place, gateway: Gateway, tmp_path: Path) -> None:
    if not shutil.which("javac"):
        pytest.skip("there is no javac")
    source = tmp_path / "Upper.java"
    source.write_text(UPPER)
    subprocess.run(["javac", "-cp", classes, "-d", str(tmp_path / "c"), str(source)], check=True)
    jar = tmp_path / "upper.jar"
    subprocess.run(["jar", "cf", str(jar), "-C", str(tmp_path / "c"), "."], check=True)
    place.write("in/a b", b"one\ntwo\n")
    common = ("--input-strategy", "stream", "--inputformat", "example.Upper", "--jars", jar)
    common = (*common, "--conf", f"xlearning.java.classpath={classes}", "--worker-num", 1)
    ran = gateway.submit(
        *("--input", place.at("in"), "--output", f"{place.at('out')}#out", *common),
        *("--", "bash", "-c", "cat > out/got"),
    )
    assert ran.code == 0, ran.err
    [name] = [name for name in place.tree("out") if name.endswith("got")]
    assert place.read(f"out/{name}") == b"ONE\nTWO\n"
    place.write("in/z", b"bad\n")
    ran = gateway.submit("--input", place.at("in"), *common, "--", "cat")
    assert ran.code != 0
    assert "IllegalStateException: found bad" in ran.err
    assert "example.Upper" in ran.err
    gateway.nothing_is_left()
