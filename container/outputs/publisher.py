"""Carries out the orders about output: the one upload at the end, and saves while the program runs."""

from __future__ import annotations

import asyncio
import functools
import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xlearning.container import blocking
from xlearning.container.amount import Amount
from xlearning.container.orders import EXPECTED, Orders
from xlearning.container.outputs.hold import Hold
from xlearning.container.outputs.ledger import Ledger
from xlearning.container.outputs.save import Order, held, save
from xlearning.container.outputs.upload import Output, Published, publish
from xlearning.container.voice import Voice, words
from xlearning.errors import StorageError
from xlearning.proto import xlearning_pb2 as pb

if TYPE_CHECKING:
    from xlearning.container.outputs.stream import Sink

log = logging.getLogger(__name__)

_SAVE_ENDS = 30.0  # seconds; longer than one call into a file system takes
_TIMEOUT = "xlearning.interresult.upload.timeout"


class Publisher:
    """Takes output folders away.

    Parameters
    ----------
    orders : Orders
        Where configuration and file systems come from.
    voice : Voice
        Is told how it went.
    find_pid : callable
        Id of the program's process; None while there is none.

    Attributes
    ----------
    uploading, saving : Amount or None
        Progress of the upload at the end, and of a save, while they run.
    """

    def __init__(self, work: Path, orders: Orders, voice: Voice, find_pid: Callable[[], int | None]) -> None:
        self.uploading: Amount | None = None
        self.saving: Amount | None = None
        self._work = work
        self._orders = orders
        self._voice = voice
        self._cancel = threading.Event()
        self._uploaded = False
        self._stored = False
        self._save_id = ""
        self._save_cancel = threading.Event()
        self._saves: set[asyncio.Task[Ledger]] = set()
        self._find_pid = find_pid
        self._ledgers: dict[str, Ledger] = {}
        self._sink: Sink | None = None

    @property
    def streaming(self) -> Amount | None:
        """What is stored of the standard output of the program."""
        return None if self._sink is None or self._cancel.is_set() else self._sink.amount

    def attach(self, sink: Sink) -> None:
        """The output is what a program writes to its standard output, and not in folders."""
        self._sink = sink

    def cancel(self) -> None:
        """Give up whatever is on its way, now and later."""
        self._cancel.set()
        self._save_cancel.set()
        if self._sink is not None and not self._stored:
            self._sink.abandon()

    async def upload(self, order: pb.Upload) -> None:
        """Upload the output once; a repeated order only gets its answer again."""
        if self._uploaded:
            self._voice.say_again("upload_done", "upload_failed")
            return
        self._uploaded = True
        await self.end_save(_SAVE_ENDS)
        try:
            if self._sink is not None:
                self.uploading = self._sink.amount
                done = await blocking.call(self._sink.finish, name="parts")
                self._stored = True
            else:
                self.uploading = Amount()
                done = await self._publish(order.transfers, self.uploading)
        except Exception as error:
            known = isinstance(error, EXPECTED)
            log.warning("the output was not uploaded: %s", error, exc_info=None if known else error)
            self._voice.say(upload_failed=pb.UploadFailed(reason=words(error)))
        else:
            stored = pb.UploadDone(files=done.files, bytes=done.bytes, places=done.places)
            self._voice.say(upload_done=stored)
        finally:
            self.uploading = None

    async def save(self, order: pb.Save) -> None:
        """Upload to another place while the program runs; a new order ends an older save."""
        save_id = order.save_id
        if save_id == self._save_id:
            self._voice.say_again("save_done", "save_failed", save_id=save_id)
            return
        self._save_id = save_id
        self._save_cancel.set()
        self._save_cancel = cancel = threading.Event()
        self.saving = amount = Amount()
        saving = asyncio.create_task(blocking.call(self._part(order, cancel, amount), name="save"))
        self._saves.add(saving)
        saving.add_done_callback(self._saved)
        await asyncio.wait({saving}, timeout=order.timeout or None)
        if self.saving is amount:
            self.saving = None
        if save_id != self._save_id:
            return  # nobody asks for it any more, and its word would take the place of the newer one's
        try:
            if not saving.done():
                cancel.set()
                raise StorageError(f"it was not done within {order.timeout:g} s ({_TIMEOUT})")
            ledger = saving.result()
        except Exception as error:  # noqa: BLE001 - whatever it is, the training goes on
            log.warning("save %s failed: %s", save_id, error)
            self._voice.say(save_failed=pb.SaveFailed(save_id=save_id, reason=words(error)))
        else:
            self._ledgers[save_id] = ledger
            own = ledger.own()
            done = pb.SaveDone(
                save_id=save_id,
                files=len(own),
                bytes=sum(entry.size for entry in own),
                kept=len(ledger.entries) - len(own),
                changed=ledger.torn(),
                needs=ledger.needs(),
            )
            self._voice.say(save_done=done)

    async def end_save(self, patience: float) -> None:
        """Give up a save that runs, and wait at most ``patience`` seconds until it touches nothing more."""
        self._save_cancel.set()
        if self._saves:
            await asyncio.wait(set(self._saves), timeout=patience)

    def _part(self, order: pb.Save, cancel: threading.Event, amount: Amount) -> Callable[[], Ledger]:
        outputs = [Output(transfer.local, transfer.remote) for transfer in order.transfers]
        moves = [(move.source, move.target) for move in order.moves]
        fss, config = self._orders.fss, self._orders.config
        base = self._ledgers.get(order.base)
        self._ledgers = {order.base: base} if base is not None else {}
        hold = Hold(self._work, order.save_id, config, self._find_pid)
        what, retry_time = Order(order.save_id, outputs, moves), config.get("xlearning.fs.retry.time")

        def part() -> Ledger:
            known = None
            if base is not None and held(base, what, fss, retry_time=retry_time, cancel=cancel):
                known = base.entries
            ledger = Ledger(order.save_id, self._work, known)
            save(what, ledger, hold, self._work, fss, config, amount, cancel=cancel)
            return ledger

        return part

    def _saved(self, task: asyncio.Task[Ledger]) -> None:
        self._saves.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.info("a save has ended: %s", error)

    async def _publish(self, transfers: Iterable[pb.Transfer], amount: Amount) -> Published:
        outputs: Sequence[Output] = [Output(transfer.local, transfer.remote) for transfer in transfers]
        work = functools.partial(
            publish,
            outputs,
            self._work,
            self._orders.fss,
            self._orders.config,
            cancel=self._cancel,
            on_progress=amount.update,
            on_total=amount.expect,
        )
        return await blocking.call(work, name="publish")
