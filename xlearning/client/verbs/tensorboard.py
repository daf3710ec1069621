"""``xl-submit tensorboard``: what a job logged, while it runs and when it has ended."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from xlearning.client.answers import tell
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.planning.board import kept_in
from xlearning.client.verbs.applications import Found, find_application
from xlearning.client.verbs.open import address, show
from xlearning.client.verbs.places import Places
from xlearning.errors import ClusterError, UsageError, XLearningError
from xlearning.fs import FileSystems
from xlearning.fs.owners import check_owner
from xlearning.history.reader import HistoryReader
from xlearning.job import VISUALDL, BoardSpec, FetchItem
from xlearning.units import format_bytes

_HOST = "127.0.0.1"
_ADDRESS = re.compile(r" at (http://\S+)")
_PATIENCE = 5.0  # seconds for TensorBoard to end
_INSTALL = "pip install tensorboard"


def run(places: Places, console: Console, *, app_id: str, port: int | None, open_it: bool) -> int:
    """Show the event files of an application; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        Nothing was logged, its files cannot be read, or there is no TensorBoard here.
    """
    found = find_application(app_id, places)
    if not found.report.state.final:
        return _running(found, console, open_it=open_it)
    program = _program()
    with tempfile.TemporaryDirectory(prefix="xlearning-board-") as folder:
        fetch(found, Path(folder), console)
        return _serve([*program, *_arguments(folder, port)], console, open_it=open_it)


def fetch(found: Found, folder: Path, console: Console) -> None:
    """Copy the event files of an application that has ended to ``folder``.

    Raises
    ------
    ClusterError
        Nothing was logged.
    xlearning.errors.XLearningError
        They cannot be read, or are not to be believed.
    """
    fss, user = found.place.fss, found.report.user
    board = _spec(found)
    source = kept_in(board, found.app_id)
    if source.startswith("/"):
        source = Path(source).as_uri()
    items = _files(fss, source, user, "://" not in board.log_dir) if source else []
    if not items:
        where = f"there are no files in {source or board.log_dir}"
        raise ClusterError(
            f"{found.app_id} logged nothing for TensorBoard: {where}",
            hint=f"its program must write event files to {board.log_dir} (--board-logdir)",
        )
    from xlearning.fs.transfer import download  # takes a while to load

    total = sum(item.size for item in items)
    console.info(f"Fetching {format_bytes(total)} from {source} (files: {len(items)})")
    download(fss, items, folder)


def _running(found: Found, console: Console, *, open_it: bool) -> int:
    """The addresses of a TensorBoard that is there already: the direct one, and that of the job's page."""
    _, url = address(found, board=True)
    page = address(found, board=False)[1] if found.place.name == "yarn" else ""
    console.info(f"{found.app_id} runs, and its TensorBoard with it")
    if page:
        console.info(f"through YARN's proxy: {page.rstrip('/')}/tb/")
    told = tell(url, console)
    if open_it:
        show(url, console)
    return EXIT_OK if told else EXIT_CLIENT


def _spec(found: Found) -> BoardSpec:
    """The board as the job had it.

    Raises
    ------
    ClusterError
        It had none, or what was submitted is not recorded.
    """
    history = found.place.history(found.app_id)
    try:
        job = HistoryReader(found.place.fss).believed_spec(history, found.app_id, found.report.user)
    except (XLearningError, OSError) as error:
        raise ClusterError(
            f"what {found.app_id} was submitted with is not known: {error}",
            hint="a job with another xlearning.history.log.dir needs the same --conf here",
        ) from error
    if not job.board.enabled:
        raise ClusterError(
            f"{found.app_id} ran without TensorBoard",
            hint="--board-enable true at the submission keeps what it logs",
        )
    if job.board.program == VISUALDL:
        where = kept_in(job.board, found.app_id)
        raise ClusterError(
            f"{found.app_id} logged for VisualDL, not for TensorBoard",
            hint=f"hdfs dfs -get {where}, then visualdl --logdir FOLDER",
        )
    return job.board


def _files(fss: FileSystems, source: str, user: str, own: bool) -> list[FetchItem]:
    """What is below ``source``; nothing where it is not there. ``own``: it is the job's folder alone."""
    fs = fss.of(source)
    try:
        if own:
            check_owner(fss, source, user, "what was logged")
        statuses = [status for status in fs.walk(source) if not status.is_dir]
    except FileNotFoundError:
        return []
    return [
        FetchItem(status.path, status.path[len(source) :].lstrip("/"), status.size) for status in statuses
    ]


def _program() -> Sequence[str]:
    if importlib.util.find_spec("tensorboard"):
        return [sys.executable, "-m", "tensorboard.main"]
    if found := shutil.which("tensorboard"):
        return [found]
    raise UsageError("TensorBoard is not installed on this machine", hint=_INSTALL)


def _arguments(folder: str, port: int | None) -> list[str]:
    words = [f"--logdir={folder}", f"--host={_HOST}", "--reload_interval=0"]
    return [*words, f"--port={port}"] if port is not None else words


def _serve(command: Sequence[str], console: Console, *, open_it: bool) -> int:
    """Run TensorBoard until Ctrl-C; told once it answers."""
    # in a session of its own, as Ctrl-C is ours to pass on
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True, cwd="/"
    )
    said: list[str] = []
    try:
        assert process.stderr is not None
        for line in process.stderr:
            text = line.decode(errors="replace").rstrip()
            said.append(text)
            if found := _ADDRESS.search(text):
                if not tell(found[1], console):
                    return EXIT_CLIENT
                console.info("Ctrl-C ends it")
                if open_it:
                    show(found[1], console)
        code = process.wait()
    except KeyboardInterrupt as interrupt:
        if hasattr(interrupt, "signum"):  # TERM, which is no way to end it but one to be told
            raise
        return EXIT_OK
    finally:
        _end(process)
    reason = next((text for text in reversed(said) if text.strip()), f"exit code {code}")
    raise ClusterError(f"TensorBoard has ended: {reason}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """TensorBoard's own end takes its data server along."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stderr is not None:
        process.stderr.close()
