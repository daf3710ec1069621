"""The configuration of one submission or verb, and who asks."""

from __future__ import annotations

import functools
import getpass
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from xlearning.client.problems import Problem
from xlearning.config import Config, find_conf_dir, load
from xlearning.config.effects import judge
from xlearning.errors import ConfigError

_CLUSTER = "xlearning.cluster.name"


@dataclass(frozen=True)
class Layers:
    """What is set above the site file.

    Attributes
    ----------
    conf_files : tuple of str
        ``--conf-file``, later ones win.
    conf : tuple of (name, text)
        ``--conf``, later ones win.
    options : mapping
        Property -> (text, option as the user wrote it); these win over ``conf``.
    properties_files : tuple of str
        ``--properties-file``, above ``conf_files``; later ones win.
    """

    conf_files: tuple[str, ...] = ()
    conf: tuple[tuple[str, str], ...] = ()
    options: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    properties_files: tuple[str, ...] = ()


def read_config(
    layers: Layers, problems: list[Problem], notes: list[str], *, tolerant: bool = False
) -> Config | None:
    """The configuration; None, and a problem more, when it cannot be used. Warnings become notes.

    With ``tolerant`` one with bad values is returned too, beside the problem; see `Config.bad`.
    """
    try:
        config = _load(layers, tolerant=tolerant)
    except ConfigError as error:
        notes += error.warnings
        problems.append(Problem(error.message, error.hint or ""))
        return None
    if config.fault is not None:
        problems.append(Problem(config.fault.message, config.fault.hint or ""))
    notes += [*config.warnings, *judge(config).warnings]
    return config


def _load(layers: Layers, *, tolerant: bool) -> Config:
    """All layers; where they name a cluster, ``HADOOP_CONF_DIR`` becomes that of the cluster."""
    read = functools.partial(
        load,
        environ=os.environ,
        conf_dir=find_conf_dir(os.environ),
        conf_files=[Path(text) for text in layers.conf_files],
        properties_files=[Path(text) for text in layers.properties_files],
        overrides=layers.conf,
        options=layers.options,
        tolerant=tolerant,
    )
    config = read()
    if not config.is_set(_CLUSTER):
        return config
    from xlearning.client.clusters import use_cluster

    return read(cluster_files=use_cluster(config, os.environ))


def cluster_option(name: str | None) -> dict[str, tuple[str, str]]:
    """What ``--cluster`` sets."""
    return {} if name is None else {_CLUSTER: (name, "--cluster")}


def user_name(environ: Mapping[str, str]) -> str:
    """The user as Hadoop sees it: the name in ``HADOOP_USER_NAME``, else the one who is logged in.

    As Hadoop does, ``name@REALM`` and ``name/host@REALM`` are taken for ``name``.
    """
    given = environ.get("HADOOP_USER_NAME") or getpass.getuser()
    return given.partition("@")[0].partition("/")[0] or given


def interpreter_of(config: Config) -> str:
    """Path of the Python of our processes."""
    return config.get("xlearning.python") or os.path.realpath(sys.executable)


def split_pairs(texts: tuple[str, ...], problems: list[Problem]) -> tuple[tuple[str, str], ...]:
    """``KEY=VALUE`` of ``--conf`` taken apart; what is none is a problem."""
    pairs = []
    for text in texts:
        name, sep, value = text.partition("=")
        if not sep or not name.strip():
            problems.append(Problem(f"--conf {text} is not a pair", "write --conf KEY=VALUE"))
            continue
        pairs.append((name.strip(), value))
    return tuple(pairs)
