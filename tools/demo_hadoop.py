"""`make demo-hadoop`: the main job on a real Hadoop, which is started for it and taken down again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from minihadoop import MiniHadoop, missing_tools

from xlearning.fs import FileSystems
from xlearning.fs.base import join

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "ps_numpy"
WORK = ROOT / ".demo"


def main() -> int:
    """Start HDFS and YARN, run the job on them, fetch the model, stop everything."""
    missing = missing_tools()
    if missing:
        print(f"make demo-hadoop starts a real Hadoop, for which something is missing: {missing}")
        return 1
    return run(WORK)


def run(work: Path, version: str | None = None) -> int:
    """Do it in the folder ``work``, on a version of Hadoop; the exit code."""
    data, model = work / "data", work / "hadoop-model"
    shutil.rmtree(model, ignore_errors=True)
    subprocess.run([sys.executable, str(EXAMPLE / "make_data.py"), str(data)], check=True)
    print("\nStarting HDFS and YARN on this machine; the first time their jars are fetched.", flush=True)
    folder = work / "hadoop"
    shutil.rmtree(folder, ignore_errors=True)
    with MiniHadoop(folder, version, nodes=2) as hadoop:
        print(f"HDFS is at {hadoop.hdfs_uri}, YARN's page at {hadoop.rm_web}/cluster\n", flush=True)
        storage = FileSystems(hadoop.hdfs_uri)
        for path in sorted(data.iterdir()):
            with storage.default.open_write(join(hadoop.hdfs_uri, "demo/data", path.name)) as file:
                file.write(path.read_bytes())
        code = submit(hadoop)
        if code == 0:
            fetch(storage, join(hadoop.hdfs_uri, "demo/model"), model)
    print("\nHDFS and YARN are down again.")
    return code


def submit(hadoop: MiniHadoop) -> int:
    """Run the job as a user would; the exit code of `xl-submit`."""
    command = [
        str(Path(sys.executable).parent / "xl-submit"),
        *("--app-name", "demo", "--app-type", "TENSORFLOW"),
        *("--ps-num", "1", "--worker-num", "2", "--worker-memory", "512M", "--ps-memory", "512M"),
        *("--conf", f"xlearning.tf.board.path={Path(sys.executable).parent / 'tensorboard'}"),
        *("--am-memory", "512M", "--input-strategy", "placeholder", "--input", "/demo/data#data"),
        *("--output", "/demo/model#model", "--files", str(EXAMPLE / "train.py")),
        *("--", sys.executable, "train.py", "--steps", "60", "--delay", "0.15"),
    ]
    shown = " ".join(word.replace(f"{ROOT}/", "") for word in command[1:])
    print(f"$ xl-submit {shown}\n", flush=True)
    return subprocess.run(command, check=False, cwd=ROOT, env=hadoop.env(os.environ)).returncode


def fetch(storage: FileSystems, remote: str, model: Path) -> None:
    """Copy the weights from HDFS."""
    for status in storage.of(remote).walk(remote):
        if status.name == "weights.npz":
            model.mkdir(parents=True, exist_ok=True)
            with storage.of(status.path).open_read(status.path) as file:
                (model / status.name).write_bytes(file.read())
            print(f"\nThe model is in {os.path.relpath(model / status.name, ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
