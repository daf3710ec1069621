"""The helper process: orders as lines of JSON on standard input, answers as frames on standard output.

After an order with a ``size`` that many bytes follow.

A frame is one byte (``B`` a batch, ``J`` JSON, ``E`` an error, ``.`` the end of a split), the length, and
that many bytes. Whatever Java itself prints goes to standard error. The process ends with its parent,
even in the middle of Java's work: a thread of its own waits for the end of the orders.
"""

from __future__ import annotations

import json
import os
import queue
import struct
import sys
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

_DONE = b"J", b"null"


def main() -> None:
    """Serve until the orders end."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    from xlearning.formats.java import jvm

    server = _Server()
    while True:
        try:
            kind, data = server.answer(orders.get())
        except Exception as error:  # noqa: BLE001 - whatever Java throws is told; who asked decides
            kind, data = b"E", jvm.words(error).encode("utf-8", "replace")
        _send(out, kind, data)


class _Server:
    """What the helper knows between two orders."""

    def __init__(self) -> None:
        self._input: Any = None
        self._output: Any = None
        self._batches: Iterator[bytes] = iter(())

    def answer(self, order: dict[str, Any]) -> tuple[bytes, bytes]:
        """Kind and content of the answer."""
        from xlearning.formats.java import jvm

        match order["do"]:
            case "start":
                jvm.start(order["classpath"], order["options"])
                return _DONE
            case "input":
                self._input = jvm.Input(order["class"], order["properties"])
                return _DONE
            case "output":
                from xlearning.formats.java.writing import Output

                self._output = Output(order["class"], order["properties"])
                return _DONE
            case "open":
                self._output.open(order["folder"])
                return _DONE
            case "write":
                self._output.write(order["bytes"])
                return _DONE
            case "commit":
                self._output.commit()
                return _DONE
            case "splits":
                return b"J", json.dumps(self._input.splits(order["files"], order["number"])).encode()
            case "read":
                self._batches = self._input.read(order["class"], order["data"])
        batch = next(self._batches, None)
        return (b".", b"") if batch is None else (b"B", batch)


def _listen(orders: queue.SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin.buffer:
        order = json.loads(line)
        if "size" in order:
            order["bytes"] = sys.stdin.buffer.read(order["size"])
        orders.put(order)
    os._exit(0)


def _send(out: BinaryIO, kind: bytes, data: bytes) -> None:
    out.write(kind + struct.pack("<Q", len(data)))
    out.write(data)
    out.flush()


if __name__ == "__main__":
    main()
