"""Archives of users: everything is unpacked, and nothing ends up outside of its folder."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from xlearning.cluster.localize import check_name
from xlearning.cluster.unpack import unpack


def tar(path: Path, *members: tarfile.TarInfo, mode: str = "w") -> Path:
    """A tar archive; every regular member holds its own name."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for member in members:
            content = member.name.encode() if member.isreg() else b""
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def file(name: str, mode: int = 0o644) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.mode = mode
    return member


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("a.tar", "w"),
        ("a.tar.gz", "w:gz"),
        ("a.tgz", "w:gz"),
        ("a.tar.bz2", "w:bz2"),
        ("a.tar.xz", "w:xz"),
        ("a", "w"),
    ],
)
def test_tar(tmp_path: Path, name: str, mode: str) -> None:
    archive = tar(tmp_path / name, file("top"), file("bin/run", 0o755), file("b c/é=%"), mode=mode)
    unpack(archive, tmp_path / "out")
    assert {str(f.relative_to(tmp_path / "out")) for f in (tmp_path / "out").rglob("*") if f.is_file()} == {
        "top",
        "bin/run",
        "b c/é=%",
    }
    assert (tmp_path / "out" / "bin" / "run").read_text() == "bin/run"
    assert (tmp_path / "out" / "bin" / "run").stat().st_mode & stat.S_IXUSR


@pytest.mark.parametrize("name", ["a.zip", "a.jar", "a"])
def test_zip(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("top", "x")
        program = zipfile.ZipInfo("bin/run")
        program.external_attr = 0o100755 << 16
        archive.writestr(program, "y")
    unpack(tmp_path / name, tmp_path / "out")
    assert (tmp_path / "out" / "top").read_text() == "x"
    assert (tmp_path / "out" / "bin" / "run").stat().st_mode & stat.S_IXUSR


def test_a_tar_that_ends_in_a_zip_is_a_tar(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as inner:
        inner.writestr("x", "x")
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(tmp_path / "inner.zip", "inner.zip")
    unpack(tmp_path / "a.tar", tmp_path / "out")
    assert [f.name for f in (tmp_path / "out").iterdir()] == ["inner.zip"]


def test_links_of_a_virtual_environment(tmp_path: Path) -> None:
    archive = tar(
        tmp_path / "a.tar", file("lib/x"), link("lib64", "lib"), link("bin/python", "/usr/bin/python3")
    )
    unpack(archive, tmp_path / "out")
    assert (tmp_path / "out" / "lib64" / "x").read_text() == "lib/x"
    assert (tmp_path / "out" / "bin" / "python").readlink() == Path("/usr/bin/python3")


def zip_with(name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        with zipfile.ZipFile(folder / "a.zip", "w") as archive:
            archive.writestr("good", "x")
            archive.writestr(name, "evil")
        return folder / "a.zip"

    return make


def tar_with(*members: tarfile.TarInfo) -> Callable[[Path], Path]:
    return lambda folder: tar(folder / "a.tar", file("good"), *members)


@pytest.mark.parametrize(
    "make",
    [
        zip_with("../evil"),
        zip_with("a/../../evil"),
        zip_with("/evil"),
        zip_with("..\\evil"),
        tar_with(file("../evil")),
        tar_with(link("up", ".."), file("up/evil")),
        tar_with(link("a/up", "../.."), file("a/up/evil")),
        tar_with(link("up", "../"), link("up2", "up/.."), file("up2/evil")),
        tar_with(link("hard", "../secret", tarfile.LNKTYPE)),
        tar_with(link("device", "", tarfile.CHRTYPE)),
        tar_with(link("pipe", "", tarfile.FIFOTYPE)),
    ],
)
def test_nothing_escapes(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (room / "secret").write_text("secret")
    archive = make(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ValueError, match="cannot unpack"):
        unpack(archive, room / "out")
    assert sorted(tmp_path.rglob("*")) == before


def test_an_absolute_link_cannot_be_written_through(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    archive = tar(tmp_path / "a.tar", link("door", str(tmp_path / "outside")), file("door/evil"))
    with pytest.raises(ValueError, match="cannot unpack"):
        unpack(archive, tmp_path / "out")
    assert not list((tmp_path / "outside").iterdir())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.txt"])
def test_what_is_no_archive(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("text")
    with pytest.raises(ValueError):
        unpack(tmp_path / name, tmp_path / "out")
    assert [f.name for f in tmp_path.iterdir()] == [name]


def test_an_archive_that_breaks_off(tmp_path: Path) -> None:
    archive = tar(tmp_path / "a.tar.gz", *(file(f"{n}" * 50) for n in range(100)), mode="w:gz")
    archive.write_bytes(archive.read_bytes()[:-200])
    with pytest.raises(ValueError, match="cannot unpack"):
        unpack(archive, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_names_of_links() -> None:
    for good in ("a", "a/b", "a b=%é", "..a"):
        check_name(good)
    for bad in ("", ".", "..", "/a", "../a", "a/../../b", "a\0b"):
        with pytest.raises(ValueError, match="does not stay"):
            check_name(bad)
