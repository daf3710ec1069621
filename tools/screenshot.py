"""Takes the picture of the job page for the README: the demo job, its real page, a real Chromium."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "ps_numpy"
TARGET = ROOT / "docs" / "images" / "job-page.png"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]


def page_address(job: subprocess.Popen[str], also: str) -> str:
    """The address that the client prints, once it has printed ``also`` too."""
    assert job.stderr is not None
    address, seen = "", False
    for line in job.stderr:
        address = match[1] if (match := re.search(r"Page: (\S+)", line)) else address
        seen = seen or also in line
        if address and seen:
            return address
    raise SystemExit("the job ended before its page was up")


def main() -> None:
    """Run the demo for a while, below the folder named on the command line, and photograph its page."""
    bin_dir = Path(sys.executable).parent
    environ = {**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}", "HADOOP_USER_NAME": "alice"}
    with tempfile.TemporaryDirectory(prefix="", dir=sys.argv[1]) as name:
        work = Path(name)
        make_data = [sys.executable, str(EXAMPLE / "make_data.py"), str(work / "data")]
        subprocess.run(make_data, check=True, stdout=subprocess.DEVNULL)
        command = [
            *(str(bin_dir / "xl-submit"), "--local"),
            *("--app-name", "demo", "--app-type", "TENSORFLOW", "--ps-num", "1", "--worker-num", "2"),
            *("--input-strategy", "placeholder", "--input", "data#data", "--output", "output#model"),
            *("--files", str(EXAMPLE / "train.py"), "--"),
            *("python", "train.py", "--steps", "200", "--delay", "0.1"),
        ]
        with subprocess.Popen(command, cwd=work, env=environ, stderr=subprocess.PIPE, text=True) as job:
            address = page_address(job, "TensorBoard:")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
                page = browser.new_page(viewport={"width": 1280, "height": 860}, device_scale_factor=1)
                page.goto(address)
                page.wait_for_timeout(6000)
                TARGET.parent.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=TARGET)
                browser.close()
            job.terminate()
    print(f"wrote {TARGET.relative_to(ROOT)}, {TARGET.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    main()
