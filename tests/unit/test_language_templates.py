"""Sentences with gaps: found by what is fixed in them; what stands in a gap comes out as it went in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from xlearning.client.language.templates import Index, Template


def small(**texts: str) -> Index:
    return Index(Template.of(source.replace("_", " "), target) for source, target in texts.items())


def say(index: Index, text: str) -> str:
    return index.translate(text, {}.get) or text


def test_what_stands_in_a_gap_is_passed_on_as_it_is() -> None:
    index = small(**{"there is no file {uri}": "没有文件 {uri}"})
    assert say(index, "there is no file {uri}\\1 \n") == "没有文件 {uri}\\1 \n"
    assert say(index, "there is no file there is no file x") == "没有文件 there is no file x"
    assert say(index, "there is no file ") == "there is no file "
    assert say(index, "say: there is no file x") == "say: there is no file x"


def test_gaps_may_change_places() -> None:
    index = small(**{"{name} is in {folder}": "在 {folder} 中有 {name}"})
    assert say(index, "a is in b") == "在 b 中有 a"


def test_the_sentence_with_the_most_fixed_words_wins() -> None:
    index = small(**{"no {what}": "甲 {what}", "no queue {what}": "乙 {what}", "{a} queue {b}": "丙 {a} {b}"})
    assert say(index, "no queue x") == "乙 x"
    assert say(index, "no way") == "甲 way"


def test_a_gap_called_why_holds_a_sentence() -> None:
    index = small(**{"{path} failed: {why}": "{path} 失败：{why}", "no room on {host}": "{host} 空间不足"})
    assert say(index, "no file failed: no room on h") == "no file 失败：h 空间不足"
    assert say(index, "a failed: who knows") == "a 失败：who knows"


def test_the_sentence_that_knows_the_text_from_the_earliest_place_on_wins() -> None:
    """What comes later may be a cause; the sentence around it must not be lost in a gap of the cause's."""
    index = small(
        **{
            "{job} failed: {why}": "{job} 失败：{why}",
            "{path} holds what no file system can store: {names}": "{path} 有无法存储的内容：{names}",
            "its output is lost: {why}": "其输出丢失：{why}",
        }
    )
    cause = "a b holds what no file system can store: c"
    told = say(index, f"j failed: its output is lost: {cause}")
    assert told == "j 失败：其输出丢失：a b 有无法存储的内容：c"


def test_a_gap_for_one_word_takes_no_more() -> None:
    index = small(
        **{
            "{count} of {total} failed": "{total} 中 {count} 失败",
            "{job} is over: {why}": "{job} 结束：{why}",
        }
    )
    assert say(index, "2 of 3 failed") == "3 中 2 失败"
    assert say(index, "j is over: 2 of 3 failed") == "j 结束：3 中 2 失败"
    assert index.find("j 2 of 3 failed") is None


def test_a_gap_called_option_takes_an_option() -> None:
    index = small(**{"{option}: {why}": "{option}: {why}", "no room": "空间不足"})
    assert say(index, "--files: no room") == "--files: no room"  # texts without gaps are looked up elsewhere
    assert index.translate("--files: no room", {"no room": "空间不足"}.get) == "--files: 空间不足"
    assert index.find("my files: no room") is None


@given(st.text(min_size=1), st.text(min_size=1))
def test_any_text_survives_in_a_gap(first: str, second: str) -> None:
    index = small(**{"|{a}|is not|{b}|": "«{b}»{a}»"})
    if "|" not in first + second:
        assert say(index, f"|{first}|is not|{second}|") == f"«{second}»{first}»"
