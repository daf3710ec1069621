"""Gradient boosted trees that any number of workers grow together, each from its own files.

XLearning starts XGBoost's tracker and tells every worker where it is by ``DMLC_*`` variables. Without
them the program trains alone, on the same rows in one place to the same trees.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import xgboost
from xgboost import collective


def together() -> contextlib.AbstractContextManager[Any]:
    """The group of all workers; XGBoost wants the names in lower case, and the port as a number."""
    if "DMLC_TRACKER_URI" not in os.environ:
        return contextlib.nullcontext()
    return collective.CommunicatorContext(
        dmlc_tracker_uri=os.environ["DMLC_TRACKER_URI"],
        dmlc_tracker_port=int(os.environ["DMLC_TRACKER_PORT"]),
        dmlc_task_id=os.environ["DMLC_TASK_ID"],
        dmlc_retry=10,  # a tracker on a busy node may come seconds after the workers
    )


def load(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels of all CSV files in ``folder``; a line is ``label,feature,...``."""
    table = np.concatenate([np.loadtxt(path, delimiter=",", ndmin=2) for path in sorted(folder.iterdir())])
    # With few different values the histogram has a bin for each: the trees then do not depend on how
    # the rows are spread over the workers.
    return table[:, 1:].round(1), table[:, 0].astype(int)


class Report(xgboost.callback.TrainingCallback):
    """Tells XLearning the progress, and people the loss."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds

    def after_iteration(self, model: xgboost.Booster, epoch: int, evals_log: dict[str, Any]) -> bool:
        """Called after each round."""
        del model
        loss = evals_log["train"]["mlogloss"][-1]
        print(f"reporter progress:{(epoch + 1) / self.rounds:.2f}", file=sys.stderr, flush=True)
        print(f"round {epoch + 1}/{self.rounds}  loss {loss:.4f}", flush=True)
        return False


def train(data: Path, rounds: int, classes: int) -> tuple[xgboost.Booster, list[float]]:
    """The model, and the loss over the rows of all workers after each round."""
    features, labels = load(data)
    print(f"worker {collective.get_rank()} of {collective.get_world_size()}: {len(labels)} rows", flush=True)
    matrix = xgboost.DMatrix(features, labels)
    losses: dict[str, Any] = {}
    parameters = {
        "objective": "multi:softprob",
        "num_class": classes,
        "tree_method": "hist",
        "max_depth": 3,
        "nthread": 1,
    }
    model = xgboost.train(
        parameters,
        matrix,
        rounds,
        evals=[(matrix, "train")],
        evals_result=losses,
        callbacks=[Report(rounds)],
        verbose_eval=False,
    )
    return model, losses["train"]["mlogloss"]


def save(folder: Path, model: xgboost.Booster, losses: list[float], workers: int) -> None:
    """Write the model, and the numbers about it."""
    folder.mkdir(parents=True, exist_ok=True)
    model.save_model(folder / "model.json")
    (folder / "metrics.json").write_text(json.dumps({"workers": workers, "loss": losses}) + "\n")
    print(f"the model is in {folder}", flush=True)


def main() -> None:
    """Train, and let the first worker save the model, which all of them have."""
    parser = argparse.ArgumentParser(description="Train trees on CSV files: label,feature,...")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--model-dir", type=Path, default=Path("model"))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--classes", type=int, default=3)
    options = parser.parse_args()
    with together():
        model, losses = train(options.data, options.rounds, options.classes)
        rank, workers = collective.get_rank(), collective.get_world_size()
    if rank == 0:
        save(options.model_dir, model, losses, workers)


if __name__ == "__main__":
    main()
