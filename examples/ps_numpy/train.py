"""Softmax regression trained by one parameter server and any number of workers, with numpy alone.

Every process of the job runs this same program; ``TF_ROLE``, ``TF_INDEX`` and ``TF_CLUSTER_DEF`` tell
it who it is and where the others are. In each step every worker computes the gradient over its own
rows and pushes it; the server adds the gradients in the order of the workers, moves the weights and
answers with the new ones. The result does not depend on how the files are spread over the workers.
Without ``TF_CLUSTER_DEF`` the program trains alone.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import socket
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

Message = dict[str, Any]  # name -> array, number or text
CONNECT_SECONDS = 30.0
LONGEST_MESSAGE = 1 << 28  # bytes
HEADER = struct.Struct("!Q")  # length of the message that follows: numpy's own .npz


def input_files() -> list[str]:
    """Addresses of this worker's files: given by XLearning, else everything in ``./data``."""
    listed = os.environ.get("INPUT_FILE_LIST")
    if listed is None and Path("inputFileList.txt").exists():  # the list was too long for a variable
        listed = Path("inputFileList.txt").read_text(encoding="utf-8")
    if listed is None:
        return sorted(str(path) for path in Path("data").rglob("*") if path.is_file())
    return [uri for uris in json.loads(listed).values() for uri in uris]


def open_uri(uri: str) -> io.BytesIO:
    """The content of a local path, a ``file://`` or an ``hdfs://`` address (not percent-encoded)."""
    scheme, separator, rest = uri.partition("://")
    if not separator or scheme == "file":
        return io.BytesIO(Path(rest if separator else uri).read_bytes())
    if scheme != "hdfs":
        raise SystemExit(f"cannot read {uri}: only file:// and hdfs:// are supported")
    try:
        from hdfs_native import Client
    except ImportError:
        raise SystemExit(
            f"cannot read {uri}: install hdfs-native, or use --input-strategy DOWNLOAD"
        ) from None
    authority, _, path = rest.partition("/")
    return io.BytesIO(Client(f"hdfs://{authority}").read(f"/{path}").read())


