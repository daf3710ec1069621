"""Entry point of the ApplicationMaster; the one place that puts am, webui and cluster together."""

from __future__ import annotations

import asyncio
import getpass
import logging
import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from xlearning import jsonfile
from xlearning.am.again import say_again
from xlearning.am.core.events import AmStopped
from xlearning.am.orphan import die_with_parent
from xlearning.am.page import RuntimeSource
from xlearning.am.runtime import Runtime, Services
from xlearning.cluster import base, credentials, ended
from xlearning.cluster.base import ContainerManager
from xlearning.config import Config
from xlearning.config.confidential import mask
from xlearning.config.discreet import DiscreetFormatter
from xlearning.errors import ClusterError, XLearningError
from xlearning.fs import FileSystems, tokens
from xlearning.fs.base import exists, join, split_uri
from xlearning.fs.owners import check_owner
from xlearning.history.store import HistoryWriter
from xlearning.job import AppState, JobSpec

if TYPE_CHECKING:
    from xlearning.webui.server import PageServer

log = logging.getLogger("xlearning.am")

RETRY_EXIT = 10  # exit code of an attempt that asks for another one
_STAGED_PATIENCE, _STAGED_LOOK = 60.0, 0.1  # seconds to wait for job.json on YARN
_PAGE_FAREWELL = 4.0  # seconds in which an open page can still fetch the final state
# Seconds; the page's libraries must not compete with the start of the agents and the programs.
_PAGE_WAITS, _PAGE_DELAY = 2.0, 0.5


def read_job(storage: FileSystems, staging: str) -> JobSpec:
    """The job that the client staged."""
    path = join(staging, "job.json")
    try:
        return jsonfile.read_record(storage.of(path), path, JobSpec)
    except ValueError as error:
        raise ClusterError(f"{path} is damaged: {error}") from error


