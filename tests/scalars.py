"""Event files as training programs write them for TensorBoard."""

from collections.abc import Sequence
from pathlib import Path

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
