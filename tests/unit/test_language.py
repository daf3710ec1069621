"""Messages in the user's language: which one, how sentences are found, and that the catalogue is sound."""

from __future__ import annotations

import functools
import importlib
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import preflight_table
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.client.answers import table
from xlearning.client.cli import VERBS, option_text, submit
from xlearning.client.console import open_console
from xlearning.client.following.changes import state_word
from xlearning.client.language.catalogue import catalogue, entries, files, read_po
from xlearning.client.language.choice import said, wanted
from xlearning.client.language.speaker import Speaker
from xlearning.client.language.width import columns, wrapped
from xlearning.client.options import OPTIONS
from xlearning.client.problems import Problem, refuse
from xlearning.errors import UsageError
from xlearning.job import ContainerState

CHINESE = catalogue("zh")
GAP = re.compile(r"(?<!\$)\{[a-z][a-z0-9_]*\}")
SPEAKER = Speaker(CHINESE, "utf-8")


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, ""),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "zh_TW.Big5"}, "zh"),
        ({"LANG": "zh-Hans"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, ""),
        ({"LANG": "de_DE.UTF-8"}, ""),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, ""),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, ""),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "fr:zh_CN:en"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "en:zh"}, ""),
        ({"LANG": "C", "LANGUAGE": "zh"}, ""),
        ({"LANGUAGE": "zh"}, ""),
    ],
)
def test_which_language_is_wanted(environ: Mapping[str, str], language: str) -> None:
    assert wanted(environ) == language


# Words, since a template with gaps may be only "... is a file".
@given(st.text(st.characters(exclude_categories=["Z", "C"])))
def test_what_is_not_known_stays_as_it_is(text: str) -> None:
    assert SPEAKER.sentence(f"zz{text}") == f"zz{text}"
    assert SPEAKER.line(f"    {text}") == f"    {text}"


def test_a_long_text_takes_no_long_time() -> None:
    for text in ("there is no " * 400_000, " " * 4_000_000, "\n" * 400_000):
        assert SPEAKER.sentence(text) == text
        assert text in SPEAKER.sentence(f"unknown option --{text.replace(' ', '_')}x").replace("_", " ")


def test_both_sides_have_the_same_gaps() -> None:
    for source, target in entries("zh"):
        assert sorted(GAP.findall(source)) == sorted(GAP.findall(target)), source


def test_no_sentence_stands_there_twice() -> None:
    shapes = [GAP.sub("{}", source) for source, _ in entries("zh")]
    assert [shape for shape in set(shapes) if shapes.count(shape) > 1] == []


def test_every_sentence_with_gaps_is_found_and_by_no_other() -> None:
    for template in CHINESE.index:
        assert len(set(template.gaps)) == len(template.gaps)
        assert all(template.fixed[1:-1]), "two gaps without anything between them"
        values = {name: f"--<{name}>" for name in template.gaps}
        made = GAP.sub(lambda gap, values=values: values[gap[0][1:-1]], template.source)
        assert CHINESE.index.find(made) == (template, values)


def test_chinese_terminals_of_all_kinds_can_show_it() -> None:
    for source, target in entries("zh"):
        target.encode("gb18030")
        target.encode("gbk")
        assert target == target.strip() or source != source.strip(), target


