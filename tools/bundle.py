"""Make a bundle: XLearning and every wheel that it needs, for a gateway without a package registry.

``make bundle`` calls it. The archive holds the wheels, their checksums, the template of a site file
and ``install.sh``, which needs nothing but Python and this archive.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

import build
import build.env
from pyproject_hooks import quiet_subprocess_runner

import xlearning
from xlearning.client.packaging.nodes import Nodes, gateway

ROOT = Path(__file__).resolve().parent.parent
_PIP = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input")


def main(argv: Sequence[str] | None = None) -> int:
    """Make the archive and print its path."""
    options = _options(argv)
    here = gateway()
    target = Nodes(here.python, options.glibc or here.glibc, here.machine)
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="xlearning-bundle-") as work:
        folder = Path(work, _name(target))
        wheels = folder / "wheels"
        wheels.mkdir(parents=True)
        fetch(build_wheel(Path(work)), wheels, target, options.extras)
        (folder / "EXTRAS").write_text(_bracketed(options.extras))
        _describe(folder, target)
        archive = options.output / f"{folder.name}.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(folder, arcname=folder.name)
    print(archive)
    return 0


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout, in ``folder``. Made from an sdist: stale files cannot get in."""
    with build.env.DefaultIsolatedEnv() as env:
        sdist = _build(env, ROOT, "sdist", folder)
        unpacked = folder / "sdist"
        with tarfile.open(sdist) as tar:
            tar.extractall(unpacked, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(
                unpacked
            )
        (source,) = unpacked.iterdir()
        return _build(env, source, "wheel", folder)


def _build(env: build.env.DefaultIsolatedEnv, source: Path, what: str, folder: Path) -> Path:
    builder = build.ProjectBuilder.from_isolated_env(env, source, quiet_subprocess_runner)
    env.install(builder.build_system_requires)
    env.install(builder.get_requires_for_build(what))
    try:
        return Path(builder.build(what, folder))
    except build.BuildBackendException as error:
        said = getattr(error.exception, "output", None) or b""
        sys.exit(f"the {what} of {source} cannot be built: {error}\n{said.decode(errors='replace')}")


def fetch(wheel: Path, folder: Path, target: Nodes, extras: str) -> None:
    """``wheel`` and everything that it and its ``extras`` need on ``target``, into ``folder``."""
    words = [*_PIP, "--only-binary", ":all:", "--dest", str(folder)]
    if target.glibc != gateway().glibc:
        for name in target.platforms:
            words += ["--platform", name]
    subprocess.run([*words, f"{wheel}{_bracketed(extras)}"], check=True)


def _bracketed(extras: str) -> str:
    return f"[{extras}]" if extras else ""


def _name(target: Nodes) -> str:
    libc = f"glibc{target.glibc[0]}.{target.glibc[1]}" if target.glibc else platform.libc_ver()[0] or "libc"
    return f"xlearning-{xlearning.__version__}-{target.abi}-{libc}-{target.machine}"


def _describe(folder: Path, target: Nodes) -> None:
    for name in ("LICENSE", "CHANGELOG.md", "conf/xlearning-site.xml.template", "docs/installing.md"):
        shutil.copy(ROOT / name, folder)
    script = folder / "install.sh"
    text = (ROOT / "tools" / "install.sh").read_text()
    script.write_text(text.replace("@PYTHON@", f"{target.python[0]}.{target.python[1]}"))
    script.chmod(0o755)
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}"
        for path in sorted((folder / "wheels").iterdir())
    ]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n")


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0], allow_abbrev=False)
    parser.add_argument(
        "--output", type=Path, default=ROOT / "dist", metavar="DIR", help="where the archive goes (dist)"
    )
    parser.add_argument(
        "--glibc", type=_version, metavar="2.N", help="the gateway's C library, where it is older than here"
    )
    parser.add_argument(
        "--extras", default="", metavar="A,B", help="optional libraries too, such as codecs,avro,parquet,s3"
    )
    return parser.parse_args(argv)


def _version(text: str) -> tuple[int, int]:
    major, dot, minor = text.partition(".")
    if not (dot and major.isdigit() and minor.isdigit()):
        raise argparse.ArgumentTypeError(f"{text} is no version; write it as in 2.28")
    return int(major), int(minor)


if __name__ == "__main__":
    sys.exit(main())
