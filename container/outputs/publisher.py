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
from xlearning.container.outputs.upload import Output, publish
from xlearning.container.voice import Voice, clean_all, words
from xlearning.proto import xlearning_pb2 as pb

if TYPE_CHECKING:
    from xlearning.fs.transfer import TransferResult

log = logging.getLogger(__name__)


class Publisher:
    """Takes output folders away.

    Parameters
    ----------
    orders : Orders
        Where configuration and file systems come from.
    voice : Voice
        Is told how it went.

    Attributes
    ----------
    amount : Amount or None
        Progress of the upload while it runs.
    """

    def __init__(self, work: Path, orders: Orders, voice: Voice) -> None:
        self.amount: Amount | None = None
        self._work = work
        self._orders = orders
        self._voice = voice
        self._cancel = threading.Event()
        self._uploaded = False
        self._saves: set[str] = set()
        self._save_turn = asyncio.Lock()

    def cancel(self) -> None:
        """Give up whatever is on its way, now and later."""
        self._cancel.set()

    async def upload(self, order: pb.Upload) -> None:
        """Upload the output once; a repeated order only gets its answer again."""
        if self._uploaded:
            self._voice.say_again("upload_done", "upload_failed")
            return
        self._uploaded = True
        self.amount = Amount()
        try:
            done = await self._publish(order.transfers, self.amount.update)
        except EXPECTED as error:
            log.warning("the output was not uploaded: %s", error)
            self._voice.say(upload_failed=pb.UploadFailed(reason=words(error)))
        else:
            entries = clean_all(done.entries)
            self._voice.say(upload_done=pb.UploadDone(files=done.files, bytes=done.bytes, entries=entries))
        finally:
            self.amount = None

    async def save(self, order: pb.Save) -> None:
        """Upload to another place while the program runs, one save after the other."""
        save_id = order.save_id
        if save_id in self._saves:
            self._voice.say_again("save_done", "save_failed", save_id=save_id)
            return
        self._saves.add(save_id)
        async with self._save_turn:
            try:
                done = await self._publish(order.transfers, lambda _files, _size: None)
            except EXPECTED as error:
                log.warning("save %s failed: %s", save_id, error)
                self._voice.say(save_failed=pb.SaveFailed(save_id=save_id, reason=words(error)))
            else:
                result = pb.SaveDone(save_id=save_id, files=done.files, bytes=done.bytes)
                self._voice.say(save_done=result)

    async def _publish(
        self, transfers: Iterable[pb.Transfer], on_progress: Callable[[int, int], None]
    ) -> TransferResult:
        outputs: Sequence[Output] = [Output(transfer.local, transfer.remote) for transfer in transfers]
        work = functools.partial(
            publish,
            outputs,
            self._work,
            self._orders.fss,
            self._orders.config,
            cancel=self._cancel,
            on_progress=on_progress,
        )
        return await blocking.call(work, name="publish")
