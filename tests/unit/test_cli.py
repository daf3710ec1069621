"""``xl-submit`` as a process: what it prints where, and with which exit code it ends."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import xlearning
from xlearning.client.cli import main
from xlearning.client.cli.option_text import synopsis
from xlearning.client.options import OPTIONS


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    for name, content in (("data/a", "1"), ("data/b", "22"), ("data/c d", "333"), ("train.py", "print(1)")):
        (tmp_path / name).write_text(content)
    return tmp_path


PROGRAM = "import sys; from xlearning.client.cli import main; sys.exit(main())"


def xl_submit(
    folder: Path, *words: str, program: str = PROGRAM, encoding: str = "utf-8", **env: str
) -> subprocess.CompletedProcess[str]:
    ours = ("XLEARNING_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_HOME")
    inherited = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *words],
        cwd=folder,
        env={**inherited, "HOME": str(folder), "COLUMNS": "100", **env},
        capture_output=True,
        encoding=encoding,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["-help"], ["--worker-num", "x", "--help"]])
def test_help(folder: Path, words: list[str]) -> None:
    done = xl_submit(folder, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: xl-submit [OPTION]... [--] COMMAND [ARGUMENT]...")
    for part in ("\nContainers:\n", "--worker-num N", "-c, --conf KEY=VALUE", "--tf-evaluator [true|false]"):
        assert part in done.stdout


def test_version(folder: Path) -> None:
    done = xl_submit(folder, "--version")
    assert (done.returncode, done.stdout) == (0, f"xlearning {xlearning.__version__}\n")


def test_help_all_shows_every_option(folder: Path) -> None:
    done = xl_submit(folder, "--help-all")
    assert (done.returncode, done.stderr) == (0, "")
    short = xl_submit(folder, "--help").stdout
    assert not [option.flag for option in OPTIONS if synopsis(option) not in done.stdout]
    assert not [option.name for option in OPTIONS if option.common and synopsis(option) not in short]
    assert len(short.splitlines()) < 110 < len(done.stdout.splitlines())
    assert "further options: xl-submit --help-all" in short
    assert "--docker-image IMAGE" in done.stdout and "--docker-image" not in short


def test_help_and_version_load_nothing_heavy(folder: Path) -> None:
    program = (
        "import sys; from xlearning.client.cli import DEFAULT_VERB, VERBS, main\n"
        "heavy = 'skein grpc google flask pyarrow tensorboard hdfs_native rich cryptography psutil '\n"
        "heavy += 'asyncio urllib.request dotenv javaproperties waitress'\n"
        "calls = [[verb, '--help'] for verb in VERBS - {DEFAULT_VERB}]\n"
        "codes = [main(words) for words in (['--version'], ['--help'], ['--help-all'], *calls)]\n"
        "sys.exit(','.join(sorted(set(heavy.split()) & set(sys.modules))) or max(codes))"
    )
    done = xl_submit(folder, program=program)
    assert (done.returncode, done.stderr) == (0, "")


def test_without_local(folder: Path) -> None:
    done = xl_submit(folder, "python", "train.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert "HADOOP_CONF_DIR is not set" in done.stderr
    assert "--local" in done.stderr


def test_all_problems_at_once(folder: Path) -> None:
    done = xl_submit(
        folder,
        *("--local", "--worker-num", "many", "--wroker-memory", "3", "--conf", "nopair", "--ps-num=-1"),
        *("--input", "nowhere#d", "--files", "no.py", "--output", "data#m", "--launch-cmd", "'"),
    )
    assert (done.returncode, done.stdout) == (1, "")
    for part in (
        "unknown option --wroker-memory",
        "did you mean --worker-memory?",
        "--conf nopair is not a pair",
        "--worker-num many: accepted",
        "--ps-num -1: accepted",
        "--launch-cmd",
        "nowhere matches nothing",
        "no.py",
        "data exists already",
    ):
        assert part in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


VERBS = ("describe", "kill", "list", "logs", "open", "save", "status", "tensorboard", "top")


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_verbs(folder: Path, verb: str) -> None:
    done = xl_submit(folder, verb, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    takes = {"list": "", "top": " [APP_ID]"}.get(verb, " APP_ID")
    assert done.stdout.startswith(f"Usage: xl-submit {verb} [OPTIONS]{takes}\n")
    text = " ".join(done.stdout.split())
    for part in (f"Example: xl-submit {verb}", "Exit codes: 0 ", "--local", "--conf KEY=VALUE"):
        assert part in text
    assert f"xl-submit {verb}{takes} " in xl_submit(folder, "--help").stdout


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ((), "Missing argument 'APP_ID'"),
        (("last", "more"), "more"),
        (("last", "--nowait"), "--no-wait"),
        (("last", "--conf", "nopair"), "--conf nopair is not a pair"),
        (("last",), "there is no job of yours on this machine"),
        (("application_1_0001",), "no application application_1_0001"),
    ],
)
@pytest.mark.parametrize("verb", ["kill", "logs", "save", "status"])
def test_verbs_that_mean_no_job(folder: Path, verb: str, words: tuple[str, ...], answer: str) -> None:
    if "--nowait" in words and verb not in ("kill", "save"):
        answer = "No such option"
    done = xl_submit(folder, verb, *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert answer in done.stderr and "hint" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ((), "there is no job of yours on this machine"),
        (("--logs", "0003"), "no job of yours on this machine"),
        (("--logs=1:2:3",), "--logs=1:2:3 names no container"),
        (("application_1_0001", "--format", "json"), "no application application_1_0001"),
    ],
)
def test_top_without_a_job(
    folder: Path,
    words: tuple[str, ...],
    answer: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XLEARNING_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "HADOOP_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert main(["top", *words]) == 1
    told = capsys.readouterr()
    assert told.out == "" and answer in told.err and "hint" in told.err


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_one_as_the_first_word_only(folder: Path, verb: str) -> None:
    for words in (("--local", "--dry-run", "--", verb), ("--local", "--dry-run", verb, "last")):
        done = xl_submit(folder, *words)
        assert done.returncode == 0, done.stderr
        assert f"\n{verb}" in done.stdout or f" {verb}" in done.stdout
    assert "no YARN to submit to" in xl_submit(folder, "--", verb, "last").stderr


@pytest.mark.parametrize("verb", ["list", "status"])
def test_verbs_log_in_by_keytab(folder: Path, verb: str) -> None:
    conf = folder / "hadoop"
    conf.mkdir()
    names = {"fs.defaultFS": "hdfs://localhost:1", "hadoop.security.authentication": "kerberos"}
    rows = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in names.items())
    (conf / "core-site.xml").write_text(f"<configuration>{rows}</configuration>")
    words = [verb, *(["last"] if verb == "status" else []), "--keytab", "/no/such.keytab", "--principal", "p"]
    done = xl_submit(folder, *words, HADOOP_CONF_DIR=str(conf))
    assert (done.returncode, done.stdout) == (1, "")
    assert "/no/such.keytab" in done.stderr


def test_list_of_no_jobs(folder: Path) -> None:
    done = xl_submit(folder, "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert "There is no job of yours on this machine" in done.stderr
    empty = {"jobs": [], "more": 0, "unasked": []}
    assert json.loads(xl_submit(folder, "list", "--output", "json").stdout) == empty


@pytest.mark.parametrize(
    ("words", "answer"),
    [(("--index", "1"), "there is no --role"), (("--role", "ps", "--container", "2"), "give one of them")],
)
def test_logs_of_a_container_that_is_named_by_halves(
    folder: Path, words: tuple[str, ...], answer: str
) -> None:
    done = xl_submit(folder, "logs", "last", *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert answer in done.stderr


def test_one_problem_is_one_sentence_and_a_hint(folder: Path) -> None:
    done = xl_submit(folder, "--local")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "xl-submit: there is no command to run"
    assert len(done.stderr.splitlines()) == 2


def test_dry_run_shows_everything_and_starts_nothing(folder: Path) -> None:
    site = folder / "more.xml"
    site.write_text(
        "<configuration><property><name>xlearning.ps.memory</name><value>2g</value></property></configuration>"
    )
    done = xl_submit(
        folder,
        *("--local", "--dry-run", "--app-type", "tensorflow", "--worker-num", "2", "--ps-num", "1"),
        *("--input", "data#d", "--output", "out#model", "--files", "train.py", "--conf-file", str(site)),
        *("-c", "xlearning.container.env.MODE=a=b", "--", "sh", "train.py", "--name", "a b"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    for part in (
        "type TENSORFLOW",
        "sh train.py --name 'a b'",
        "ps            1 x 2.0 GiB, 1 core",
        "worker        2 x 1.0 GiB, 1 core",
        "Input d (DOWNLOAD): 3 files, 6 B",
        "worker 0: 2 files, 4 B",
        "data/c d  3 B",
        f"model -> file://{folder}/out",
        "train.py  8 B  file",
        "MODE=a=b",
        f"xlearning.ps.memory = 2g  (--conf-file {site})",
        "xlearning.worker.num = 2  (--worker-num)",
    ):
        assert part in done.stdout, done.stdout
    assert sorted(path.name for path in folder.iterdir()) == ["data", "more.xml", "train.py"]


def test_notes_go_to_standard_error_with_a_date(folder: Path) -> None:
    done = xl_submit(folder, "--local", "--dry-run", "--worker-num", "7", "--input", "data#d", "true")
    assert done.returncode == 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d WARN  3 workers instead of 7: .*\n", done.stderr)


def test_a_broken_file_of_properties(folder: Path) -> None:
    (folder / "bad.xml").write_text("<configuration>")
    done = xl_submit(folder, "--local", "--conf-file", "bad.xml", "--dry-run", "x")
    assert done.returncode == 1
    assert "bad.xml" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_site_folder(folder: Path) -> None:
    done = xl_submit(folder, "--local", "x", XLEARNING_CONF_DIR=str(folder / "nowhere"))
    assert done.returncode == 1
    assert "XLEARNING_CONF_DIR" in done.stderr


def test_hdfs_that_is_down_is_one_sentence(folder: Path) -> None:
    words = ("--input", "hdfs://127.0.0.1:9/x#d", "--output", "hdfs://127.0.0.1:9/y#o")
    done = xl_submit(folder, "--local", *words, "x")
    assert_one_sentence(done, "127.0.0.1:9")


def test_hdfs_that_does_not_answer_is_one_sentence(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        words = ("--input", f"hdfs://{address}/x#d", "--conf", "xlearning.fs.timeout=300ms")
        assert_one_sentence(xl_submit(folder, "--local", *words, "x"), address)


def assert_one_sentence(done: subprocess.CompletedProcess[str], word: str) -> None:
    assert (done.returncode, done.stdout) == (1, "")
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2


def test_bytes_that_are_no_text(folder: Path) -> None:
    done = xl_submit(folder, "--local", "--files", os.fsdecode(b"bad-\xff"), "x")
    assert done.returncode == 1
    assert "there is no file://" in done.stderr


def test_verbose_shows_the_traceback(folder: Path) -> None:
    done = xl_submit(folder, "--local", "--verbose")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-2] == "xl-submit: there is no command to run"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("statsu", "last"), "status"),
        (("lsit",), "list"),
        (("kil", "0012"), "kill"),
        (("lits", "--local"), "list"),
        (("stauts", "application_1_0001"), "status"),
    ],
)
def test_a_misspelt_verb(folder: Path, words: tuple[str, ...], meant: str) -> None:
    done = xl_submit(folder, *words)
    assert_one_sentence(done, f"there is no verb {words[0]}; did you mean {meant}?")
    assert f"xl-submit -- {words[0]}" in done.stderr


def test_a_verb_behind_options_submits_nothing(folder: Path) -> None:
    assert_one_sentence(xl_submit(folder, "--local", "list"), "list is a verb: it comes first")


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (("help",), "Usage: xl-submit [OPTION]..."),
        (("help", "list"), "Usage: xl-submit list "),
        (("--help", "list"), "Usage: xl-submit list "),
        (("-h", "logs"), "Usage: xl-submit logs "),
        (("help", "submit"), "Usage: xl-submit [OPTION]..."),
        (("--help", "train.sh"), "Usage: xl-submit [OPTION]..."),
    ],
)
def test_help_as_a_verb(words: tuple[str, ...], usage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    told = capsys.readouterr()
    assert (told.out.startswith(usage), told.err) == (True, "")


@pytest.mark.parametrize("words", [("help",), ("help", "list")])
def test_a_program_called_help_is_run(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "help").write_text("")
    (folder / "help").chmod(0o755)
    done = xl_submit(folder, *words, PATH=f"{folder}:{os.environ['PATH']}")
    assert "HADOOP_CONF_DIR is not set" in done.stderr


@pytest.mark.parametrize("verb", ["completion", *VERBS])
def test_every_verb_tells_its_help_shortly(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "-h"]) == 0
    told = capsys.readouterr()
    assert (told.out.startswith(f"Usage: xl-submit {verb} "), told.err) == (True, "")


def test_a_program_that_sounds_like_a_verb(folder: Path) -> None:
    (folder / "lits").write_text("")
    (folder / "lits").chmod(0o755)
    done = xl_submit(folder, "lits", PATH=f"{folder}:{os.environ['PATH']}")
    assert "HADOOP_CONF_DIR is not set" in done.stderr


@pytest.mark.parametrize("words", [("--status", "last"), ("-kill=last",), ("--local", "--kill", "last")])
def test_verbs_as_options(folder: Path, words: tuple[str, ...]) -> None:
    assert_one_sentence(xl_submit(folder, *words), "there is no job of yours on this machine")


def test_verbs_as_options_stand_alone(folder: Path) -> None:
    done = xl_submit(folder, "--kill", "last", "--worker-num", "2", "--nosuch", "--", "python")
    assert (done.returncode, done.stdout) == (1, "")
    for part in ("3 problems", "--worker-num has no place beside --kill", "python has", "option --nosuch"):
        assert part in done.stderr


def test_people_who_read_chinese_are_told_in_chinese(folder: Path) -> None:
    helped = xl_submit(folder, "--help", LANG="zh_CN.UTF-8", LC_MESSAGES="", PYTHONUTF8="1")
    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout.startswith("用法： xl-submit [OPTION]...")
    assert "worker 的数量" in helped.stdout
    failed = xl_submit(
        folder, "--local", "--worker-nun", "2", "true", LANG="zh_CN.GBK", LC_MESSAGES="", PYTHONUTF8="1"
    )
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == "xl-submit: 未知选项 --worker-nun\n  提示： 你是想写 --worker-num 吗？\n"


@pytest.mark.parametrize(
    ("encoding", "shown"), [("ascii", "unknown option --workr"), ("gbk", "未知选项 --workr")]
)
def test_a_stream_that_cannot_show_chinese_is_told_in_english(
    folder: Path, encoding: str, shown: str
) -> None:
    locale = {"LANG": "zh_CN.GBK", "LC_MESSAGES": "", "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    done = xl_submit(folder, "--workr", encoding=encoding, **locale)
    assert done.returncode == 1
    assert shown in done.stderr
