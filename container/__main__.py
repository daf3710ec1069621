"""``python -m xlearning.container``: the agent of one container, started by a back end."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path

from xlearning.cluster import bundle
from xlearning.cluster.base import ENV_BACKEND, ENV_FILE_SYSTEMS
from xlearning.config.confidential import mask
from xlearning.config.discreet import DiscreetFormatter
from xlearning.container.arena import share_one_arena
from xlearning.container.identity import Identity
from xlearning.container.process import become_subreaper
from xlearning.errors import XLearningError
from xlearning.fs import tokens

log = logging.getLogger("xlearning.container")


def main() -> int:
    """Run the agent in the current folder; its exit code."""
    become_subreaper()
    share_one_arena()
    try:
        identity = Identity.from_environment(os.environ)
        _log_to(identity.log_dir)
        if os.environ.get(ENV_BACKEND) == "yarn":
            bundle.unpack(Path.cwd())
            tokens.adopt(os.environ, Path.cwd(), os.environ.get(ENV_FILE_SYSTEMS, "").split())
        return asyncio.run(_serve(identity))
    except XLearningError as error:
        print(f"xlearning agent: {mask(str(error))}", file=sys.stderr)
        return 1


async def _serve(identity: Identity) -> int:
    # gRPC is loaded only here: a missing variable is told at once.
    from xlearning.container.agent import Agent

    log.info("agent of %s, attempt %d, on %s", identity.container_id, identity.attempt, identity.host)
    agent = Agent(identity, Path.cwd(), os.environ.get("PYTHONPATH", ""))
    return await agent.run()


def _log_to(folder: Path) -> None:
    """Everything into ``agent.log``; what a person must see on stderr too (YARN shows its end)."""
    folder.mkdir(parents=True, exist_ok=True)
    file = logging.FileHandler(folder / "agent.log", encoding="utf-8", errors="backslashreplace")
    file.setFormatter(DiscreetFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    console = logging.StreamHandler()
    console.setFormatter(DiscreetFormatter("xlearning agent: %(message)s"))
    console.setLevel(logging.WARNING)
    logging.basicConfig(level=logging.INFO, handlers=[file, console])


if __name__ == "__main__":
    sys.exit(main())