def test_the_files_are_read_strictly(tmp_path: Path) -> None:
    assert len(files("zh")) > 0
    path = tmp_path / "x.po"
    path.write_text('msgid "a\\"b"\n"\\n"\nmsgstr "c"\n\n# x\nmsgid "d"\nmsgstr ""\n', encoding="utf-8")
    assert list(read_po(path)) == [('a"b\n', "c"), ("d", "")]
    path.write_text('msgid "a"\nmsgid_plural "b"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"x\.po:2: not understood"):
        list(read_po(path))


def help_texts() -> Iterator[str]:
    yield from (submit._INTRO, *submit._NOTES, *(text for _, text in submit.VERB_HELP))
    for option in OPTIONS:
        yield option.group
        yield option.help
        yield option_text.remark(option)
    for verb in VERBS - {"submit"}:
        module = importlib.import_module(f"xlearning.client.cli.{verb}")
        command = next(one for one in vars(module).values() if isinstance(one, click.Command))
        assert command.help is not None
        yield command.help
        yield from (part for part in (command.epilog or "").split("\n\n") if not part.startswith("\b"))
        yield from (one.help or "" for one in command.params if isinstance(one, click.Option))


def test_all_help_is_translated() -> None:
    assert [text for text in {*help_texts()} - {"", "TensorBoard"} if SPEAKER.sentence(text) == text] == []


def overlap(one: str, other: str) -> bool:
    """Whether some text fits both of two patterns in which … stands for anything."""

    @functools.cache
    def rest(i: int, j: int) -> bool:
        if i == len(one) or j == len(other):
            return set(one[i:] + other[j:]) <= {"…"}
        if one[i] == "…":
            return rest(i + 1, j) or rest(i, j + 1)
        if other[j] == "…":
            return rest(i, j + 1) or rest(i + 1, j)
        return one[i] == other[j] and rest(i + 1, j + 1)

    return rest(0, 0)


def test_all_rows_of_the_preflight_table_are_translated() -> None:
    known = [GAP.sub("…", source) for source, _ in entries("zh")]
    known = [text for text in known if len(text.replace("…", "").strip(": ")) > 4]
    for section in ("On every back end", "On YARN", "On a secure cluster"):
        for cell in filter(None, (cell for row in preflight_table.rows(section).values() for cell in row)):
            assert any(overlap(cell, text) for text in known), cell


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")


@pytest.mark.usefixtures("chinese")
def test_help_is_told_in_columns_that_fit(capsys: pytest.CaptureFixture[str]) -> None:
    submit.submit.main(["--help-all"], standalone_mode=False, max_content_width=90, terminal_width=90)
    assert max(map(columns, capsys.readouterr().out.splitlines())) <= 90


@given(st.text(alphabet="ab 中文，（）。"), st.integers(4, 20))
def test_lines_are_broken_where_they_may_be(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        assert line == line.strip()
        assert columns(line) <= width or len(line.split()) == 1


@pytest.mark.usefixtures("chinese")
def test_problems_are_told_one_by_one() -> None:
    with pytest.raises(UsageError) as caught:
        refuse(
            [
                Problem("there is no command to run", "correct the path"),
                Problem("zz\n  fix: correct the path"),
            ]
        )
    english = str(caught.value)
    assert english.startswith("2 problems:\n  1. there is no command")
    told = said(caught.value)
    assert told.startswith("2 个问题：\n  1. ")
    assert told.endswith("  2. zz\n       fix: correct the path"), "text of users stays as it is"


@pytest.mark.usefixtures("chinese")
def test_a_stream_that_cannot_show_it_is_told_in_english() -> None:
    for encoding, chinese_shown in (("ascii", False), ("latin-1", False), ("gbk", True), ("utf-8", True)):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        open_console(stream).error("unknown option --x")
        stream.seek(0)
        assert ("未知选项 --x" in stream.read()) == chinese_shown


@pytest.mark.usefixtures("chinese")
def test_lines_of_programs_stay_as_they_are() -> None:
    stream = io.StringIO()
    console = open_console(stream)
    console.output(["unknown option --x"])
    console.block(["unknown option --x", "    | unknown option --x"], good=False)
    assert stream.getvalue().splitlines() == [
        "unknown option --x",
        "未知选项 --x",
        "    | unknown option --x",
    ]


def test_every_state_of_a_container_has_a_word() -> None:
    words = {state_word(state) for state in ContainerState} | {"waiting"}
    assert {word for word in words if SPEAKER.word(word) == word} == set()


def test_the_panel_keeps_its_columns() -> None:
    panel = (
        "application_1_0001  RUNNING for 25s\n  [####....] 42%  about 35s left\n  ps      1 running\n"
        "  worker  1 running, 1 waiting\n    worker:0  running    42%  1.2 GiB of 4.0 GiB  node-7\n"
        "  waiting for 1 container for 20s: YARN has no node that runs"
    )
    assert SPEAKER.panel(panel).split("\n") == [
        "application_1_0001  RUNNING，已 25s",
        "  [####....] 42%  约剩 35s",
        "  ps      1 运行中",
        "  worker  1 运行中, 1 等待中",
        "    worker:0  运行中     42%  1.2 GiB of 4.0 GiB  node-7",
        "  等待 1 个容器，已 20s：YARN 没有运行中的节点",
    ]


@pytest.mark.usefixtures("chinese")
def test_what_is_said_of_a_job() -> None:
    stream = io.StringIO()
    console = open_console(stream)
    console.info(
        "Submitted XLearning-1 (worker 2) as application_1_0001\n  Kill:   xl-submit kill application_1_0001"
    )
    console.info("SUBMITTED · worker: 1 running, 1 waiting · 42%")
    console.warn("--env A is given twice: the last counts")
    console.meter(1, 2048)
    console.block(
        [
            "application_1_0001 FAILED after 5.0s: worker:1 (container_1 on node-7): exit code 3",
            "  First to fail: worker:1 (container_1 on node-7)",
            "  Its last 2 lines:",
            "    | application_1_0001 FAILED after 5.0s",
            "  hint: a native library crashed; the log may name it",
        ],
        good=False,
    )
    said = re.sub(r"^\d{4}-\d\d-\d\d [\d:]+ ", "", stream.getvalue(), flags=re.MULTILINE)
    assert said.splitlines() == [
        "INFO  已提交 XLearning-1（worker 2），应用 ID：application_1_0001",
        "  终止： xl-submit kill application_1_0001",
        "INFO  SUBMITTED · worker: 1 运行中, 1 等待中 · 42%",
        "WARN  --env A 给出了两次：以最后一个为准",
        "INFO  正在上传 1 个文件，2.0 KiB",
        "application_1_0001 FAILED，用时 5.0s：worker:1（container_1，node-7）：退出码 3",
        "  最先失败：worker:1（container_1，node-7）",
        "  最后 2 行：",
        "    | application_1_0001 FAILED after 5.0s",
        "  提示： 某个本地库崩溃；日志中可能有其名称",
    ]


@pytest.mark.usefixtures("chinese")
def test_columns_of_tables_stand_below_each_other() -> None:
    lines = table(("ROLE", "HOST", "MEMORY"), [("worker:0", "主机甲", "1 GiB"), ("ps:0", "a", "2 GiB")])
    assert lines == ["角色      主机    内存", "worker:0  主机甲  1 GiB", "ps:0      a       2 GiB"]
