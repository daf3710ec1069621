"""Types of the original that have no counterpart: and what does their work today."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.config import Config
from xlearning.frameworks.base import Crew, Framework


class Xdl(Framework):
    """Its processes met in a ZooKeeper that the ApplicationMaster started in Docker."""

    has_ps = True

    def problems(self, crew: Crew, config: Config) -> Sequence[tuple[str, str]]:
        """XDL itself is no longer developed."""
        return (
            (
                "type XDL is not supported: its processes meet in a ZooKeeper, "
                "which XLearning does not start",
                "for a scheduler, servers and workers that meet by DMLC_* variables "
                "use --app-type MXNET; with a ZooKeeper of your own "
                "use --app-type XLEARNING and --env ZK_ADDR=...",
            ),
        )


class Vpc(Framework):
    """A container to log in to by ssh, which a patched NodeManager made."""

    def problems(self, crew: Crew, config: Config) -> Sequence[tuple[str, str]]:
        """No password is handed out, no port is opened for logins."""
        return (
            (
                "type VPC is not supported: XLearning opens no containers for logins",
                "to hold containers for programs of your own run them with --app-type XLEARNING; "
                "xl-submit logs -f and xl-submit top show what they do",
            ),
        )


class Digits(Framework):
    """NVIDIA DIGITS behind the same logins; its development has ended."""

    def problems(self, crew: Crew, config: Config) -> Sequence[tuple[str, str]]:
        """TensorBoard shows what DIGITS showed."""
        return (
            (
                "type DIGITS is not supported: DIGITS is no longer developed",
                "train with --app-type XLEARNING and watch with TensorBoard (xlearning.tf.board.enable)",
            ),
        )