def load_rows(files: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Features (rows x columns, with a leading column of ones) and labels (rows) of CSV files."""
    tables = [np.loadtxt(open_uri(uri), delimiter=",", ndmin=2) for uri in files]
    table = np.concatenate(tables) if tables else np.empty((0, 1))
    return np.hstack([np.ones((len(table), 1)), table[:, 1:]]), table[:, 0].astype(int)


def gradient(weights: np.ndarray, features: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, float, int]:
    """Sums over all rows: gradient of the cross entropy, cross entropy, rows classified correctly."""
    scores = features @ weights
    scores -= scores.max(axis=1, keepdims=True)
    log_probability = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    error, chosen = np.exp(log_probability), (np.arange(len(labels)), labels)
    error[chosen] -= 1.0
    correct = int((scores.argmax(axis=1) == labels).sum())
    return features.T @ error, -float(log_probability[chosen].sum()), correct


class ParameterServer:
    """Weights shared by all workers; every method waits for the workers that have not called yet."""

    def __init__(self, workers: int, steps: int, learning_rate: float, folder: Path | None = None) -> None:
        self.workers, self.steps, self.learning_rate, self.folder = workers, steps, learning_rate, folder
        self.step, self.loss, self.accuracy, self.rows = 0, float("nan"), float("nan"), 1
        self.weights: np.ndarray | None = None
        self.updates = [0] * workers
        self.joined: dict[int, tuple[int, int, int]] = {}
        self.pushed: dict[int, tuple[np.ndarray, float, int]] = {}
        self.changed = threading.Condition()

    def call(self, name: str, **arguments: Any) -> Message:
        """``join`` or ``push`` by name, as `RemoteServer.call` asks for it."""
        return {"join": self.join, "push": self.push}[name](**arguments)

    def join(self, worker: int, columns: int, classes: int, rows: int) -> Message:
        """A worker says how its data look; answered once all have joined."""
        with self.changed:
            self.joined[worker] = (columns, classes, rows)
            if len(self.joined) == self.workers and self.weights is None:
                shapes = np.array(list(self.joined.values()))
                self.weights = np.zeros((shapes[:, 0].max(), shapes[:, 1].max()))
                self.rows = max(1, shapes[:, 2].sum())
                self.changed.notify_all()
            self.changed.wait_for(lambda: self.weights is not None)
            return self.state()

    def push(self, worker: int, step: int, gradient: np.ndarray, loss: float, correct: int) -> Message:
        """A worker's contribution to one step; answered once that step is done."""
        with self.changed:
            if step == self.step:
                self.pushed[worker] = (gradient, loss, correct)
                if len(self.pushed) == self.workers:
                    self.update()
            self.changed.wait_for(lambda: self.step > step)
            return self.state()

    def update(self) -> None:
        """Add all contributions in the order of the workers, whatever the order of their arrival."""
        slopes, losses, corrects = zip(*(self.pushed[worker] for worker in sorted(self.pushed)), strict=True)
        self.weights = self.weights - self.learning_rate / self.rows * np.sum(slopes, axis=0)
        self.loss, self.accuracy = sum(losses) / self.rows, sum(corrects) / self.rows
        self.updates = [count + (worker in self.pushed) for worker, count in enumerate(self.updates)]
        self.pushed.clear()
        self.step += 1
        if self.step == self.steps and self.folder is not None:
            save(self.folder, "parameters.npz", "updates.json", self.state())
        self.changed.notify_all()

    def state(self) -> Message:
        """Everything a worker wants to know. Loss and accuracy are those before the last update."""
        return {name: getattr(self, name) for name in ("step", "weights", "loss", "accuracy", "updates")}


def serve(address: str, server: ParameterServer) -> None:
    """Answer workers at exactly ``address`` until the process is stopped, as TensorFlow's servers do."""
    host, port = address.rsplit(":", 1)
    # XLearning holds the port for us; both options let a second socket bind it
    with socket.create_server((host, int(port)), reuse_port=True) as listener:
        print(f"parameter server listens on {address} for {server.workers} workers", flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=answer, args=(connection, server), daemon=True).start()


def answer(connection: socket.socket, server: ParameterServer) -> None:
    """Serve one worker until it hangs up."""
    with connection, open_stream(connection) as stream:
        try:
            while (request := receive(stream)) is not None:
                send(stream, server.call(**request))
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"connection dropped: {error!r}", file=sys.stderr, flush=True)


def open_stream(connection: socket.socket) -> BinaryIO:
    """A file to send and receive on; small messages leave at once."""
    connection.settimeout(None)  # a step lasts as long as the slowest worker needs
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection.makefile("rwb")


def send(stream: BinaryIO, message: Message) -> None:
    """Send one message."""
    buffer = io.BytesIO()
    np.savez(buffer, **message)
    stream.write(HEADER.pack(buffer.tell()) + buffer.getbuffer())
    stream.flush()


def receive(stream: BinaryIO) -> Message | None:
    """The next message; None when the other side has hung up."""
    header = stream.read(HEADER.size)
    length = HEADER.unpack(header)[0] if len(header) == HEADER.size else 0
    if length > LONGEST_MESSAGE:
        raise ValueError(f"a message of {length} bytes is too long")
    content = stream.read(length)
    if not length or len(content) < length:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return {name: array if array.ndim else array.item() for name, array in arrays.items()}


class RemoteServer:
    """The parameter server as a worker sees it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.stream = open_stream(connect(address))

    def call(self, name: str, **arguments: Any) -> Message:
        """The server's answer."""
        with contextlib.suppress(OSError):
            send(self.stream, {"name": name, **arguments})
            if (reply := receive(self.stream)) is not None:
                return reply
        raise SystemExit(f"lost the parameter server at {self.address}")


def connect(address: str) -> socket.socket:
    """A connection to the parameter server, which may not be up yet."""
    host, port = address.rsplit(":", 1)
    deadline = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            return socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS)
        except OSError as error:
            if time.monotonic() > deadline:
                raise SystemExit(f"no parameter server at {address}: {error}") from None
        time.sleep(0.05)


