"""``--cluster NAME``: another Hadoop cluster than that of ``HADOOP_CONF_DIR``.

The property ``NAME.conf.path`` lists the files (Hadoop's XML, separated by commas) that tell the
clusters apart. They are read on top of the gateway's configuration, as Hbox did: here as a
configuration folder of its own, so that every program that reads ``HADOOP_CONF_DIR`` sees the same.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path

from xlearning.config import Config, hadoop_xml
from xlearning.errors import ConfigError

_SUFFIX = ".conf.path"
# Hadoop reads them in this order, so what is to win must stand in each.
_SITES = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml")


def use_cluster(config: Config, environ: MutableMapping[str, str]) -> list[Path]:
    """Let ``HADOOP_CONF_DIR`` of ``environ`` be that of the cluster that ``config`` names; its files.

    Raises
    ------
    ConfigError
        Nothing is known of such a cluster, or a file cannot be read.
    """
    from xlearning.cluster import hadoop_site

    files = cluster_files(config)
    if files:
        base = hadoop_site.conf_folder(environ)
        root = Path(config.get("xlearning.local.dir"))
        environ["HADOOP_CONF_DIR"] = str(conf_folder(files, Path(base) if base else None, root))
    return files


def cluster_files(config: Config) -> list[Path]:
    """The files of the cluster that ``config`` names; none where it names none.

    Raises
    ------
    ConfigError
        Nothing is known of such a cluster; the hint names those that are.
    """
    name = str(config.get("xlearning.cluster.name") or "").strip()
    if not name:
        return []
    source = config.source("xlearning.cluster.name")
    listed = config.text(name + _SUFFIX) or config.text(name.lower() + _SUFFIX)
    if not listed:
        known = sorted(key.removesuffix(_SUFFIX) for key in config.explicit() if key.endswith(_SUFFIX))
        clusters = f"known: {', '.join(known)}; or " if known else ""
        raise ConfigError(
            f"there is no cluster {name} ({source}): {name.lower()}{_SUFFIX} is not set",
            hint=f"{clusters}set it in xlearning-site.xml to the Hadoop configuration files of that cluster",
        )
    return [Path(part.strip().removeprefix("file://")) for part in listed.split(",") if part.strip()]


def conf_folder(files: Sequence[Path], base: Path | None, root: Path) -> Path:
    """A configuration folder of Hadoop: ``base`` with the properties of ``files`` on top.

    Parameters
    ----------
    files : sequence of Path
        Later ones win.
    base : Path or None
        The gateway's own folder; None where there is none.
    root : Path
        Where the folder is made, named by its content, so that the next job finds it.

    Raises
    ------
    ConfigError
        A file cannot be read.
    """
    values: dict[str, str] = {}
    for path in files:
        values |= hadoop_xml.read(path).values
    texts = {name: hadoop_xml.render(_own(base, name) | values) for name in _SITES}
    if base is not None and all(_text(base / name) == text for name, text in texts.items()):
        return base  # it is the cluster's already, as for the second job of a process
    digest = hashlib.sha256("\0".join((str(base), *texts.values())).encode()).hexdigest()[:16]
    folder = root / "clusters" / digest
    if not folder.exists():
        _make(folder, base, texts)
    return folder


def _own(base: Path | None, name: str) -> dict[str, str]:
    path = base / name if base else None
    return hadoop_xml.read(path).values if path and path.exists() else {}


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _make(folder: Path, base: Path | None, texts: Mapping[str, str]) -> None:
    """Make it whole under another name first: a second xl-submit may look at the same time."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".draft-"))
    try:
        for name, text in texts.items():
            (draft / name).write_text(text, encoding="utf-8")
        for path in base.iterdir() if base else ():
            if path.name not in texts:
                (draft / path.name).symlink_to(path.absolute())
        draft.rename(folder)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        if not folder.exists():  # else another xl-submit was faster, and has made the same
            raise
