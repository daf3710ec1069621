"""A training loop that answers "Save Model": its checkpoint is whole before it is saved.

    xl-submit --local --output /tmp/model#model --files examples/save_model/train.py \
        --conf xlearning.interresult.notify=FILE -- python3 train.py
"""

import os
import pathlib
import sys
import time

REQUEST = os.environ.get("XLEARNING_SAVE_REQUEST")
READY = os.environ.get("XLEARNING_SAVE_READY")


def asked() -> str:
    """The save that waits for this program; empty when none does."""
    try:
        return pathlib.Path(REQUEST).read_text().strip() if REQUEST else ""
    except FileNotFoundError:
        return ""


def answer(save: str) -> None:
    """Say that all files are whole for this save."""
    draft = pathlib.Path(f"{READY}.tmp")
    draft.write_text(save)
    draft.replace(READY)


def main(steps: int) -> None:
    checkpoint = pathlib.Path("model/checkpoint")
    checkpoint.parent.mkdir(exist_ok=True)
    answered = ""
    for step in range(steps):
        time.sleep(0.02)  # one step of the training
        save = asked()
        if save and save != answered:
            checkpoint.write_text(f"weights after step {step}\n")
            answer(save)
            answered = save
            print(f"step {step}: the model is ready for save {save}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
