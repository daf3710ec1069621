"""Properties: one table (`keys`), layers with sources (`layers`), Hadoop's XML files (`hadoop_xml`)."""

from __future__ import annotations

from xlearning.config.keys import FAMILIES, KEYS, Family, Key, Kind, lookup
from xlearning.config.layers import DEFAULT, Config, find_conf_dir, load

__all__ = [
    "DEFAULT",
    "FAMILIES",
    "KEYS",
    "Config",
    "Family",
    "Key",
    "Kind",
    "find_conf_dir",
    "load",
    "lookup",
]
