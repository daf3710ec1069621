"""Every command line that the original's guides and examples show is planned here as it stands."""

from __future__ import annotations

import itertools
import re
import shlex
import tarfile
import zipfile
from pathlib import Path

import pytest

from xlearning.client.cli import main

_LISTED = Path(__file__).parent / "data" / "original_commands.txt"
_PROGRAM = re.compile(r"\S*(?:xl|hbox)-submit$")
_HOST = re.compile(r"hdfs://(?:xlearning|hbox)\.test\.host1:9000")


def _commands() -> list[str]:
    _comment, *blocks = re.split(r"^## .*\n", _LISTED.read_text(), flags=re.MULTILINE)
    return [block.strip() for block in blocks]


def _words(command: str) -> list[str]:
    program, *words = shlex.split(command.replace("\\\n", ""))  # as a shell joins lines
    assert _PROGRAM.match(program), program
    return words


def _values(words: list[str], *options: str) -> list[str]:
    pairs = itertools.pairwise(words)
    return [part for name, value in pairs if name in options for part in value.split(",")]


def _make_what_it_reads(words: list[str], root: Path) -> None:
    """The files that a command line names, below ``root``, which stands for HDFS, and in this folder."""
    for path in _values(words, "--input", "--cacheFile"):
        place = root / path.partition("#")[0].lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.name.startswith("file"):
            place.write_text("a record\n")
        else:
            place.mkdir()
            for number in range(4):
                (place / f"part-{number}").write_text("a record\n")
    for path in _values(words, "--cacheArchive"):
        place = root / path.partition("#")[0].lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.suffix == ".zip":
            zipfile.ZipFile(place, "w").close()
        else:
            tarfile.open(place, "w:gz").close()
    for name in _values(words, "--files"):
        Path(name).write_text("a program\n")


def _below(root: Path, word: str) -> str:
    return re.sub(r"(^|,)/tmp/", rf"\g<1>{root}/tmp/", word)


def _type(words: list[str]) -> str:
    return "".join(_values(words, "--app-type")).upper()


@pytest.mark.parametrize("command", _commands(), ids=lambda text: " ".join(text.split())[:60])
def test_it_is_planned(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(tmp_path))
    words = _words(_HOST.sub("", command))
    _make_what_it_reads(words, tmp_path)
    words = [_below(tmp_path, word) for word in words]
    assert main(["--local", "--dry-run", *words]) == 0, capsys.readouterr().err
    shown = capsys.readouterr().out
    for path in _values(words, "--output"):
        assert path.partition("#")[0] in shown
    for name in _values(words, "--files"):
        assert name in shown
    crew = sum(int(count) for count in re.findall(r"^ +(?:worker|evaluator) +(\d+) x ", shown, re.MULTILINE))
    assert crew == int("".join(_values(words, "--worker-num")) or 1)


def test_the_list_is_whole() -> None:
    commands = _commands()
    assert len(commands) >= 37
    assert len(set(commands)) == len(commands)
