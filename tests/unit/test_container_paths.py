"""Small files of ours in a working folder that also holds what the job brings along."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.container.paths import write
from xlearning.errors import UsageError


def test_a_link_to_a_shared_file_is_replaced_and_the_file_stays_as_it_is(tmp_path: Path) -> None:
    shared, work = tmp_path / "shared.txt", tmp_path / "work"
    shared.write_text("of all containers of the node")
    work.mkdir()
    (work / "list.txt").symlink_to(shared)
    write(work, "list.txt", "of this one")
    assert (work / "list.txt").read_text() == "of this one"
    assert shared.read_text() == "of all containers of the node"


def test_folders_are_made_and_bytes_of_any_name_arrive(tmp_path: Path) -> None:
    write(tmp_path, ".ours/deep/a", "\udcff")
    write(tmp_path, ".ours/deep/a", "again\udcff")
    assert (tmp_path / ".ours/deep/a").read_bytes() == b"again\xff"


@pytest.mark.parametrize("name", ["list.txt", "ours/list.txt"])
def test_what_the_job_brings_along_is_named_where_it_is_in_the_way(tmp_path: Path, name: str) -> None:
    shared, work = tmp_path / "shared", tmp_path / "work"
    shared.mkdir()
    work.mkdir()
    taken = name.partition("/")[0]
    (work / taken).symlink_to(shared)
    with pytest.raises(UsageError, match=f"^{taken} in the working folder is something that the job brings"):
        write(work, name, "text")
    assert not list(shared.iterdir())


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    for name in ("../x", "/tmp/x", "", "a/../../x"):
        with pytest.raises(UsageError, match="not a path inside"):
            write(tmp_path, name, "text")
