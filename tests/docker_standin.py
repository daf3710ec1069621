"""Stands in for Docker: a daemon that starts programs which are no children of who asks, and its command.

`Daemon` runs in the test and records what it was asked; this file run as a program is ``docker``.
"""

from __future__ import annotations

import array
import contextlib
import csv
import json
import os
import signal
import socket
import subprocess
import sys
import threading

if False:
    from pathlib import Path
    from typing import IO

SWITCHES = ("--rm", "--interactive")  # options of docker run that take no value


class Request:
    """One command line, with the environment of ``docker``."""

    def __init__(self, argv: list[str], environ: dict[str, str]) -> None:
        self.argv, self.environ = argv, environ

    @property
    def verb(self) -> str:
        return self.argv[0]

    def options(self) -> tuple[list[tuple[str, str]], list[str]]:
        """Of docker run: options with their values, and the image with its command."""
        words, found = self.argv[1:], []
        while words and words[0].startswith("--"):
            name = words.pop(0)
            found.append((name, "" if name in SWITCHES else words.pop(0)))
        return found, words

    def all(self, name: str) -> list[str]:
        return [value for option, value in self.options()[0] if option == name]

    def variables(self) -> dict[str, str]:
        """What the program gets."""
        found = {}
        for text in self.all("--env"):
            name, equals, value = text.partition("=")
            if equals or name in self.environ:
                found[name] = value if equals else self.environ[name]
        return found

    def mounts(self) -> dict[str, str]:
        """Folder in the container -> folder of the node."""
        rows = [dict(f.partition("=")[::2] for f in row) for row in csv.reader(self.all("--mount"))]
        return {row["target"]: row["source"] for row in rows}


class Daemon:
    """Docker's daemon below ``folder``; the program ``docker`` lies there too."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[Request] = []
        self.containers: dict[str, subprocess.Popen[bytes]] = {}
        self.command = folder / "docker"
        self.command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{__file__}" "$@"\n')
        self.command.chmod(0o755)
        path = str(folder / "socket")
        self.host = f"unix://{path}"
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(path)
        self._socket.listen()
        self._threads = [threading.Thread(target=self._serve)]
        self._threads[0].start()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._threads[0].join(10)
        self._socket.close()
        for process in self.containers.values():
            process.kill()
        for thread in self._threads:
            thread.join(10)

    def of(self, verb: str) -> list[Request]:
        return [request for request in self.requests if request.verb == verb]

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._answer, args=(client,))
            self._threads.append(thread)
            thread.start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            head, fds, _, _ = socket.recv_fds(client, 1 << 16, 3)
            lines = client.makefile("rb")
            with lines:
                text = head if head.endswith(b"\n") else head + lines.readline()
                request = Request(**json.loads(text))
                self.requests.append(request)
                with contextlib.suppress(BrokenPipeError):  # who asked has been killed
                    try:
                        code = getattr(self, f"_{request.verb}")(request, fds, lines, client)
                    finally:
                        for fd in fds:
                            os.close(fd)
                    if code is not None:
                        _say(client, code)

    def _pull(self, request: Request, fds: list[int], *_: object) -> int:
        if "missing" in request.argv[-1]:
            os.write(fds[2], b"Error response from daemon: manifest unknown\n")
            return 1
        os.write(fds[1], b"Status: Downloaded newer image\n")
        return 0

    def _inspect(self, request: Request, fds: list[int], *_: object) -> int:
        process = self.containers.get(request.argv[-1])
        if process is None:
            return 1
        os.write(fds[1], b"%d\n" % process.pid)
        return 0

    def _rm(self, request: Request, fds: list[int], *_: object) -> int:
        process = self.containers.get(request.argv[-1])
        if process is None:
            os.write(fds[2], b"Error: No such container\n")
            return 1
        process.kill()
        process.wait(10)
        return 0

    def _run(self, request: Request, fds: list[int], lines: IO[bytes], client: socket.socket) -> None:
        options, words = request.options()
        name, folder = request.all("--name")[0], request.mounts()[request.all("--workdir")[0]]
        stdin = fds[0] if ("--interactive", "") in options else subprocess.DEVNULL
        env = {"PATH": os.environ["PATH"], **request.variables()}
        process = subprocess.Popen(words[1:], env=env, cwd=folder, stdin=stdin, stdout=fds[1], stderr=fds[2])
        self.containers[name] = process
        waiter = threading.Thread(target=self._wait, args=(name, process, client))
        waiter.start()
        with contextlib.suppress(ConnectionResetError):
            for line in lines:  # ends when the command has gone
                process.send_signal(int(line))
        waiter.join()

    def _wait(self, name: str, process: subprocess.Popen[bytes], client: socket.socket) -> None:
        code = process.wait()
        self.containers.pop(name)
        _say(client, code if code >= 0 else 128 - code)


def _say(client: socket.socket, code: int) -> None:
    try:
        client.sendall(b"%d\n" % code)
    except (BrokenPipeError, ConnectionResetError):
        return


def main() -> int:
    """``docker``: hands its words, its environment and its files to the daemon, and waits for the code."""
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.connect(os.environ["DOCKER_HOST"].removeprefix("unix://"))
        text = json.dumps({"argv": sys.argv[1:], "environ": dict(os.environ)}).encode() + b"\n"
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
        sent = daemon.sendmsg([text], rights)
        if sent < len(text):
            daemon.sendall(text[sent:])
        signal.signal(signal.SIGTERM, lambda number, _: daemon.sendall(b"%d\n" % number))
        with daemon.makefile("rb") as answer:
            return int(answer.readline())


if __name__ == "__main__":
    sys.exit(main())
