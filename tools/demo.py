"""`make demo`: the main job on this machine, with one parameter server and two workers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "ps_numpy"
WORK = ROOT / ".demo"


def main() -> int:
    """Make the data, run the job, say where everything is."""
    data, output = WORK / "data", WORK / "output"
    shutil.rmtree(output, ignore_errors=True)
    make_data = [sys.executable, str(EXAMPLE / "make_data.py"), str(data)]
    subprocess.run(make_data, check=True, stdout=subprocess.DEVNULL)
    command = [
        *("xl-submit", "--local", "--app-name", "demo", "--app-type", "TENSORFLOW"),
        *("--ps-num", "1", "--worker-num", "2", "--input-strategy", "placeholder"),
        *("--input", ".demo/data#data", "--output", ".demo/output#model"),
        *("--files", "examples/ps_numpy/train.py"),
        *("--", "python", "train.py", "--steps", "60", "--delay", "0.15"),
    ]
    print(f"$ {' '.join(command)}\n", file=sys.stderr, flush=True)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    code = subprocess.run(command, check=False, cwd=ROOT, env={**os.environ, "PATH": path}).returncode
    if code != 0:
        return code
    for model in sorted(output.glob("*/weights.npz")):
        print(f"\nThe model is in {model.relative_to(ROOT)}")
    print(
        "What to try next:\n"
        "  . .venv/bin/activate\n"
        "  the same command with another --output and --delay 1, and its page, whose address it prints\n"
        "  your own program: xl-submit --local --worker-num 2 --files train_me.py -- python train_me.py\n"
        "  xl-submit --help"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
