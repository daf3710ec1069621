"""Topics of documents by Gibbs sampling, with servers that hold the counts: LightLDA's way in small.

Servers have a part of the words each. In every sweep a worker takes the counts of all words, draws the
topics of its own documents anew and sends what has changed. Once all workers are done a server writes
its part of the model and ends by itself.
"""

from __future__ import annotations

import json
import math
import os
import random
import socketserver
import threading
import zlib
from collections import defaultdict
from pathlib import Path
from socket import create_connection
from time import sleep
from typing import IO, Any

TOPICS, SWEEPS, ALPHA, BETA = 2, 15, 0.5, 0.1
Counts = dict[str, list[int]]


class Server(socketserver.ThreadingTCPServer):
    """Counts of its words; each sweep ends when every worker has sent its changes."""

    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], workers: int) -> None:
        super().__init__(address, Talk)
        self.counts: Counts = defaultdict(lambda: [0] * TOPICS)
        self.lock, self.sweep = threading.Lock(), threading.Barrier(workers)
        self.left = workers


class Talk(socketserver.StreamRequestHandler):
    """One worker: changes in, counts out, until it hangs up."""

    server: Server

    def handle(self) -> None:
        for line in self.rfile:
            with self.server.lock:
                for word, changes in json.loads(line).items():
                    old = self.server.counts[word]
                    self.server.counts[word] = [a + b for a, b in zip(old, changes, strict=True)]
            self.server.sweep.wait(60)
            self.wfile.write(json.dumps(self.server.counts).encode() + b"\n")
            self.server.sweep.wait(60)
        with self.server.lock:
            self.server.left -= 1
            if not self.server.left:
                threading.Thread(target=self.server.shutdown).start()


def serve(rank: int) -> None:
    host, _, port = os.environ["LIGHTLDA_SERVER_ENDPOINT"].rpartition(":")
    with Server((host, int(port)), int(os.environ["LIGHTLDA_WORKER_NUM"])) as server:
        server.serve_forever(0.05)
    Path("model").mkdir(exist_ok=True)
    Path(f"model/server-{rank}.json").write_text(json.dumps(server.counts))
    print(f"server {rank}: {len(server.counts)} words", flush=True)


def endpoints() -> list[tuple[str, int]]:
    lines = [line.split() for line in Path("lightLDAEndPoints.txt").read_text().splitlines()]
    addresses = [address.rpartition(":") for _rank, address in lines]
    return [(host, int(port)) for host, _, port in addresses]


def connect(address: tuple[str, int]) -> IO[bytes]:
    for _ in range(600):
        try:
            return create_connection(address, timeout=60).makefile("rwb")
        except ConnectionRefusedError:
            sleep(0.05)  # it does not listen yet
    raise SystemExit(f"no server at {address}")


def exchange(servers: list[IO[bytes]], changes: Counts) -> Counts:
    """Send what changed to the server of each word; the counts of all words."""
    parts: list[Counts] = [{} for _ in servers]
    for word, change in changes.items():
        parts[zlib.crc32(word.encode()) % len(servers)][word] = change
    for server, part in zip(servers, parts, strict=True):
        server.write(json.dumps(part).encode() + b"\n")
        server.flush()
    found: Counts = {}
    for server in servers:
        found |= json.loads(server.readline())
    return found


def work(rank: int) -> None:
    random_ = random.Random(rank)
    documents = [line.split() for file in sorted(Path("data").iterdir()) for line in file.open()]
    topics = [[random_.randrange(TOPICS) for _ in document] for document in documents]
    servers = [connect(address) for address in endpoints()]
    changes: Counts = defaultdict(lambda: [0] * TOPICS)
    for document, drawn in zip(documents, topics, strict=True):
        for word, topic in zip(document, drawn, strict=True):
            changes[word][topic] += 1
    perplexities = []
    for _ in range(SWEEPS):
        counts = exchange(servers, changes)
        perplexities.append(perplexity(documents, topics, counts))
        changes = defaultdict(lambda: [0] * TOPICS)
        for document, drawn in zip(documents, topics, strict=True):
            draw(document, drawn, counts, changes, random_)
    exchange(servers, changes)
    for server in servers:
        server.close()
    Path("model").mkdir(exist_ok=True)
    report: dict[str, Any] = {"first": perplexities[0], "last": perplexities[-1]}
    Path(f"model/worker-{rank}.json").write_text(json.dumps(report))
    print(f"worker {rank}: perplexity {perplexities[0]:.1f} to {perplexities[-1]:.1f}", flush=True)


def draw(
    document: list[str], drawn: list[int], counts: Counts, changes: Counts, random_: random.Random
) -> None:
    """New topics for the words of one document."""
    totals = [sum(column) for column in zip(*counts.values(), strict=True)]
    own = [drawn.count(topic) for topic in range(TOPICS)]
    for place, word in enumerate(document):
        own[drawn[place]] -= 1
        weights = [
            (own[k] + ALPHA) * (counts[word][k] + BETA) / (totals[k] + BETA * len(counts))
            for k in range(TOPICS)
        ]
        (new,) = random_.choices(range(TOPICS), weights)
        changes[word][drawn[place]] -= 1
        changes[word][new] += 1
        own[new] += 1
        drawn[place] = new


def perplexity(documents: list[list[str]], topics: list[list[int]], counts: Counts) -> float:
    totals = [sum(column) for column in zip(*counts.values(), strict=True)]
    likelihood, words = 0.0, 0
    for document, drawn in zip(documents, topics, strict=True):
        shares = [(drawn.count(k) + ALPHA) / (len(drawn) + ALPHA * TOPICS) for k in range(TOPICS)]
        for word in document:
            of_topics = [(counts[word][k] + BETA) / (totals[k] + BETA * len(counts)) for k in range(TOPICS)]
            likelihood += math.log(sum(a * b for a, b in zip(shares, of_topics, strict=True)))
            words += 1
    return math.exp(-likelihood / words)


if __name__ == "__main__":
    role = serve if os.environ["LIGHTLDA_ROLE"] == "ps" else work
    role(int(os.environ["LIGHTLDA_RANK"]))
