"""Types of the original that have no counterpart: and what does their work today."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.config import Config
from xlearning.frameworks.base import Crew, Framework


class _Gone(Framework):
    """Refused, whatever else is asked for."""

    runs = False
    refusal = ("", "")

    def problems(self, crew: Crew, config: Config) -> Sequence[tuple[str, str]]:
        return (self.refusal,)


class Xdl(_Gone):
    """Its processes met in a ZooKeeper that the ApplicationMaster started in Docker."""

    refusal = (
        "type XDL is not supported: its processes meet in a ZooKeeper, which XLearning does not start",
        "for a scheduler, servers and workers that meet by DMLC_* variables use --app-type MXNET; "
        "with a ZooKeeper of your own use --app-type XLEARNING and --env ZK_ADDR=...",
    )


class Vpc(_Gone):
    """A container to log in to by ssh, which a patched NodeManager made."""

    refusal = (
        "type VPC is not supported: XLearning opens no containers for logins",
        "to hold containers for programs of your own run them with --app-type XLEARNING; "
        "xl-submit logs -f and xl-submit top show what they do",
    )


class Digits(_Gone):
    """NVIDIA DIGITS behind the same logins; its development has ended."""

    refusal = (
        "type DIGITS is not supported: DIGITS is no longer developed",
        "train with --app-type XLEARNING and watch with TensorBoard (xlearning.tf.board.enable)",
    )
