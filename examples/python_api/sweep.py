"""Several jobs side by side: the same program with several learning rates. Which one is best?

python sweep.py --local            on this machine
python sweep.py                    on YARN
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from xlearning import Application, Client, Job, XLearningError

HERE = Path(__file__).resolve().parent
RATES = (0.01, 0.1, 0.3, 3.0)  # the last one is too large
LOGS = 60  # seconds in which YARN gathers the logs of a job that has ended


def main() -> None:
    """Submit one job per rate, wait for all, and compare what they have printed."""
    parser = argparse.ArgumentParser(description="Compare learning rates.")
    parser.add_argument("--local", action="store_true", help="run on this machine, not on YARN")
    args = parser.parse_args()
    with Client(local=args.local) as client, ThreadPoolExecutor(len(RATES)) as pool:
        applications = [client.submit(job(rate)) for rate in RATES]
        results = list(pool.map(Application.wait, applications))
        losses = {}
        for rate, application, result in zip(RATES, applications, results, strict=True):
            if result.succeeded:
                losses[rate] = float(last_line(application))
                print(f"rate {rate}: loss {losses[rate]}")
            else:
                print(f"rate {rate}: {result.state.value}: {result.snapshot.containers[0].last_lines[-1]}")
    print(f"best: {min(losses, key=lambda rate: losses[rate])}")


def job(rate: float) -> Job:
    """The job that tries one rate."""
    return Job(["python3", "fit.py", "--rate", rate], app_name=f"fit-{rate}", files=[HERE / "fit.py"])


def last_line(application: Application) -> str:
    """What worker 0 printed last; asks again while YARN gathers the logs."""
    deadline = time.monotonic() + LOGS
    while True:
        try:
            (line,) = application.logs("worker", 0, files=["stdout"], tail=1)
            return line.text
        except XLearningError:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)


if __name__ == "__main__":
    try:
        main()
    except XLearningError as error:
        raise SystemExit(str(error)) from error