def work(index: int, server: ParameterServer | RemoteServer, options: argparse.Namespace) -> None:
    """Train on this worker's files; worker 0 also writes the model and the event files."""
    files = input_files()
    features, labels = load_rows(files)
    print(f"worker {index}: {len(labels)} rows in {len(files)} files", flush=True)
    shape = {"columns": features.shape[1], "classes": labels.max(initial=0) + 1, "rows": len(labels)}
    state = server.call("join", worker=index, **shape)
    if not len(labels):  # more workers than files: take part with nothing to say
        features = np.empty((0, len(state["weights"])))
    board = open_board(options.log_dir) if index == 0 else None
    while (step := state["step"]) < options.steps:
        slope, loss, correct = gradient(state["weights"], features, labels)
        state = server.call("push", worker=index, step=step, gradient=slope, loss=loss, correct=correct)
        report(index, state, options)
        if board:
            write_scalars(board, state)
        time.sleep(options.delay)
    if board:
        board.close()  # puts the last points on disk
    if index == 0:
        save(options.model_dir, "weights.npz", "metrics.json", state)
        print(f"worker {index}: the model is in {options.model_dir}", flush=True)


def report(index: int, state: Message, options: argparse.Namespace) -> None:
    """Progress for XLearning on stderr, and now and then a line for people."""
    step, steps = state["step"], options.steps
    if step % max(1, steps // 100) == 0:
        print(f"reporter progress:{step / steps:.2f}", file=sys.stderr, flush=True)
    if step % max(1, steps // 20) == 0 or step == steps:
        loss, accuracy = state["loss"], state["accuracy"]
        print(f"worker {index}: step {step}/{steps}  loss {loss:.4f}  accuracy {accuracy:.3f}", flush=True)


def save(folder: Path, weights_name: str, numbers_name: str, state: Message) -> None:
    """Write the weights (.npz) and the numbers about them (.json)."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / weights_name, weights=state["weights"])
    updates = {f"worker-{worker}": int(count) for worker, count in enumerate(state["updates"])}
    content = {name: state[name] for name in ("step", "loss", "accuracy")} | {"updates": updates}
    (folder / numbers_name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def open_board(folder: Path) -> Any:
    """A writer of TensorBoard's event files; None where the tensorboard package is not installed."""
    try:  # slow to import, and only worker 0 needs it
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
    except ImportError as error:
        print(f"no event files: {error}", file=sys.stderr, flush=True)
        return None
    return EventFileWriter(str(folder), flush_secs=1)


def write_scalars(board: Any, state: Message) -> None:
    """Add a point to the curves of loss and accuracy."""
    from tensorboard.compat.proto import event_pb2, summary_pb2

    points = [summary_pb2.Summary.Value(tag=name, simple_value=state[name]) for name in ("loss", "accuracy")]
    summary = summary_pb2.Summary(value=points)
    board.add_event(event_pb2.Event(wall_time=time.time(), step=state["step"], summary=summary))


def main() -> None:
    """Find out who we are and do that part."""
    parser = argparse.ArgumentParser(description="Train softmax regression on CSV files: label,feature,...")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--learning-rate", type=float, default=0.5)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds to wait after each step")
    parser.add_argument("--model-dir", type=Path, default=Path("model"))
    parser.add_argument("--log-dir", type=Path, default=Path("eventLog"), help="of TensorBoard's event files")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error("--steps must be at least 1")
    cluster = json.loads(os.environ.get("TF_CLUSTER_DEF") or "{}")
    role, index = os.environ.get("TF_ROLE", "worker"), int(os.environ.get("TF_INDEX", "0"))
    servers, workers = cluster.get("ps", []), len(cluster.get("worker", [])) or 1
    if not servers and workers == 1:
        work(index, ParameterServer(1, options.steps, options.learning_rate), options)
    elif len(servers) != 1:
        sys.exit(f"this program needs exactly one parameter server; the cluster has {len(servers)}")
    elif role == "ps":
        serve(servers[0], ParameterServer(workers, options.steps, options.learning_rate, options.model_dir))
    elif role == "worker":
        work(index, RemoteServer(servers[0]), options)
    else:
        sys.exit(f"this program has the roles ps and worker, not {role!r}")


if __name__ == "__main__":
    main()
