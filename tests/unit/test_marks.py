"""What commits and saves leave beside the data is no input, unless a pattern has its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.fs.listing import files_of
from xlearning.fs.local import LocalFileSystem

SAVE = "interResult_2026_11_29_20_39_31"
DATA = {
    ".crc",
    "_logs/a",
    "_manifest.json",  # of whoever: no save's folder holds it
    "_manifest/b",
    "model/_temporary",  # a file
    "model/_SUCCESS/c",  # a folder
    "model/empty",
    f"{SAVE}/container_1/w",
}
MARKS = {
    "_SUCCESS",
    "model/_SUCCESS.d/_SUCCESS",
    "_temporary/application_1_1_000001/container_1/x",
    f"{SAVE}/_SUCCESS",
    f"{SAVE}/_manifest.json",
    f"{SAVE}/_manifest/container_1.json",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    for name in DATA | MARKS:
        path = tmp_path / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return tmp_path


def found(folder: Path, pattern: str, *, hidden: bool = True) -> set[str]:
    files = files_of(LocalFileSystem(), f"file://{folder}/out{pattern}", hidden=hidden)
    return {status.path.removeprefix(f"file://{folder}/out/") for status in files or ()}


@pytest.mark.parametrize("pattern", ["", "/", "/*", "/{*,x}"])
def test_all_but_marks_is_data(folder: Path, pattern: str) -> None:
    assert found(folder, pattern) == DATA


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("/_SUCCESS", {"_SUCCESS"}),
        ("/{_SUCCESS,.crc}", {"_SUCCESS", ".crc"}),
        ("/*/_SUCCESS", {"model/_SUCCESS/c", f"{SAVE}/_SUCCESS"}),
        ("/_temporary", {"_temporary/application_1_1_000001/container_1/x"}),
        ("/_temporary/*/*", {"_temporary/application_1_1_000001/container_1/x"}),
        ("/inter*/_manifest*", set()),
        (f"/{SAVE}/_manifest/*", {f"{SAVE}/_manifest/container_1.json"}),
        ("/inter*/_manifest.json", {f"{SAVE}/_manifest.json"}),
    ],
)
def test_who_names_a_mark_gets_it(folder: Path, pattern: str, names: set[str]) -> None:
    assert found(folder, pattern) == names


@pytest.mark.parametrize("hidden", [True, False])
def test_wildcards_on_the_way_do_not_name_a_mark(folder: Path, hidden: bool) -> None:
    assert found(folder, "/inter*/*/*", hidden=hidden) == {f"{SAVE}/container_1/w"}
    assert not any(name.startswith("_temporary") for name in found(folder, "/*/*/*/*", hidden=hidden))
