"""Deleting what programs leave behind, whatever it looks like."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xlearning.trees import remove_tree


def deep(top: Path, levels: int) -> None:
    """Folders in folders, each with a file: deeper than a path may be long."""
    top.mkdir()
    here = os.open(top, os.O_RDONLY)
    for _ in range(levels):
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=here))
        os.mkdir("folder", dir_fd=here)
        inner = os.open("folder", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


@pytest.mark.parametrize("levels", [0, 1, 2, 3, 1500])
def test_trees_of_any_depth(levels: int, tmp_path: Path) -> None:
    deep(tmp_path / "work", levels)
    remove_tree(tmp_path / "work")
    assert list(tmp_path.iterdir()) == []


def test_wide_trees_with_equal_names_and_links(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("precious")
    for name in ("a", "b", "c", ".removed-1"):
        for inner in ("same", "other", ".removed-1/same"):
            (tmp_path / "work" / name / inner).mkdir(parents=True)
            (tmp_path / "work" / name / inner / "out").symlink_to(tmp_path / "kept")
            os.mkfifo(tmp_path / "work" / name / inner / "pipe")
    remove_tree(tmp_path / "work")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept" / "file").read_text() == "precious"


def test_folders_without_permissions(tmp_path: Path) -> None:
    (tmp_path / "work" / "a" / "b" / "c").mkdir(parents=True)
    for name in ("a/b/c", "a/b", "a", "."):
        (tmp_path / "work" / name).chmod(0)
    remove_tree(tmp_path / "work")
    assert list(tmp_path.iterdir()) == []


def test_what_stands_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "file").touch()
    for name in ("link", "file", "missing"):
        remove_tree(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
