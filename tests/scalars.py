"""Event files as training programs write them for TensorBoard, and what the verb of that name shows."""

import signal
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from submitting import Ended, Gateway
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter


def write(folder: Path, tag: str, values: Sequence[float]) -> None:
    """One run with one scalar, a value for each step."""
    writer = EventFileWriter(str(folder))
    for step, value in enumerate(values):
        summary = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
        writer.add_event(Event(step=step, wall_time=1_700_000_000.0 + step, summary=summary))
    writer.close()


def shown(gateway: Gateway, *words: object) -> tuple[str, Ended]:
    """The tags (JSON) that ``xl-submit tensorboard`` shows of a job that has ended, and how it then ends."""
    looking = gateway.start_verb("tensorboard", *words, "--port", 0)
    looking.said("Ctrl-C ends it")
    assert looking.process.stdout is not None
    address = looking.process.stdout.readline().strip()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{address}data/plugin/scalars/tags", timeout=240) as answer:
        tags = answer.read().decode()
    looking.process.send_signal(signal.SIGINT)
    return tags, looking.end()
