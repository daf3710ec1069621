"""A small network trained by several processes with PyTorch's DistributedDataParallel on CPUs.

Every process of the job runs this same program. ``RANK``, ``WORLD_SIZE``, ``MASTER_ADDR`` and
``MASTER_PORT`` tell it who it is and where the others are; without them it trains alone. Each process
reads its own files, however many there are: the sums are weighted by rows, so the model is the one that a
single process makes of all files.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

COLUMNS, HIDDEN, CLASSES = 8, 16, 3


@contextlib.contextmanager
def process_group() -> Iterator[tuple[int, int]]:
    """Rank and number of the processes, which have met when this returns."""
    if "WORLD_SIZE" not in os.environ:
        yield 0, 1
        return
    dist.init_process_group("gloo")  # without a GPU; it reads the variables itself
    try:
        yield dist.get_rank(), dist.get_world_size()
    finally:
        dist.destroy_process_group()


def load_rows(folder: Path) -> tuple[Tensor, Tensor]:
    """Features (rows x columns) and labels (rows) of all CSV files in ``folder``."""
    rows: list[list[float]] = []
    for path in sorted(folder.rglob("*.csv")):
        with path.open(newline="", encoding="utf-8") as lines:
            rows += [[float(cell) for cell in row] for row in csv.reader(lines)]
    table = torch.tensor(rows, dtype=torch.float64).reshape(len(rows), COLUMNS + 1)
    return table[:, 1:], table[:, 0].long()


def make_model() -> nn.Module:
    """The network before the first step, the same in every process."""
    torch.manual_seed(7)
    layers = nn.Linear(COLUMNS, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, CLASSES)
    return nn.Sequential(*layers).double()


def add_up(*values: Tensor) -> list[float]:
    """The sum of each value over all processes."""
    sums = torch.stack([value.detach().double() for value in values])
    if dist.is_initialized():
        dist.all_reduce(sums)
    return list(map(float, sums))


def train(rank: int, size: int, options: argparse.Namespace) -> None:
    """Train on this process's files; rank 0 also saves the model."""
    features, labels = load_rows(options.data)
    (rows,) = add_up(torch.tensor(len(labels)))
    print(f"rank {rank} of {size}: {len(labels)} of {rows:.0f} rows", flush=True)
    model = make_model()
    trained = DistributedDataParallel(model) if size > 1 else model
    optimizer = torch.optim.SGD(model.parameters(), lr=options.learning_rate, momentum=0.9)
    losses = []
    for step in range(1, options.steps + 1):
        scores = trained(features)
        loss = nn.functional.cross_entropy(scores, labels, reduction="sum") / rows
        optimizer.zero_grad()
        (loss * size).backward()  # DistributedDataParallel divides by the number of processes
        optimizer.step()
        correct = (scores.argmax(1) == labels).sum()
        total, right = add_up(loss, correct)
        losses.append(total)
        report(rank, step, options.steps, total, right / rows)
        if rank == 0 and (step % options.save_every == 0 or step == options.steps):
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            save(options.model_dir, state, losses)
    if options.same_as:
        compare(model.state_dict(), torch.load(options.same_as, weights_only=True)["model"])


def report(rank: int, step: int, steps: int, loss: float, accuracy: float) -> None:
    """Progress for XLearning on stderr, and now and then a line for people."""
    if step % max(1, steps // 10) == 0:
        print(f"reporter progress:{step / steps:.2f}", file=sys.stderr, flush=True)
        if rank == 0:
            print(f"step {step}/{steps}  loss {loss:.4f}  accuracy {accuracy:.3f}", flush=True)


def save(folder: Path, state: dict[str, object], losses: list[float]) -> None:
    """Write the checkpoint and the losses so far; a reader never sees half a file."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(state, folder / "checkpoint.pt.new")
    (folder / "checkpoint.pt.new").replace(folder / "checkpoint.pt")
    (folder / "losses.json").write_text(json.dumps(losses) + "\n", encoding="utf-8")


def compare(ours: dict[str, Tensor], theirs: dict[str, Tensor]) -> None:
    """Say how far two models are apart; the program fails where they are not the same."""
    difference = max(float((ours[name] - theirs[name]).abs().max()) for name in ours)
    print(f"largest difference: {difference:.1e}")
    if not difference < 1e-9:
        raise SystemExit("another model")


def main() -> None:
    """Read the command line, meet the other processes and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--model-dir", type=Path, default=Path("model"))
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--save-every", type=int, default=25)
    parser.add_argument("--learning-rate", type=float, default=0.5)
    parser.add_argument("--same-as", type=Path, metavar="CHECKPOINT", help="compare the model with it")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the processes of one machine share its cores
    with process_group() as (rank, size):
        train(rank, size, options)


if __name__ == "__main__":
    main()
