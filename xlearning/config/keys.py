"""The one table of all properties, put together from `xlearning.config.table`, and its names."""

from __future__ import annotations

from xlearning.config.schema import HBOX_PREFIX, PREFIX, Family, Group, Key, Kind
from xlearning.config.table.application import APPLICATION, LOCAL, NODES, SECURITY
from xlearning.config.table.data import FILE_SYSTEMS, INPUT, OUTPUT, SAVES, STREAM
from xlearning.config.table.file_systems import FSSPEC_OPTIONS, OTHER_FILE_SYSTEMS
from xlearning.config.table.frameworks import BOARD, LIGHTLDA, MPI, TENSORFLOW, XGBOOST
from xlearning.config.table.hadoop import HADOOP, HADOOP_FAMILIES
from xlearning.config.table.history import HISTORY_SERVER, PAGE, PAGES_OF_CLUSTERS
from xlearning.config.table.lines import TEXT_FAMILY
from xlearning.config.table.resources import PLACEMENT, RESOURCES
from xlearning.config.table.running import AGENTS, CONTAINERS, DOCKER

__all__ = [
    "FAMILIES",
    "GROUPS",
    "HADOOP_FAMILIES",
    "HBOX_PREFIX",
    "KEYS",
    "PREFIX",
    "Family",
    "Group",
    "Key",
    "Kind",
    "canonical",
    "family",
    "is_known",
    "lookup",
    "suggestions",
    "unprefixed",
]

GROUPS: tuple[Group, ...] = (
    *(RESOURCES, PLACEMENT, APPLICATION, NODES, SECURITY, INPUT, STREAM, TEXT_FAMILY),
    *(OUTPUT, SAVES, FILE_SYSTEMS, OTHER_FILE_SYSTEMS),
    *(TENSORFLOW, XGBOOST, LIGHTLDA, BOARD, MPI),
    *(CONTAINERS, AGENTS, DOCKER, LOCAL, PAGE, HISTORY_SERVER, HADOOP),
)

KEYS: tuple[Key, ...] = tuple(key for group in GROUPS for key in group.keys)

FAMILIES: tuple[Family, ...] = (
    Family("xlearning.container.env.", "Variables of the user's program.", ("hbox.container.env.",)),
    Family("xlearning.am.env.", "Variables of the ApplicationMaster.", ("hbox.am.env.",)),
    FSSPEC_OPTIONS,
    PAGES_OF_CLUSTERS,
)

_BY_NAME = {name: key for key in KEYS for name in (key.name, *key.aliases)}


def lookup(name: str) -> Key | None:
    """The key called ``name``, under its own name or an alias; None when there is none."""
    return _BY_NAME.get(name)


def family(name: str) -> Family | None:
    """The family that ``name`` is a member of, Hadoop's included; None when there is none."""
    full = canonical(name)
    return next((one for one in (*FAMILIES, *HADOOP_FAMILIES) if one.holds(full)), None)


def canonical(name: str) -> str:
    """The name under which a property is kept: that of its key or family, else ``name`` itself."""
    key = _BY_NAME.get(name)
    if key is not None:
        return key.name
    for one in FAMILIES:
        for alias in one.aliases:
            if name.startswith(alias):
                return one.prefix + name[len(alias) :]
    return PREFIX + name[len(HBOX_PREFIX) :] if name.startswith(HBOX_PREFIX) else name


def is_known(name: str) -> bool:
    """Whether ``name`` is a key, an alias or a member of a family of ours."""
    return name in _BY_NAME or family(name) in FAMILIES


def unprefixed(name: str) -> str | None:
    """The property of ours that ``name`` stands for if its prefix was left out; ``-`` may be ``.``."""
    if name in _BY_NAME:
        return None
    for prefix in (PREFIX, HBOX_PREFIX, f"{PREFIX}container."):
        full = prefix + name
        for one in (full, full.replace("-", ".")):
            if one in _BY_NAME or (one.endswith(name) and family(one) in FAMILIES):
                return canonical(one)
    return None


def suggestions(name: str, most: int = 1) -> list[str]:
    """Known names that are like an unknown one, the most similar first."""
    import difflib

    names = [known for known in _BY_NAME if known.startswith(name.partition(".")[0] + ".")]
    return difflib.get_close_matches(name, names, n=most, cutoff=0.75)
