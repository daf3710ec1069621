"""Nodes that differ from the gateway: what they are, which wheels fit them, and how pip fetches those."""

from __future__ import annotations

import gzip
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from xlearning.client.packaging import nodes as place
from xlearning.client.packaging import package, wheels
from xlearning.client.packaging.distributions import File, below, closure, files, installed, tags
from xlearning.client.packaging.make_package import make
from xlearning.client.packaging.nodes import Nodes
from xlearning.client.packaging.packing import compiler, pack
from xlearning.config import Config
from xlearning.errors import ConfigError, UsageError

HERE = Nodes((3, 11), (2, 36), "x86_64")
NODES = Nodes((3, 10), (2, 28), "x86_64")


def config(**values: str) -> Config:
    return Config.from_properties({f"xlearning.{k.replace('_', '.')}": v for k, v in values.items()})


@pytest.mark.parametrize(
    ("values", "nodes", "interpreter"),
    [
        ({}, HERE, None),
        ({"nodes_glibc": "2.28"}, Nodes((3, 11), (2, 28), "x86_64"), None),
        ({"python": "/usr/bin/python3.12"}, Nodes((3, 12), (2, 36), "x86_64"), "/usr/bin/python3.12"),
        (
            {"python": "/x/bin/python", "nodes_python": "3.10.4"},
            Nodes((3, 10), (2, 36), "x86_64"),
            "/x/bin/python",
        ),
        ({"python": "/x/bin/python3"}, HERE, "/x/bin/python3"),
    ],
)
def test_nodes_as_configured(values: dict[str, str], nodes: Nodes, interpreter: str | None) -> None:
    found = place.configured(config(**values), HERE)
    assert found == nodes
    if interpreter:
        assert place.interpreter(config(**values), found, HERE) == interpreter


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"nodes_python": "three"}, "xlearning.nodes.python=three is not a version"),
        ({"nodes_glibc": "2"}, "xlearning.nodes.glibc=2 is not a version"),
        ({"nodes_python": "3.9"}, "needs Python 3.10 or newer on the nodes, not 3.9"),
        ({"nodes_python": "3.10"}, "nothing says where that Python is"),
    ],
)
def test_nodes_that_cannot_be(values: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        place.interpreter(config(**values), place.configured(config(**values), HERE), HERE)
    assert words in caught.value.message
    assert "xlearning.python" in str(caught.value) or "2.28" in str(caught.value)


def test_platforms_are_the_newest_first() -> None:
    assert NODES.platforms[0] == "manylinux_2_28_x86_64"
    assert "manylinux2014_x86_64" in NODES.platforms
    assert "manylinux_2_29_x86_64" not in NODES.platforms
    assert "manylinux2014_x86_64" not in Nodes((3, 10), (2, 16), "x86_64").platforms
    assert Nodes((3, 10), None, "x86_64").platforms == ["linux_x86_64"]


@pytest.mark.parametrize(
    ("wheel_tags", "needed"),
    [
        (["py3-none-any"], None),
        (["cp311-cp311-manylinux_2_17_x86_64", "cp311-cp311-manylinux2014_x86_64"], (2, 17)),
        (["cp36-abi3-manylinux_2_28_x86_64", "cp36-abi3-manylinux2010_x86_64"], (2, 12)),
        (["cp311-abi3-manylinux_2_34_x86_64"], (2, 34)),
        (["cp311-cp311-linux_x86_64"], (2, 36)),
    ],
)
def test_the_glibc_that_a_wheel_needs(wheel_tags: list[str], needed: tuple[int, int] | None) -> None:
    assert place.needed_glibc(wheel_tags, HERE) == needed


def test_what_is_installed_here_fits_this_machine_and_is_refused_for_an_older_one(tmp_path: Path) -> None:
    here = place.gateway()
    made = package.build(here, here, tmp_path)
    assert made.notes == ()
    assert not list(tmp_path.iterdir())
    top = {name.split("/")[0] for name in made.base.files}
    assert {"xlearning", "grpc", "google", "hdfs_native", "psutil", "tenacity"} <= top
    assert not {"skein", "flask", "cryptography", "fsspec", "pyarrow", "tensorboard", "numpy", "rich"} & top
    master = {name.split("/")[0] for name in made.master.files}
    assert {"skein", "flask", "waitress", "yaml"} <= master
    assert not {"xlearning", "grpc", "cryptography"} & master
    assert not [name for name in made.master.files if name.endswith(".jar")]
    assert set(made.whole.files) == set(made.base.files) | set(made.master.files)
    own = closure(package.BASE, installed, here.markers)
    ancient = Nodes(here.python, (2, 10), here.machine)
    assert "grpcio" in package.unfit(own, ancient, here)
    assert "needs glibc 2.17" in package.unfit(own, ancient, here)
    assert package.unfit(own, NODES, HERE) == "the Python here is 3.11"


def test_a_digest_tells_content_and_kind_of_nodes(tmp_path: Path) -> None:
    here = place.gateway()
    one, again = (package.build(here, here, tmp_path).base for _ in range(2))
    assert one.digest == again.digest
    other = package.Archive(one.label, one.files, one.manifest.replace(here.abi.encode(), b"cp399"))
    assert other.digest != one.digest
    fewer = package.Archive(one.label, dict(list(one.files.items())[1:]), one.manifest)
    assert fewer.digest != one.digest


@pytest.mark.parametrize(
    ("name", "words"),
    [("ours.jar", "let the name end in .tar.gz"), ("no/such/ours.tgz", "there is no folder no/such")],
)
def test_a_file_that_cannot_be_made(name: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        make(Path(name), python=None, glibc=None)
    assert words in str(caught.value)


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    here = place.gateway()
    files = {"a/b.py": File(Path(__file__), "x"), "c.txt": File(Path(__file__), "y")}
    made = package.Archive("base", files, b"{}")
    for n in (1, 2):
        work = tmp_path / str(n)
        work.mkdir()
        pack(made, tmp_path / f"{n}.tar.gz", work, compiler(here, None))
    with tarfile.open(tmp_path / "1.tar.gz") as tar:
        names = tar.getnames()
    cached = f"./a/__pycache__/b.{sys.implementation.cache_tag}.pyc"
    assert {"./a/b.py", "./c.txt", f"./{package.MANIFEST}", cached} <= set(names)
    one, two = (gzip.decompress((tmp_path / f"{n}.tar.gz").read_bytes()) for n in (1, 2))
    assert one == two


def wheel(folder: Path, name: str, version: str, tag: str, *, needs: str = "", data: bool = False) -> None:
    info = f"{name}-{version}.dist-info"
    member = f"{name}-{version}.data/purelib/{name}.py" if data else f"{name}.py"
    requires = f"Requires-Dist: {needs}\n" if needs else ""
    content = {
        member: f"version = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n",
    }
    record = "".join(f"{path},sha256=x,1\n" for path in content) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-{tag}.whl", "w") as archive:
        for path, text in {**content, f"{info}/RECORD": record}.items():
            archive.writestr(path, text)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is all the index that pip knows."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    yield folder


def test_pip_fetches_wheels_for_the_nodes_and_what_they_need_there(index: Path, tmp_path: Path) -> None:
    wheel(index, "alpha", "1.0", "cp310-cp310-manylinux_2_28_x86_64", needs='beta; python_version < "3.11"')
    wheel(index, "alpha", "1.1", "cp310-cp310-manylinux_2_34_x86_64")
    wheel(index, "beta", "2.0", "py3-none-any", data=True)

    def lacking(tree: Path) -> list[str]:
        return sorted(closure(["alpha"], below(tree), NODES.markers).missing.values())

    cache = tmp_path / "cache"
    folder = wheels.fetch(["alpha==1.0"], ["alpha"], lacking, NODES, cache)
    found = closure(["alpha"], below(folder), NODES.markers)
    assert {name: dist.version for name, dist in found.found.items()} == {"alpha": "1.0", "beta": "2.0"}
    assert tags(found.found["alpha"]) == ["cp310-cp310-manylinux_2_28_x86_64"]
    assert "beta.py" in dict(files(found.found["beta"]))
    (kept,) = cache.iterdir()
    for path in index.iterdir():
        path.unlink()
    assert wheels.fetch(["alpha==1.0"], ["alpha"], lacking, NODES, cache) == folder == kept


def test_another_version_where_the_gateways_has_no_wheel(index: Path, tmp_path: Path) -> None:
    wheel(index, "alpha", "1.0", "cp310-cp310-manylinux_2_28_x86_64")
    folder = wheels.fetch(["alpha==1.5"], ["alpha>=0.9"], lambda _: [], NODES, tmp_path / "cache")
    assert (folder / "alpha.py").read_text() == "version = '1.0'\n"


@pytest.mark.usefixtures("index")
def test_no_wheel_and_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch() -> str:
        with pytest.raises(UsageError) as caught:
            wheels.fetch(["alpha==1.5"], ["alpha"], lambda _: [], NODES, tmp_path / "cache")
        return str(caught.value)

    assert "No matching distribution found for alpha" in fetch()
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    words = fetch()
    assert "no package index can be reached" in words
    assert "xl-submit package --output xlearning.tar.gz --python 3.10 --glibc 2.28" in words
    assert "xlearning.yarn.archive" in words
    assert not list((tmp_path / "cache").iterdir())
