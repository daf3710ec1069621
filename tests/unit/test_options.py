"""The option table and the rules by which a command line is taken apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.client.api.job import Job
from xlearning.client.options import OPTIONS, Takes, camel
from xlearning.client.scan import Scan, scan
from xlearning.config import lookup


def messages(line: Scan) -> list[str]:
    return [problem.message for problem in line.problems]


def test_options_set_properties_of_the_table_one_each() -> None:
    names = [option.key for option in OPTIONS if option.key]
    assert len(set(names)) == len(names)
    assert [key.name for name in names if (key := lookup(name))] == names


def test_groups_are_contiguous() -> None:
    groups = [option.group for option in OPTIONS]
    assert len(dict.fromkeys(groups)) == sum(a != b for a, b in zip(groups, ["", *groups], strict=False))


@pytest.mark.parametrize(
    ("dashed", "expected"), [("worker-num", "workerNum"), ("cacheFile", "cacheFile"), ("am-cores", "amCores")]
)
def test_camel(dashed: str, expected: str) -> None:
    assert camel(dashed) == expected


@pytest.mark.parametrize("word", ["--worker-num", "-worker-num", "--workerNum", "-workerNum"])
@pytest.mark.parametrize("inline", [True, False])
def test_value_in_all_spellings(word: str, inline: bool) -> None:
    line = scan([f"{word}=3"] if inline else [word, "3"])
    assert not line.problems
    assert line.properties() == {"xlearning.worker.num": ("3", word)}


def test_equals_signs_stay_in_values() -> None:
    line = scan(["--conf", "k=a=b", "-c", "x=y==", "--conf=p=q=r", "--input=/a=b#c"])
    assert line.many("conf") == ("k=a=b", "x=y==", "p=q=r")
    assert line.many("input") == ("/a=b#c",)


def test_the_command_is_untouched() -> None:
    words = ["python", "train.py", "--worker-num", "9", "", "a b", '"q"', "--", "-x", "--help"]
    line = scan(["--worker-num", "2", *words])
    assert line.command == tuple(words)
    assert line.one("worker-num") == "2"
    assert not line.given("help")


def test_double_dash_starts_the_command() -> None:
    line = scan(["--worker-num", "2", "--", "--odd-program", "--worker-num", "3"])
    assert line.command == ("--odd-program", "--worker-num", "3")
    assert not line.problems


def test_a_single_dash_is_a_word() -> None:
    assert scan(["-", "x"]).command == ("-", "x")


def test_unknown_option_with_a_suggestion() -> None:
    line = scan(["--wroker-num", "3", "--ps-num", "1", "python", "t.py"])
    assert messages(line) == ["unknown option --wroker-num"]
    assert "--worker-num" in line.problems[0].fix
    assert line.one("ps-num") == "1"
    assert line.command == ("python", "t.py")


def test_unknown_option_without_a_suggestion_takes_no_value() -> None:
    line = scan(["--zzzzzz", "python", "t.py"])
    assert messages(line) == ["unknown option --zzzzzz"]
    assert line.command == ("python", "t.py")


def test_all_problems_at_once() -> None:
    line = scan(
        ["--nosuchthing=1", "--worker-num", "--ps-num", "--local=yes", "--board-enable=maybe", "--conf"]
    )
    assert len(line.problems) == 6
    assert "--worker-num needs a value" in messages(line)
    assert "--conf needs a value" in messages(line)


@pytest.mark.parametrize("end", [[], ["--"], ["--ps-num=1"], ["-psNum", "1"]])
def test_missing_value(end: list[str]) -> None:
    assert messages(scan(["--worker-num", *end])) == ["--worker-num needs a value"]


def test_negative_numbers_and_dashes_are_values() -> None:
    line = scan(["--output-index", "-1", "--launch-cmd", "--foo bar"])
    assert not line.problems
    assert (line.one("output-index"), line.one("launch-cmd")) == ("-1", "--foo bar")


@pytest.mark.parametrize(
    ("words", "value", "command"),
    [
        (["--tf-evaluator", "TRUE", "x"], "true", ("x",)),
        (["--tf-evaluator", "false"], "false", ()),
        (["-tfEvaluator", "python"], "true", ("python",)),
        (["--tf-evaluator"], "true", ()),
        (["--tf-evaluator=False", "true"], "false", ("true",)),
        (["--tf-evaluator", "--local"], "true", ()),
    ],
)
def test_switches(words: list[str], value: str, command: tuple[str, ...]) -> None:
    line = scan(words)
    assert not line.problems
    assert (line.one("tf-evaluator"), line.command) == (value, command)


def test_local_leaves_the_program_true_alone() -> None:
    line = scan(["--local", "true"])
    assert line.given("local")
    assert line.command == ("true",)


def test_first_of_two_values_counts_and_is_told() -> None:
    line = scan(["--worker-num", "2", "--workerNum", "4", "--ps-num", "1", "--ps-num", "1"])
    assert line.one("worker-num") == "2"
    assert line.notes == ["--worker-num is given twice ('2' and '4'): the first counts"]


@pytest.mark.parametrize(
    ("words", "name", "values", "command"),
    [
        (["--conf", "a=b", "c.d=e=f", "g.h-i.j=k", "python"], "conf", ("a=b", "c.d=e=f", "g.h-i.j=k"), 1),
        (["--conf=a=b", "c.d=e", "-c", "f=g"], "conf", ("a=b", "c.d=e", "f=g"), 0),
        (
            ["--input", "/a#x", "/b#y", "hdfs://nn/c", "/bin/true"],
            "input",
            ("/a#x", "/b#y", "hdfs://nn/c"),
            1,
        ),
        (["--output", "/a#x", "/b#y", "--", "/c#z"], "output", ("/a#x", "/b#y"), 1),
        (["--files", "a#b", "c#d"], "files", ("a#b",), 1),
    ],
)
def test_several_words_after_one_option(
    words: list[str], name: str, values: tuple[str, ...], command: int
) -> None:
    line = scan(words)
    assert not line.problems
    assert line.many(name) == values
    assert len(line.command) == command


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        (["--local", "xlearning.worker.num=2", "python"], "--conf xlearning.worker.num=2"),
        (["--conf", "a=b", "SEED=2", "python"], "--env SEED=2"),
    ],
)
def test_a_pair_does_not_start_a_command(words: list[str], fix: str) -> None:
    (problem,) = scan(words).problems
    assert "would start your command" in problem.message
    assert fix in problem.fix
    assert not scan(["--local", "--", "SEED=2"]).problems


@pytest.mark.parametrize("option", ["--launch-cmd", "-launchCmd", "--hbox-cmd=python t.py"])
def test_a_stray_word_in_front_of_the_command_in_one_string(option: str) -> None:
    words = ["--files", "a.py,", "b.py", "--worker-num", "2", option, "python t.py"]
    (problem,) = scan(words).problems
    assert "'b.py' starts your command, but --" in problem.message.replace(" -l", " --l")
    assert not scan(["--", *words[2:]]).problems


def test_what_looks_like_an_option_is_no_value() -> None:
    line = scan(["--worker-num", "--ps-nmu", "3", "python"])
    assert messages(line) == ["--worker-num needs a value", "unknown option --ps-nmu"]
    assert line.problems[1].fix == "did you mean --ps-num?"


@pytest.mark.parametrize(("word", "value"), [("yes", "true"), ("0", "false"), ("FALSE", "false")])
def test_words_for_true_and_false(word: str, value: str) -> None:
    for words in (["--tf-evaluator", word], [f"--tf-evaluator={word}"]):
        assert scan(words).one("tf-evaluator") == value


def test_a_misspelt_true_is_not_the_command() -> None:
    line = scan(["--tf-evaluator", "ture", "--worker-num", "2"])
    assert "is 'ture' its value, or your command?" in messages(line)[0]
    assert not scan(["--tf-evaluator", "--", "ture"]).problems


@pytest.mark.parametrize(
    ("words", "problems"),
    [
        (["--inputformat-enable", "true"], 0),
        (["--inputformat-enable", "--input-strategy", "stream"], 0),
        (["--inputformat-enable=false", "--input-strategy", "DOWNLOAD"], 0),
        (["--inputformat-enable", "--input-strategy", "DOWNLOAD"], 1),
        (["--outputformat-enable", "true", "--outputStrategy", "UPLOAD"], 1),
    ],
)
def test_older_spellings_of_a_strategy(words: list[str], problems: int) -> None:
    assert len(scan(words).problems) == problems


def test_suggestions_keep_the_spelling() -> None:
    assert scan(["--workerNun", "3"]).problems[0].fix == "did you mean --workerNum?"
    assert scan(["-Dxlearning.worker.num=3"]).problems[0].fix == "write --conf xlearning.worker.num=VALUE"


def test_only_plain_flags_take_nothing() -> None:
    bare = {option.name for option in OPTIONS if option.takes is Takes.NOTHING}
    of_following = {"detach", "kill-on-exit", "quiet", "no-color"}
    of_the_run = {"local", "dry-run", "verbose", "version", "help", "help-all"}
    assert bare == {"allow-empty-input", *of_the_run, *of_following}


def test_a_value_only_after_an_equals_sign() -> None:
    bare = scan(["--logs", "worker:0"])
    assert (bare.one("logs"), bare.command) == ("", ("worker:0",))
    assert scan(["--logs=worker:0", "x"]).one("logs") == "worker:0"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("--workers", "worker-num"), ("--wokers", "worker-num"), ("--memory", "worker-memory")],
)
def test_words_of_other_tools_are_understood(typed: str, meant: str) -> None:
    (problem,) = scan([typed, "2", "--", "true"]).problems
    assert problem.fix == f"did you mean --{meant}?"


def test_our_options_behind_the_command_are_noticed() -> None:
    assert "belongs to the command" in scan(["bash", "x.sh", "--worker-num", "2"]).notes[0]
    assert scan(["--", "bash", "x.sh", "--worker-num", "2"]).notes == []


@pytest.mark.parametrize(
    "argv",
    [["python fit.py"], ["--", "python fit.py"], ["--", f"{9000 * 'x'} y"], ["--files", "f", "--", "a b"]],
)
def test_a_command_in_quotes_is_noticed(argv: list[str]) -> None:
    (note,) = scan(argv).notes
    assert "leave the quotes out" in note


def test_a_program_with_a_blank_in_its_name_is_no_command_in_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "my program"
    program.touch(0o755)
    assert scan(["--", str(program)]).notes == []
    assert scan(["--files", "/x/other program", "--", "./other program"]).notes == []
    monkeypatch.setenv("PATH", str(tmp_path))
    assert scan(["--", "my program"]).notes == []


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("python p.py > out.txt", ">"),
        ("python p.py 2>&1", ">, &"),
        ("python p.py $INDEX", "$INDEX"),
        ('python p.py "${HOME}"', "${HOME}"),
        ("python p.py `hostname`", "`"),
        ("cd /x && python p.py", "cd, &&"),
        ("export A=1; python p.py", "export, ;"),
        ("A=1 python p.py", "A="),
        ("python p.py | tee log || true", "|, ||"),
    ],
)
def test_signs_of_a_shell_are_noticed(text: str, signs: str) -> None:
    line = scan(["--launch-cmd", text])
    Job.of_line(line)
    for notes in (line.notes, scan([text]).notes, scan(["--", text]).notes):
        (note,) = [note for note in notes if "shell" in note]
        assert f"so {signs} mean" in note and "bash -c '...'" in note
    assert line.problems == [], "the original runs such commands without a shell too"


@pytest.mark.parametrize(
    "text",
    [
        "python p.py --name 'a > b; c' --regex '^x$'",
        r"python p.py \$HOME a\;b",
        "python p.py --out part-${index} --price 5$",
        "bash -c 'python p.py > out.txt'",
        "/bin/sh -e -c 'cd /x && python p.py'",
        "python p.py data/*.csv",
    ],
)
def test_what_needs_no_shell_or_has_one(text: str) -> None:
    line = scan(["--launch-cmd", text])
    Job.of_line(line)
    assert line.notes == []


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("--local", "list"), "xl-submit list --local"),
        (("--worker-num", "2", "doctor"), "xl-submit doctor"),
    ],
)
def test_a_verb_behind_options(words: tuple[str, ...], meant: str) -> None:
    (problem,) = scan(words).problems
    verb = meant.split()[1]
    assert problem.message == f"{verb} is a verb: it comes first"
    assert problem.fix == f"write {meant}; for a program of this name: -- {verb}"


@pytest.mark.parametrize("words", [("--local", "--", "list"), ("--local", "kill", "last"), ("./list",)])
def test_a_program_called_like_a_verb(words: tuple[str, ...]) -> None:
    assert scan(words).problems == []
