"""Paths of this machine in a job for a cluster, where every node takes them for paths of its own."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.fs import FileSystems
from xlearning.fs.base import split_uri
from xlearning.job import InputSpec, OutputSpec


def tell(
    inputs: Sequence[InputSpec],
    outputs: Sequence[OutputSpec],
    default_fs: str,
    fss: FileSystems,
    notes: list[str],
) -> None:
    """A note for each path of a disk; none where disks are all that the cluster has (``default_fs``)."""
    if _on_disk(default_fs, fss):
        return
    patterns = dict.fromkeys(pattern for spec in inputs for pattern in spec.patterns)
    notes += [
        f"input {pattern} was looked at on this machine: every node must have the same files under this path"
        for pattern in patterns
        if _on_disk(pattern, fss)
    ]
    notes += [
        f"output {spec.remote} is on a disk: every node must reach this same folder, as on a shared disk"
        for spec in outputs
        if _on_disk(spec.remote, fss)
    ]


def _on_disk(uri: str, fss: FileSystems) -> bool:
    return split_uri(fss.behind(uri))[0] == "file"
