"""What types, formats, transfers and saves say, in Chinese: on its way from a container to the screen."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import messages
import pytest
from job_samples import save

from xlearning.client.console import open_console
from xlearning.client.following.changes import save_line
from xlearning.client.language.catalogue import catalogue
from xlearning.client.language.speaker import Speaker
from xlearning.config import Config
from xlearning.container import ports
from xlearning.container.guardian import ExecFailed, execute
from xlearning.container.paths import inside, write
from xlearning.errors import XLearningError
from xlearning.formats.codecs import registry as codecs
from xlearning.formats.output.registry import output_format
from xlearning.formats.registry import input_format
from xlearning.frameworks import framework, known
from xlearning.frameworks.addresses import numeric
from xlearning.frameworks.base import Crew
from xlearning.job import Member, SaveState

SPEAKER = Speaker(catalogue("zh"), "utf-8")
# Three words of English in a row: no name, value or command of the examples here is that.
ENGLISH = re.compile(r"\b[a-z]+ [a-z]+ [a-z]+\b")
# Sentences that begin with a gap or are commands: what fills it decides what they are.
FILLED = {
    *(
        "…: …",
        "…: …: …",
        "--conf …=BYTES",
        "not installed here … …",
        "… format … is not part of this version",
    ),
    *("… does not name a class", "… has no method …", "…: the Java helper process …"),
    "…: it was not loaded within … s…",
    "--conf xlearning.java.classpath=/path/to/hadoop/share/hadoop/common/*:...",
}


@pytest.mark.parametrize("room", ["xlearning/formats", "xlearning/frameworks"])
def test_every_error_of_formats_and_types_is_translated(room: str) -> None:
    found = {text for _, _, text in messages.sentences(room)}
    assert [text for text in found - FILLED if not messages.translated(text, SPEAKER)] == []


@pytest.mark.parametrize("name", known())
def test_what_a_type_refuses_or_tells_is_translated(name: str) -> None:
    type_, config = framework(name), Config.from_properties({"xlearning.tf.coordinator": "true"})
    told = [text for pair in type_.problems(Crew(2, 0, False), config) for text in pair]
    told += type_.notes(Crew(2, 0, False), config)
    assert [text for text in told if ENGLISH.search(SPEAKER.sentence(text))] == []


def _start(*command: bytes) -> Callable[[Path], None]:
    def run(_: Path) -> None:
        try:
            execute(list(command), {b"PATH": b"/none"})
        except ExecFailed as error:
            raise XLearningError(error.words) from error

    return run


def _write_over_a_folder(folder: Path) -> None:
    (folder / "list").mkdir()
    write(folder, "list", "")


@pytest.mark.parametrize(
    "fails",
    [
        lambda _: codecs.find("a.gz", b"not gzip at all"),
        lambda _: codecs.find("a.gz", b"\x28\xb5\x2f\xfd"),
        lambda _: codecs.find("a", b"\xff\x06\x00\x00sNaPpY"),
        lambda _: input_format("none", Config.from_properties({})),
        lambda _: output_format("none", Config.from_properties({})),
        lambda _: input_format("no_such_module:Format", Config.from_properties({})),
        lambda _: output_format("no_such_module:Format", Config.from_properties({})),
        lambda _: input_format("json:Format", Config.from_properties({})),
        lambda _: output_format("json:JSONDecoder", Config.from_properties({})),
        lambda _: input_format("a b:Format", Config.from_properties({})),
        lambda _: input_format("fixed", Config.from_properties({})),
        lambda _: input_format(
            "text", Config.from_properties({"xlearning.inputformat.text.delimiter": r"\q"})
        ),
        lambda _: framework("X", "no_such_module:Type"),
        lambda _: framework("X", "json:JSONDecoder"),
        lambda _: numeric(
            Member("a", (1,), "127.0.1.1"),
            {"worker": (Member("a", (1,), "127.0.1.1"), Member("b", (1,), "10.0.0.2"))},
        ),
        lambda _: ports.reserve("127.0.0.1", 1, 70000, 70001),
        lambda _: ports.reserve("127.0.0.1", 3, 1, 2),
        lambda folder: inside(folder, "../x", "output folder"),
        _write_over_a_folder,
        _start(b"no-such-program"),
        _start(b"/"),
        _start(b"/etc/passwd"),
    ],
)
def test_an_error_is_told_with_its_way_out(fails: Callable[[Path], object], tmp_path: Path) -> None:
    with pytest.raises(XLearningError) as caught:
        fails(tmp_path)
    assert not ENGLISH.search(SPEAKER.error(caught.value)), SPEAKER.error(caught.value)


@pytest.mark.parametrize(
    ("reason", "chinese"),
    [
        (
            "its input could not be read: hdfs://h:9/a.gz at byte 17: "
            "the gzip data ends too early: the file is not complete",
            "无法读取其输入：hdfs://h:9/a.gz 的第 17 字节处：gzip 数据过早结束：文件不完整",
        ),
        (
            "its input could not be read: file:///a at byte 0: "
            "damaged file: it does not begin as an Avro file does",
            "无法读取其输入：file:///a 的第 0 字节处：文件已损坏：其开头不是 Avro 文件",
        ),
        (
            "its output could not be written: part-r-00000: somebody has deleted a of 3 parts",
            "无法写出其输出：part-r-00000：3 个部分中的 a 已被他人删除",
        ),
        (
            "exited with code 3; its output could not be uploaded: output folders hold equal names: a, b",
            "退出码 3；且无法上传其输出：多个输出目录中有同名文件：a, b",
        ),
        (
            "it could not be prepared: docker pull img1 failed: it answers 404",
            "准备失败：docker pull img1 失败：it answers 404",
        ),
        ("docker run failed (exit code 125)", "docker run 失败（退出码 125）"),
        (
            "worker:1 cannot be launched: application type m:C: setup(): no program can have a variable =1",
            None,
        ),
        ("out of memory: 900 of 1024 MB; --worker-memory (xlearning.worker.memory) gives it more", None),
        ("killed by me: from the job page", "被 me 终止：从作业页面"),
    ],
)
def test_why_a_container_failed(reason: str, chinese: str | None) -> None:
    told = SPEAKER.line(f"a_1 FAILED after 5s: worker:1 (c_1 on h): {reason}")
    assert told.startswith("a_1 FAILED，用时 5s：worker:1（c_1，h）：")
    assert told.endswith(chinese or "") and not ENGLISH.search(told), told


def test_lines_of_mpi_on_the_screen_are_translated_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    stream = io.StringIO()
    console = open_console(stream)
    lines = [
        "    | xlearning: worker:1: rank 3 ended with exit code 2",
        "    | xlearning: zz is a file of mine",
        "    | rank 3 ended with exit code 2",
    ]
    console.block(lines, good=False)
    assert stream.getvalue().splitlines() == [
        "    | xlearning: worker:1：rank 3 以退出码 2 结束",
        "    | xlearning: zz is a file of mine",
        "    | rank 3 ended with exit code 2",
    ]


@pytest.mark.parametrize("files", [1, 2])
def test_a_save_that_failed(files: int) -> None:
    failed = save(
        1,
        SaveState.FAILED,
        files=files,
        failures=(
            "worker:0 (c_1 on h): the program did not confirm that its files are whole within 5 s (key)",
        ),
        notes=("3 files are unchanged and lie in earlier saves, see _manifest.json",),
    )
    assert not ENGLISH.search(SPEAKER.lines(save_line(failed)))
