"""One container's part of a Save Model: the output folders as they are while the program writes them."""

from __future__ import annotations

import functools
import json
import logging
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xlearning.config import Config
from xlearning.container.amount import Amount
from xlearning.container.outputs.hold import Hold
from xlearning.container.outputs.ledger import Ledger
from xlearning.container.outputs.upload import OnProgress, Output, publish
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems, parent
from xlearning.fs.base import exists, join
from xlearning.fs.intent import MANIFESTS

log = logging.getLogger(__name__)

_TRIES = 3  # copies of a file that changes while it is copied


@dataclass(frozen=True)
class Order:
    """What to save.

    Attributes
    ----------
    outputs : sequence of Output
        Their ``remote`` is out of sight, at or below the first folder of a move.
    moves : sequence of (str, str)
        (URI of a folder that was uploaded to, URI ``<save's folder>/<container>`` under which it is seen).
    """

    save_id: str
    outputs: Sequence[Output]
    moves: Sequence[tuple[str, str]]


def save(
    order: Order,
    ledger: Ledger,
    hold: Hold,
    work: Path,
    fss: FileSystems,
    config: Config,
    amount: Amount,
    *,
    cancel: threading.Event,
) -> None:
    """Upload every output folder out of sight, make it visible by a rename, list it last. Blocks.

    Files that change while they are copied are copied again; what changes every time is marked in the
    manifest. Files that the program deletes meanwhile are left out. What was uploaded in vain is deleted.
    A part without files leaves nothing.

    Parameters
    ----------
    ledger : Ledger
        Is filled.
    amount : Amount
        Is told how much is copied.
    cancel : threading.Event
        Set it from another thread to give up.

    Raises
    ------
    xlearning.errors.XLearningError, OSError
        See `xlearning.container.outputs.upload.publish` and `Hold`.
    """
    from xlearning.fs.retry import keep_trying
    from xlearning.fs.steps import rename_once

    step = functools.partial(keep_trying, retry_time=config.get("xlearning.fs.retry.time"), cancel=cancel)
    try:
        confirmed = hold.ask(cancel)
        if hold.must_confirm and not confirmed and _holds_files(order, work):
            raise hold.refusal()
        for source, _ in order.moves:
            step(functools.partial(fss.of(source).mkdirs, source))
        _copy(order, ledger, work, fss, config, amount, cancel)
        hold.release()
        if not ledger.entries:
            _remove([source for source, _ in order.moves], fss)
            return
        for source, target in order.moves:
            fs = fss.of(source)
            step(functools.partial(fs.mkdirs, parent(target)))
            step(functools.partial(rename_once, fs, source, target))
        for source, target in order.moves:
            folder, _, container_id = target.rpartition("/")
            about = ledger.manifest(_below(source, order.outputs), container_id, confirmed)
            if not about["files"]:
                continue
            path = join(folder, MANIFESTS, f"{container_id}.json")
            step(functools.partial(_write, fss, path, json.dumps(about).encode("ascii")))
    except BaseException:
        hold.release()
        _remove([source for source, _ in order.moves], fss)
        raise


def held(base: Ledger, order: Order, fss: FileSystems, *, retry_time: float, cancel: threading.Event) -> bool:
    """Whether every save that holds files of ``base`` is still there. Blocks.

    Raises
    ------
    xlearning.errors.XLearningError, OSError
        It cannot be found out, within ``retry_time`` seconds.
    """
    from xlearning.fs.retry import keep_trying

    for holder in (base.save_id, *base.needs()):
        for _, target in order.moves:
            folder, _, container_id = target.rpartition("/")
            place = join(folder.removesuffix(order.save_id) + holder, container_id)
            look = functools.partial(exists, fss.of(place), place)
            if not keep_trying(look, retry_time=retry_time, cancel=cancel):
                return False
    return True


def _below(source: str, outputs: Sequence[Output]) -> dict[str, str]:
    """Local folder -> where below ``source`` its content was uploaded to."""
    return {
        one.local: one.remote.removeprefix(source).lstrip("/")
        for one in outputs
        if f"{one.remote}/".startswith(f"{source}/")
    }


def _holds_files(order: Order, work: Path) -> bool:
    """Whether there is anything that could be torn: a program without files need not confirm any."""
    for output in order.outputs:
        for folder, folders, files in os.walk(work / output.local):
            if files or any((Path(folder) / name).is_symlink() for name in folders):
                return True
    return False


def _copy(
    order: Order,
    ledger: Ledger,
    work: Path,
    fss: FileSystems,
    config: Config,
    amount: Amount,
    cancel: threading.Event,
) -> None:
    for number in range(_TRIES):
        if number and not ledger.repeat():
            return
        # how many files have changed, or change meanwhile, is not known before
        amount.expect(0, 0)
        publish(
            order.outputs,
            work,
            fss,
            config,
            cancel=cancel,
            on_progress=_more(amount),
            on_total=None if number or ledger.is_incremental else amount.expect,
            alive=True,
            watch=ledger.of,
        )


def _more(amount: Amount) -> OnProgress:
    """Counts on top of what was copied before."""
    files, size = amount.files, amount.size
    return lambda more_files, more_size: amount.update(files + more_files, size + more_size)


def _write(fss: FileSystems, path: str, data: bytes) -> None:
    fs = fss.of(path)
    fs.mkdirs(parent(path))
    with fs.open_write(path, overwrite=True) as stream:
        stream.write(data)


def _remove(folders: Sequence[str], fss: FileSystems) -> None:
    """Delete uploads that nobody will see; the end of the job deletes what cannot be deleted now."""
    for folder in folders:
        try:
            fss.of(folder).delete(folder, recursive=True)
        except (XLearningError, OSError) as error:
            log.warning("%s is left for the end of the job: %s", folder, error)
