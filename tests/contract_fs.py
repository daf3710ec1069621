"""What every file system must do, as one suite; run on local files and on a real HDFS.

A test class inherits `FileSystemContract` and supplies the fixtures ``fs`` and ``root`` (the URI of an
empty folder).
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

from xlearning.errors import StorageError, UsageError
from xlearning.fs import FileSystem, exists, join

ODD_NAMES = [
    "a b",
    "a=b",
    "p%20q",
    "50%",
    "h#h",
    "q?q",
    "é中",
    "plus+",
    "back\\slash",
    "{c}",
    "[d]",
    "*",
    "~",
    ".hid",
]


def write(fs: FileSystem, path: str, data: bytes = b"x", *, overwrite: bool = False) -> None:
    with fs.open_write(path, overwrite=overwrite) as stream:
        stream.write(data)


def write_all(fs: FileSystem, root: str, contents: Mapping[str, bytes] | Iterable[str]) -> None:
    """Write several files side by side, for HDFS takes half a second to complete one."""
    items = contents if isinstance(contents, Mapping) else {name: name.encode() for name in contents}
    with ThreadPoolExecutor(16) as pool:
        for done in [pool.submit(write, fs, join(root, name), data) for name, data in items.items()]:
            done.result()


def read(fs: FileSystem, path: str) -> bytes:
    with fs.open_read(path) as stream:
        return stream.read()


def names(fs: FileSystem, root: str, pattern: str) -> list[str]:
    return [status.path[len(root) + 1 :] for status in fs.glob(f"{root}/{pattern}")]


class FileSystemContract:
    """The suite. What an implementation cannot do by its nature, its class says, and it is held to that.

    Attributes
    ----------
    has_modes : bool
        Owners and permission bits; without them whoever asks for some is refused.
    keeps_folders : bool
        A folder outlives the last file in it.
    refuses_below_files : bool
        Nothing can be made below a file.
    atomic : bool
        Of several who rename at once, one wins.
    """

    has_modes = True
    keeps_folders = True
    refuses_below_files = True
    atomic = True

    def test_file_and_its_status(self, fs: FileSystem, root: str) -> None:
        path = join(root, "deep", "er", "file")
        write(fs, path, b"hello")
        status = fs.stat(path)
        assert (status.path, status.name, status.size, status.is_dir) == (path, "file", 5, False)
        if self.has_modes:
            assert status.owner and status.mode & 0o600 == 0o600
        assert abs(status.modified - time.time()) < 600
        folder = fs.stat(join(root, "deep"))
        assert folder.is_dir and folder.size == 0
        assert read(fs, path) == b"hello"

    def test_empty_file(self, fs: FileSystem, root: str) -> None:
        write(fs, join(root, "empty"), b"")
        assert fs.stat(join(root, "empty")).size == 0
        assert read(fs, join(root, "empty")) == b""

    def test_odd_names(self, fs: FileSystem, root: str) -> None:
        write_all(fs, root, {join(name, name): name.encode() for name in ODD_NAMES})
        assert [status.name for status in fs.list(root)] == sorted(ODD_NAMES)
        assert [status.path for status in fs.walk(root)] == [join(root, n, n) for n in sorted(ODD_NAMES)]
        for name in ODD_NAMES:
            assert read(fs, join(root, name, name)) == name.encode()
            escaped = "".join(f"\\{c}" if c in "*?[{\\" else c for c in name)
            assert names(fs, root, escaped) == [name]

    def test_missing(self, fs: FileSystem, root: str) -> None:
        path = join(root, "missing")
        for action in (
            fs.stat,
            fs.list,
            fs.open_read,
            lambda p: list(fs.walk(p)),
            lambda p: fs.chmod(p, 0o600),
        ):
            with pytest.raises(FileNotFoundError, match="missing"):
                action(path)
        assert not exists(fs, path)
        assert fs.delete(path) is False
        assert fs.delete(path, recursive=True) is False
        assert fs.glob(path) == []

    def test_open_for_write_refuses_or_replaces(self, fs: FileSystem, root: str) -> None:
        path = join(root, "file")
        write(fs, path, b"long first content")
        with pytest.raises(FileExistsError, match="file"):
            fs.open_write(path)
        assert read(fs, path) == b"long first content"
        write(fs, path, b"second", overwrite=True)
        assert read(fs, path) == b"second"

    def test_folders_are_no_files(self, fs: FileSystem, root: str) -> None:
        folder = join(root, "folder")
        fs.mkdirs(folder)
        with pytest.raises(IsADirectoryError, match="folder"):
            fs.open_read(folder)
        with pytest.raises(IsADirectoryError, match="folder"):
            fs.open_write(folder, overwrite=True)
        with pytest.raises(FileExistsError, match="folder"):
            fs.open_write(folder)

    def test_files_are_no_folders(self, fs: FileSystem, root: str) -> None:
        write(fs, join(root, "file"))
        below = join(root, "file", "below")
        for find in (fs.stat, fs.list, fs.open_read):
            with pytest.raises(FileNotFoundError, match="file"):
                find(below)
        assert not exists(fs, below) and fs.delete(below) is False
        for make in (fs.open_write, fs.mkdirs) if self.refuses_below_files else ():
            with pytest.raises(NotADirectoryError, match="file"):
                make(below)
        with pytest.raises(FileExistsError, match="file"):
            fs.mkdirs(join(root, "file"))
        assert fs.glob(below) == []
        assert fs.glob(join(root, "file", "*")) == []

    def test_mkdirs(self, fs: FileSystem, root: str) -> None:
        fs.mkdirs(join(root, "a", "b"))
        fs.mkdirs(join(root, "a", "b"))
        assert fs.stat(join(root, "a", "b")).is_dir
        if not self.has_modes:
            with pytest.raises(StorageError, match="permission bits"):
                fs.mkdirs(join(root, "p", "q"), mode=0o700)
            assert not exists(fs, join(root, "p"))
            return
        fs.mkdirs(join(root, "p", "q"), mode=0o700)
        assert fs.stat(join(root, "p", "q")).mode == 0o700
        assert fs.stat(join(root, "p")).mode & 0o500 == 0o500
        fs.mkdirs(join(root, "p", "q"), mode=0o755)
        assert fs.stat(join(root, "p", "q")).mode == 0o700
        fs.mkdirs(join(root, "open"), mode=0o1777)
        assert fs.stat(join(root, "open")).mode == 0o1777

    def test_chmod(self, fs: FileSystem, root: str) -> None:
        write(fs, join(root, "file"))
        if not self.has_modes:
            with pytest.raises(StorageError, match="permission bits"):
                fs.chmod(join(root, "file"), 0o640)
            return
        fs.chmod(join(root, "file"), 0o640)
        assert fs.stat(join(root, "file")).mode == 0o640

    def test_list_and_walk(self, fs: FileSystem, root: str) -> None:
        write_all(fs, root, ("b", "a/2", "a/1", "a/deep/x", "a.b", ".dot"))
        fs.mkdirs(join(root, "void"))
        assert [s.name for s in fs.list(root)] == [".dot", "a", "a.b", "b", "void"]
        walked = [s.path[len(root) + 1 :] for s in fs.walk(root)]
        assert walked == [".dot", "a/1", "a/2", "a/deep/x", "a.b", "b"]
        assert fs.list(join(root, "void")) == []
        assert [s.path for s in fs.list(join(root, "b"))] == [join(root, "b")]
        assert [s.path for s in fs.walk(join(root, "b"))] == [join(root, "b")]
        assert fs.list(root + "/") == fs.list(root)

    def test_folder_that_holds_one_file_of_its_own_name(self, fs: FileSystem, root: str) -> None:
        write(fs, join(root, "twin", "twin"))
        assert [s.path for s in fs.list(join(root, "twin"))] == [join(root, "twin", "twin")]

    def test_glob(self, fs: FileSystem, root: str) -> None:
        write_all(fs, root, ("d1/x.txt", "d1/y.csv", "d2/x.txt", "d2/.x", "top.txt"))
        assert names(fs, root, "*") == ["d1", "d2", "top.txt"]
        assert names(fs, root, "*/*.txt") == ["d1/x.txt", "d2/x.txt"]
        assert names(fs, root, "d[^2]/*") == ["d1/x.txt", "d1/y.csv"]
        assert names(fs, root, "d?/{x.txt,.x}") == ["d1/x.txt", "d2/.x", "d2/x.txt"]
        assert names(fs, root, "{d1/y.*,top.txt,nope/z}") == ["d1/y.csv", "top.txt"]
        assert names(fs, root, "d1/") == ["d1"]
        assert names(fs, root, "none*/x") == []
        with pytest.raises(UsageError, match="never closed"):
            names(fs, root, "[a")

    def test_rename(self, fs: FileSystem, root: str) -> None:
        write(fs, join(root, "file"), b"1")
        fs.rename(join(root, "file"), join(root, "moved"))
        assert read(fs, join(root, "moved")) == b"1" and not exists(fs, join(root, "file"))
        write(fs, join(root, "tree", "sub", "leaf"), b"2")
        fs.mkdirs(join(root, "elsewhere"))
        fs.rename(join(root, "tree"), join(root, "elsewhere", "tree"))
        assert read(fs, join(root, "elsewhere", "tree", "sub", "leaf")) == b"2"

    @pytest.mark.parametrize("source", ["file", "tree"])
    @pytest.mark.parametrize("target", ["other", "void", "full"])
    def test_rename_never_replaces_nor_moves_into(
        self, fs: FileSystem, root: str, source: str, target: str
    ) -> None:
        write_all(fs, root, ("file", "other", "tree/leaf", "full/leaf"))
        fs.mkdirs(join(root, "void"))
        before = [(s.path, s.size) for s in fs.walk(root)]
        with pytest.raises(FileExistsError, match=target):
            fs.rename(join(root, source), join(root, target))
        assert [(s.path, s.size) for s in fs.walk(root)] == before
        assert fs.stat(join(root, "void")).is_dir

    def test_rename_errors(self, fs: FileSystem, root: str) -> None:
        write_all(fs, root, ("file", "tree/leaf"))
        with pytest.raises(FileNotFoundError, match="gone"):
            fs.rename(join(root, "gone"), join(root, "new"))
        with pytest.raises(FileNotFoundError, match="nowhere"):
            fs.rename(join(root, "file"), join(root, "nowhere", "new"))
        with pytest.raises(FileNotFoundError, match="nowhere"):
            fs.rename(join(root, "tree"), join(root, "nowhere", "new"))
        with pytest.raises(NotADirectoryError):
            fs.rename(join(root, "tree"), join(root, "file", "new"))
        with pytest.raises(FileExistsError):
            fs.rename(join(root, "file"), join(root, "file"))
        with pytest.raises(StorageError):
            fs.rename(join(root, "tree"), join(root, "tree", "below"))
        assert len(list(fs.walk(root))) == 2

    def test_one_of_many_renames_wins(self, fs: FileSystem, root: str) -> None:
        write_all(fs, root, {f"from-{number}/leaf": str(number).encode() for number in range(8)})
        start, outcomes = threading.Barrier(8), [""] * 8

        def claim(number: int) -> None:
            start.wait()
            try:
                fs.rename(join(root, f"from-{number}"), join(root, "won"))
                outcomes[number] = "won"
            except FileExistsError:
                outcomes[number] = "late"

        if not self.atomic:
            return
        threads = [threading.Thread(target=claim, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == ["late"] * 7 + ["won"]
        assert read(fs, join(root, "won", "leaf")) == str(outcomes.index("won")).encode()
        assert len(list(fs.walk(root))) == 8

    def test_replace(self, fs: FileSystem, root: str) -> None:
        write_all(fs, root, ("old", "new"))
        fs.replace(join(root, "new"), join(root, "old"))
        assert read(fs, join(root, "old")) == b"new" and not exists(fs, join(root, "new"))
        fs.replace(join(root, "old"), join(root, "fresh"))
        assert read(fs, join(root, "fresh")) == b"new"
        fs.mkdirs(join(root, "void"))
        for source, target in (("fresh", "void"), ("void", "fresh"), ("void", "nothing")):
            with pytest.raises(IsADirectoryError):
                fs.replace(join(root, source), join(root, target))
        with pytest.raises(FileNotFoundError):
            fs.replace(join(root, "gone"), join(root, "fresh"))
        with pytest.raises(FileNotFoundError):
            fs.replace(join(root, "fresh"), join(root, "nowhere", "x"))

    def test_delete(self, fs: FileSystem, root: str) -> None:
        write(fs, join(root, "tree", "leaf"))
        with pytest.raises(StorageError, match="tree"):
            fs.delete(join(root, "tree"))
        assert fs.delete(join(root, "tree", "leaf")) is True
        assert fs.delete(join(root, "tree")) is self.keeps_folders
        write(fs, join(root, "tree", "a", "leaf"))
        assert fs.delete(join(root, "tree"), recursive=True) is True
        assert fs.list(root) == []
        with pytest.raises(StorageError, match="root"):
            fs.delete(root[: root.index("/", root.index("://") + 3) + 1], recursive=True)

    def test_reader_is_a_seekable_buffered_stream(self, fs: FileSystem, root: str) -> None:
        data = b"".join(b"line %d\n" % number for number in range(300_000))  # more than one chunk
        write(fs, join(root, "lines"), data)
        with fs.open_read(join(root, "lines")) as stream:
            assert stream.readable() and stream.seekable() and not stream.writable()
            assert b"".join(stream) == data
            assert stream.read(1) == b""
            assert stream.seek(-8, io.SEEK_END) == len(data) - 8
            assert stream.read() == data[-8:]
            stream.seek(1_000_000)
            assert stream.read(2_000_000) == data[1_000_000:3_000_000]
            assert stream.tell() == 3_000_000
            stream.seek(len(data) + 5)
            assert stream.read() == b""
            stream.seek(0)
            buffer = bytearray(7)
            assert stream.readinto(buffer) == 7 and bytes(buffer) == b"line 0\n"  # type: ignore[attr-defined]
            assert stream.readline() == b"line 1\n"
            with io.TextIOWrapper(stream) as text:
                assert text.readline() == "line 2\n"

    def test_writer_takes_any_size(self, fs: FileSystem, root: str) -> None:
        data = bytes(range(256)) * 10_000
        with fs.open_write(join(root, "sizes")) as stream:
            assert stream.writable()
            for part in (
                b"",
                data[:1],
                data[1:1000],
                memoryview(data)[1000:1_500_000],
                bytearray(data[1_500_000:]),
            ):
                assert stream.write(part) == len(part)
            stream.flush()
        stream.close()
        assert stream.closed
        assert read(fs, join(root, "sizes")) == data

    def test_a_failed_block_is_put_right_by_writing_again(self, fs: FileSystem, root: str) -> None:
        path = join(root, "file")
        with pytest.raises(ZeroDivisionError), fs.open_write(path) as stream:
            stream.write(b"half")
            raise ZeroDivisionError
        write(fs, path, b"whole", overwrite=True)
        assert read(fs, path) == b"whole"

    def test_paths_of_another_file_system(self, fs: FileSystem) -> None:
        for path in ("hdfs://elsewhere.invalid:1/x", "file://elsewhere.invalid/x"):
            with pytest.raises(StorageError):
                fs.stat(path)
