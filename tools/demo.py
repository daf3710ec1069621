"""`make demo`: the main job on this machine, with one parameter server and two workers."""

from __future__ import annotations

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
    subprocess.run([sys.executable, str(EXAMPLE / "make_data.py"), str(data)], check=True)
    command = [
        str(Path(sys.executable).parent / "xl-submit"),
        "--local",
        *("--app-name", "demo", "--app-type", "TENSORFLOW"),
        *("--ps-num", "1", "--worker-num", "2", "--worker-memory", "512M", "--ps-memory", "512M"),
        *("--input-strategy", "placeholder", "--input", f"{data}#data"),
        *("--output", f"{output}#model", "--files", str(EXAMPLE / "train.py")),
        *("--", sys.executable, "train.py", "--steps", "60", "--delay", "0.15"),
    ]
    shown = " ".join(word.replace(str(ROOT) + "/", "") for word in command[1:])
    print(f"$ xl-submit {shown}\n", file=sys.stderr, flush=True)
    code = subprocess.run(command, check=False, cwd=ROOT).returncode
    if code != 0:
        return code
    for model in sorted(output.glob("*/weights.npz")):
        print(f"\nThe model is in {model.relative_to(ROOT)}")
    print(
        "What to try next:\n"
        "  open the page while a job runs: its address is printed above, add --delay 1 for more time\n"
        "  the same command again, with --worker-num 4 or --input-strategy download\n"
        "  your own program: xl-submit --local --worker-num 2 -- python your_program.py\n"
        "  xl-submit --help"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