def await_job(
    storage: FileSystems, staging: str, attempt: int, patience: float, owner: str | None = None
) -> JobSpec:
    """The job, as soon as it is staged.

    On YARN the name of the staging folder is known only once the application is submitted, so the
    ApplicationMaster may be there before it. A later attempt that finds no folder comes after the end.

    Parameters
    ----------
    owner : str, optional
        Whose the folder must be: where ids can be foreseen, others can stage a job of theirs before us.

    Raises
    ------
    NotBelieved
        It belongs to somebody else.
    ClusterError
        There is no job after ``patience`` seconds, or there will be none.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            if owner is not None:
                check_owner(storage, staging, owner, "what is staged")
            return read_job(storage, staging)
        except FileNotFoundError as error:
            if attempt > 1 and not exists(storage.of(staging), staging):
                raise ClusterError(
                    f"{staging} is gone: the job had ended before attempt {attempt}"
                ) from error
            if time.monotonic() >= deadline:
                words = f"no job in {staging} after {patience:g} s: xl-submit was ended before it wrote it"
                raise ClusterError(words) from error
            time.sleep(_STAGED_LOOK)


def container_manager(environ: Mapping[str, str], job: JobSpec) -> tuple[ContainerManager, bool]:
    """The back end named by ``XLEARNING_BACKEND``, and whether containers were asked for at submit."""
    backend = environ.get(base.ENV_BACKEND)
    if backend == "local":
        from xlearning.cluster.local_containers import LocalContainerManager

        return LocalContainerManager.from_environ(environ, job), False
    if backend == "yarn":
        from xlearning.cluster import skein

        yarn = skein.container_manager(job, int(environ[base.ENV_ATTEMPT]))
        return yarn, yarn.requested
    raise ClusterError(f"unknown back end {backend!r} in {base.ENV_BACKEND}")


def history_root(config: Config, storage: FileSystems, environ: Mapping[str, str]) -> str:
    """Folder of all history records.

    Without a setting, local jobs keep theirs below ``xlearning.local.dir``: a folder in /tmp would
    belong to whoever runs the first job.
    """
    if environ.get(base.ENV_BACKEND) == "local" and not config.is_set("xlearning.history.log.dir"):
        return (Path(config.get("xlearning.local.dir")).absolute() / "history").as_uri()
    return storage.resolve(config.get("xlearning.history.log.dir"))


async def serve_page(runtime: Runtime, manager: ContainerManager) -> PageServer | None:
    """Start the job page. The job does not depend on it: a failure is logged."""
    source = RuntimeSource(runtime, manager, asyncio.get_running_loop())
    try:
        await runtime.launched(_PAGE_WAITS)
        await asyncio.sleep(_PAGE_DELAY)
        server = await asyncio.to_thread(_start_page, source)
        await runtime.set_page(server.port, server.path)
    except Exception:  # whatever it is
        log.exception("the job page could not be started; the job goes on without it")
        return None
    return server


def _start_page(source: RuntimeSource) -> PageServer:
    from xlearning.webui.server import PageServer

    return PageServer(source, viewers=os.environ.get(base.ENV_VIEWERS, "").split())


async def run(environ: Mapping[str, str]) -> int:
    """Run one attempt; returns the process's exit code."""
    staging, attempt = environ[base.ENV_STAGING], int(environ[base.ENV_ATTEMPT])
    scheme, authority, _ = split_uri(staging)
    on_yarn = environ.get(base.ENV_BACKEND) == "yarn"
    if on_yarn:
        die_with_parent()
    patience = _STAGED_PATIENCE if on_yarn else 0.0
    owner = _user(environ) if on_yarn else None
    job = await_job(FileSystems(f"{scheme}://{authority}"), staging, attempt, patience, owner)
    config = Config.from_properties(job.properties)
    storage = FileSystems(job.default_fs, timeout=config.get("xlearning.fs.timeout"), config=config)
    manager, requested = container_manager(environ, job)
    said = ended.read(storage, job.staging) if attempt > 1 else None
    if said is not None:
        state = await asyncio.to_thread(say_again, said, job, config, storage, manager)
        return 0 if state is AppState.SUCCEEDED else 1
    certificate, key = credentials.load(Path(environ[base.ENV_CREDENTIALS]))
    folder = join(history_root(config, storage, environ), job.app_id)
    history = HistoryWriter(storage, folder, owner=owner or job.user)
    history.spec(job)
    services = Services(
        manager=manager,
        storage=storage,
        history=history,
        certificate=certificate,
        key=key,
        address_host=environ.get(base.ENV_HOST, "127.0.0.1"),
        requested=requested,
    )
    runtime = Runtime(job, attempt, services)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, lambda: runtime.post(_stopped(on_yarn)))
    page = None
    if config.get("xlearning.webui.enable"):
        page = loop.create_task(serve_page(runtime, manager))
    outcome = await runtime.run()
    if page is not None and not page.done():
        page.cancel()
    elif page is not None and (server := page.result()) is not None:
        await asyncio.to_thread(server.close, _PAGE_FAREWELL)
    await asyncio.to_thread(manager.close)
    if runtime.retry:
        return RETRY_EXIT
    return 0 if outcome is AppState.SUCCEEDED else 1


def _user(environ: Mapping[str, str]) -> str:
    """Who this application is of: YARN says it to every container, and our script to HDFS."""
    return environ.get("HADOOP_USER_NAME") or environ.get("USER") or getpass.getuser()


def _stopped(on_yarn: bool) -> AmStopped:
    """TERM. On YARN it may be a kill, but also a node that goes down: then another attempt follows."""
    return AmStopped("the back end stopped the job", again=on_yarn)


def main() -> int:
    """Run the attempt that the environment describes."""
    console = logging.StreamHandler()
    console.setFormatter(DiscreetFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[console])
    try:
        if os.environ.get(base.ENV_BACKEND) == "yarn":
            tokens.adopt(os.environ, Path.cwd(), os.environ.get(base.ENV_FILE_SYSTEMS, "").split())
        return asyncio.run(run(os.environ))
    except (XLearningError, OSError, KeyError) as error:
        log.exception("the ApplicationMaster cannot go on")
        words = " ".join(str(error).split()) if isinstance(error, XLearningError) else repr(error)
        print(f"the ApplicationMaster cannot go on: {mask(words)}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
