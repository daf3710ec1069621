"""Transfers of containers: how fast they go, and what people see of them."""

from __future__ import annotations

import dataclasses

import webui_samples as samples

from xlearning.am.core import events as ev
from xlearning.client.following.changes import summary
from xlearning.client.following.panel_text import Moment, panel_text
from xlearning.container.amount import Amount
from xlearning.job import ContainerState, TransferView
from xlearning.proto import xlearning_pb2 as pb
from xlearning.proto.convert import to_event_fields
from xlearning.webui.view import transfer_text

MIB = 1 << 20


def test_the_rate_is_that_of_the_last_seconds() -> None:
    times = iter(range(100))
    amount = Amount(now=lambda: float(next(times)))
    assert amount.rate() == 0.0
    rates = []
    for second in range(1, 30):
        amount.update(1, 100 * min(second, 10))  # stalls after 10 s
        rates.append(amount.rate())
    assert rates[:10] == [100.0] * 10
    assert rates[14] == 50.0
    assert rates[-1] == 0.0


def test_where_there_is_no_total_none_is_shown() -> None:
    assert transfer_text(None) == ""
    moving = TransferView("output", 3, 2 * MIB, 0, 0, 1.5 * MIB)
    assert transfer_text(moving) == "output: 2.0 MiB, 1.5 MiB/s"
    full = dataclasses.replace(moving, total_files=10, total_size=8 * MIB)
    assert transfer_text(full) == "output: 3 of 10 files, 2.0 MiB of 8.0 MiB, 1.5 MiB/s"


def test_the_client_adds_the_containers_up() -> None:
    one = TransferView("input", 3, 2 * MIB, 10, 8 * MIB, 1.5 * MIB)
    containers = tuple(
        samples.container(number, index=number, state=ContainerState.LAUNCHING, transfer=transfer)
        for number, transfer in enumerate((one, one, None))
    )
    job = samples.job(containers=containers)
    line = "reading input: 6 of 20 files, 4.0 MiB of 16.0 MiB, 3.0 MiB/s"
    assert summary(job).endswith(line)
    assert f"\n  {line}\n" in panel_text(Moment("application_1_0001", 1.0, job))


def test_a_message_cannot_bring_a_rate_that_is_no_number() -> None:
    message = pb.AgentMessage(upload_progress=pb.UploadProgress(files=1, bytes=2, rate=float("nan")))
    name, fields = to_event_fields(message)
    assert name == ev.UploadProgressed.__name__
    assert fields == {"files": 1, "size": 2, "total_files": 0, "total_size": 0, "rate": 0.0, "save": False}
