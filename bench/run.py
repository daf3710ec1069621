"""`make bench`: how long jobs take to start, end and fail, and what our processes weigh.

Local jobs, and jobs on a real YARN that is started for it, side by side with the same thing done with
skein alone, because seconds alone say little about another machine; and how fast STREAM feeds a
program. Prints tables; the same goes to bench/out/RESULTS.md and, for programs, bench/out/*.json.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import local
from figures import Figure, machine, table

if TYPE_CHECKING:
    from minihadoop import MiniHadoop

OUT = Path(__file__).resolve().parent / "out"
PARTS = ("local", "jobs", "empty", "failures", "stream", "upload", "files", "formats")
YARN_PARTS = PARTS[1:4]
_STREAM_MB = 256
_UPLOAD_MB = 200
_FILES = 10_000
_ROWS = 300_000


def main() -> int:
    """Measure what was asked for."""
    options = _options()
    chosen = options.only or list(PARTS)
    OUT.mkdir(exist_ok=True)
    texts = []
    if "local" in chosen:
        figures = local.measure(options.runs, _say)
        texts.append(_keep("local", "Local jobs", "", options.runs, figures, "x baseline"))
    if "formats" in chosen:
        texts.append(_formats(options.runs))
    if on_hadoop := [part for part in PARTS[1:-1] if part in chosen]:
        texts += _measure_on_hadoop(on_hadoop, options)
    text = f"{_head()}\n\n" + "\n\n".join(texts) + "\n"
    (OUT / "RESULTS.md").write_text(text)
    print(f"\n{text}")
    return 0


def _measure_on_hadoop(parts: Sequence[str], options: argparse.Namespace) -> list[str]:
    sys.path.insert(0, str(OUT.parents[1] / "tools"))
    import yarn_figures as yarn

    if missing := yarn.missing_tools():
        words = f"NOT MEASURED: {', '.join(parts)}, which need a Hadoop ({missing})"
        print(f"\n{'*' * 80}\n{words}\n{'*' * 80}", file=sys.stderr)
        return [f"**{words}**"]
    texts = []
    with yarn.cluster(options.hadoop) as hadoop:
        if cases := [part for part in parts if part in YARN_PARTS]:
            figures = yarn.measure(hadoop, options.yarn_runs, cases, _say)
            texts.append(_keep("yarn", "On YARN", yarn.SETTINGS, options.yarn_runs, figures, "x skein alone"))
        if "stream" in parts:
            texts.append(_stream(hadoop, options.yarn_runs))
        if "upload" in parts:
            texts.append(_upload(hadoop, options.yarn_runs))
        if "files" in parts:
            texts.append(_files(hadoop, options.yarn_runs))
    return texts


def _stream(hadoop: MiniHadoop, runs: int) -> str:
    import stream

    _say(f"input strategy STREAM, {_STREAM_MB} MB, {runs} runs")
    rates = stream.measure(hadoop, runs, _STREAM_MB * 1_000_000)
    record = {"machine": machine(), "runs": runs, "mb": _STREAM_MB, "rates": [asdict(r) for r in rates]}
    (OUT / "stream.json").write_text(json.dumps(record, indent=2) + "\n")
    tables = f"{stream.table(rates)}\n\n{stream.goals(rates)}"
    return f"## STREAM of {_STREAM_MB} MB from HDFS to one worker\n\n{tables}"


def _upload(hadoop: MiniHadoop, runs: int) -> str:
    import upload

    with tempfile.TemporaryDirectory(prefix="xlearning-bench-") as name:
        figures = upload.measure(hadoop, Path(name), runs, _UPLOAD_MB, _say)
    title = f"An archive of {_UPLOAD_MB} MB, submitted to YARN twice"
    return _keep("upload", title, "", runs, figures, "x first time")


def _formats(runs: int) -> str:
    import formats

    with tempfile.TemporaryDirectory(prefix="xlearning-bench-") as name:
        figures = formats.measure(Path(name), runs, _ROWS, _say)
    title = f"Input formats, {_ROWS:,} records of 100 bytes"
    return _keep("formats", title, "Rates: more is better", runs, figures, "x plain")


def _files(hadoop: MiniHadoop, runs: int) -> str:
    import files

    with tempfile.TemporaryDirectory(prefix="xlearning-bench-") as name:
        figures = files.measure(hadoop, Path(name), runs, _FILES, _say)
    title = f"{_FILES:,} small files"
    return _keep("files", title, "Rates: more is better", runs, figures, "x Hadoop's tool")


def _keep(name: str, title: str, notes: str, runs: int, figures: Sequence[Figure], base: str) -> str:
    record = {"machine": machine(), "runs": runs, "notes": notes, "figures": [asdict(f) for f in figures]}
    (OUT / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n")
    body = table(figures, base)
    return f"## {title}\n\n{notes}.\n\n{body}" if notes else f"## {title}\n\n{body}"


def _head() -> str:
    here = machine()
    command = shlex.join(["python", "bench/run.py", *sys.argv[1:]])
    return (
        f"`make bench` (that is `{command}`) on {here['cores']} cores, {here['system']}, Python "
        f"{here['python']}, editable install; load average {here['load']} at the end."
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="runs of the local part (default: 7)")
    parser.add_argument(
        "--yarn-runs", type=int, default=3, help="runs of each empty job, failure and stream (default: 3)"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        choices=PARTS,
        metavar="PART",
        help=f"of {', '.join(PARTS)}; all but local and formats need a Hadoop (default: all)",
    )
    parser.add_argument(
        "--hadoop", default="", metavar="DIR", help="use the minihadoop that is up in this folder"
    )
    return parser.parse_args()


_BEGIN = time.monotonic()


def _say(words: str) -> None:
    print(f"[{time.monotonic() - _BEGIN:4.0f} s] {words}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
