"""LightGBM on several machines, each with its own rows: what its guide calls data parallel learning.

Without the variables of XLearning it trains alone, on all files of ./data.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import lightgbm
import numpy as np

ROUNDS = 20


def main() -> None:
    files = sorted(Path("data").glob("*.csv"))
    rows = np.concatenate([np.loadtxt(file, delimiter=",") for file in files])
    parameters = {
        "objective": "binary",
        "metric": "binary_logloss",
        "num_leaves": 15,
        "num_threads": 1,
        "verbose": -1,
        "deterministic": True,
    }
    machines = int(os.environ.get("LIGHTGBM_NUM_MACHINE", "1"))
    if machines > 1:
        parameters |= {
            "tree_learner": "data",
            "pre_partition": True,  # every machine has rows that no other has
            "num_machines": machines,
            "local_listen_port": int(os.environ["LIGHTGBM_LOCAL_LISTEN_PORT"]),
            # lightgbm's command line takes the file's name; its Python package wants the machines themselves
            "machines": ",".join(Path("lightGBMlist.txt").read_text().replace(" ", ":").split()),
            "time_out": 1,  # minutes
        }
    data = lightgbm.Dataset(rows[:, 1:], label=rows[:, 0])
    losses: dict[str, dict[str, list[float]]] = {}
    model = lightgbm.train(
        parameters, data, ROUNDS, [data], ["train"], callbacks=[lightgbm.record_evaluation(losses)]
    )
    found = losses["train"]["binary_logloss"]
    print(f"{len(rows)} rows, loss {found[0]:.4f} to {found[-1]:.4f}", flush=True)
    Path("model").mkdir(exist_ok=True)
    model.save_model("model/model.txt")
    report = {"rows": len(rows), "machines": machines, "first": found[0], "last": found[-1]}
    Path("model/report.json").write_text(json.dumps(report))


if __name__ == "__main__":
    main()
