"""Two jobs, one after the other: the output of the first is the input of the second.

python pipeline.py --local numbers-folder      on this machine
python pipeline.py numbers-folder              on YARN; the folder is then one of HDFS
"""

from __future__ import annotations

import argparse
from pathlib import Path

from xlearning import Client, Job, Snapshot, XLearningError

HERE = Path(__file__).resolve().parent
WORKERS, EACH = 2, 100


def main() -> None:
    """Run both jobs; a job that fails ends the pipeline with its last words."""
    parser = argparse.ArgumentParser(description="Run two jobs, one after the other.")
    parser.add_argument("--local", action="store_true", help="run on this machine, not on YARN")
    parser.add_argument("folder", help="where the first job publishes its numbers")
    args = parser.parse_args()
    write = Job(
        ["python3", "write_numbers.py", EACH],
        app_name="write-numbers",
        worker_num=WORKERS,
        files=[HERE / "write_numbers.py"],
        output={args.folder: "numbers"},
    )
    total = sum(range(WORKERS * EACH))
    add = Job(
        ["python3", "add_numbers.py", total],
        app_name="add-numbers",
        files=[HERE / "add_numbers.py"],
        input={args.folder: "numbers"},
    )
    with Client(local=args.local) as client:
        for job in (write, add):
            application = client.submit(job)
            print(f"{application.name}: {application.id}")
            application.wait(on_change=show).check()
    print(f"the sum is {total}, as expected")


def show(snapshot: Snapshot) -> None:
    """How the containers stand."""
    print(" ", snapshot.state.value, *(container.state.value for container in snapshot.containers))


if __name__ == "__main__":
    try:
        main()
    except XLearningError as error:  # what is wrong with a job, or its last words
        raise SystemExit(str(error)) from error
