"""Adds up one number of each worker by passing partial sums around the ring, as an allreduce does."""

from __future__ import annotations

import os
import socket
import time


def address(name: str) -> tuple[str, int]:
    host, _, port = os.environ[name].rpartition(":")
    return host, int(port)


def connect(to: tuple[str, int]) -> socket.socket:
    while True:  # the neighbour may not listen yet
        try:
            return socket.create_connection(to, timeout=30)
        except ConnectionRefusedError:
            time.sleep(0.05)


def main() -> None:
    index, total = int(os.environ["INDEX"]), 0
    with socket.create_server(address("RING_OWN"), reuse_port=True) as server:
        right = connect(address("RING_RIGHT"))
        left, _ = server.accept()
    with left, right:
        passed = number = (index + 1) ** 2
        for _ in range(int(os.environ["RING_SIZE"])):
            total += passed
            right.sendall(f"{passed:>20}".encode())
            passed = int(left.recv(20, socket.MSG_WAITALL))
    assert passed == number
    print(f"sum {total}", flush=True)


if __name__ == "__main__":
    main()
