"""What a real YARN's nodes get of us: the package, the interpreter, a Hadoop configuration."""

from __future__ import annotations

import getpass
import os
import re
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from interpreters import other_pythons, version_of
from minihadoop import MiniHadoop
from places import Place
from record_files import tfrecords
from yarn_gateway import YarnGateway

from xlearning.client.packaging.package import MANIFEST
from xlearning.config import hadoop_xml

ROOT = Path(__file__).resolve().parents[2]
NO_INTERPRETER = "/no/such/python"
PLAIN = ("--board-enable", "false")
REPORT = 'cp -r "$HADOOP_CONF_DIR" out/conf; env > out/env'


@pytest.fixture
def gateway(hadoop: MiniHadoop, hdfs_dir: str, tmp_path: Path) -> Iterator[YarnGateway]:
    gateway = YarnGateway(tmp_path / "gateway", hadoop, f"{hdfs_dir}/shared", dict(os.environ))
    yield gateway
    gateway.close()
    gateway.end_applications()


def test_another_python_no_configuration_and_no_interpreter(place: Place, gateway: YarnGateway) -> None:
    """Two jobs side by side; between them everything that the nodes may lack."""
    newer = [python for python in other_pythons() if version_of(python) >= (3, 10)]
    if not newer:
        pytest.skip("no other Python >= 3.10 on this machine")
    lost = gateway.start(*PLAIN, "--conf", f"xlearning.python={NO_INTERPRETER}", "--", "true")
    gateway.nodes_have({"HADOOP_CONF_DIR": "/nowhere"})
    ended = gateway.submit(
        *(*PLAIN, "--conf", f"xlearning.python={newer[-1]}", "--output", f"{place.at('out')}#out"),
        *("--", "bash", "-c", REPORT),
    )
    assert ended.code == 0, ended.err
    version = "{}.{}".format(*version_of(newer[-1]))
    assert re.search(rf"wheels for Python {version}, glibc [\d.]+, \w+ by pip", ended.err)
    assert re.search(r"MiB, and [\d.]+ MiB for the ApplicationMaster; [\d.]+ MiB uploaded", ended.err)
    env = dict(line.split("=", 1) for line in place.read("out/out/env").decode().splitlines() if "=" in line)
    assert env["PATH"].endswith("/usr/sbin:/usr/bin:/sbin:/bin")
    assert Path(env["JAVA_HOME"], "bin", "java").exists()
    assert env["HADOOP_CONF_DIR"].endswith(f"{env['CONTAINER_ID']}/.xlearning-conf")
    core = gateway.root / "core-site.xml"
    core.write_bytes(place.read("out/out/conf/core-site.xml"))
    assert hadoop_xml.read(core).values["fs.defaultFS"] == gateway.storage.default_uri

    failed = lost.end()
    assert failed.code == 2, failed.err
    assert "FAILED after " in failed.err
    assert f"there is no {NO_INTERPRETER} on the node" in failed.err
    assert "hint: set xlearning.python to the path of one that all nodes have" in failed.err
    for app_id in (ended.app_id, failed.app_id):
        gateway.nothing_is_left_of(app_id)


def test_from_a_wheel_with_an_administrators_archive(
    place: Place, gateway: YarnGateway, tmp_path: Path
) -> None:
    program = installed_from_a_wheel(tmp_path)
    gateway.program = (str(program),)
    made = gateway.verb("package", "--output", "ours.tar.gz")
    assert (made.code, made.out) == (0, "ours.tar.gz\n"), made.err
    with tarfile.open(gateway.work / "ours.tar.gz") as tar:
        names = {name.removeprefix("./") for name in tar.getnames()}
    top = {name.split("/")[0] for name in names}
    assert {"xlearning", "grpc", "google", "hdfs_native", "skein", "flask", MANIFEST} <= top
    assert not {"pyarrow", "tensorboard", "numpy", "rich", "cryptography"} & top
    assert {"xlearning/container/bootstrap.py", "xlearning/webui/templates/job.html"} <= names
    assert not [name for name in names if name.endswith("skein.jar")]

    archive = place.at("ours.tar.gz")
    gateway.properties["xlearning.yarn.archive"] = archive
    refused = gateway.submit(*PLAIN, "--", "true")
    assert (refused.code, refused.out) == (1, "")
    assert f"xlearning.yarn.archive: there is no {archive}" in refused.err
    assert "xl-submit package --output" in refused.err

    place.write("ours.tar.gz", (gateway.work / "ours.tar.gz").read_bytes())
    place.write("in/records", tfrecords(b"record %d" % n for n in range(500)))
    ended = gateway.submit(
        *(*PLAIN, "--input-strategy", "stream", "--inputformat", "tfrecord", "--input", place.at("in")),
        *("--output", f"{place.at('out')}#out", "--", "cp", "/dev/stdin", "out/lines"),
    )
    assert ended.code == 0, ended.err
    assert f"MiB, shared by all users ({archive})" in ended.err
    (sent,) = [line for line in ended.err.splitlines() if "uploaded" in line]
    assert "Libraries for the nodes: google-crc32c" in sent  # beside the archive, which lacks it
    assert place.read("out/out/lines").splitlines() == [b"record %d" % n for n in range(500)]
    staged = [child.name for child in gateway.storage.default.list(f"{gateway.shared}/staging")]
    assert staged == [f"cache-{getpass.getuser()}"]


def installed_from_a_wheel(folder: Path) -> Path:
    """`xl-submit` of a wheel in an environment of its own; what xlearning needs comes from this one."""

    def run(*words: object) -> None:
        done = subprocess.run(
            [str(w) for w in words], capture_output=True, text=True, cwd=folder, check=False
        )
        assert done.returncode == 0, f"{shlex.join(map(str, words))}\n{done.stdout}{done.stderr}"

    env, dist = folder / "env", folder / "dist"
    run(sys.executable, "-m", "build", "--wheel", "--outdir", dist, ROOT)
    run(sys.executable, "-m", "venv", env)
    (wheel,) = dist.glob("*.whl")
    run(env / "bin" / "pip", "install", "-q", "--no-deps", wheel)
    (site,) = env.glob("lib/python*/site-packages")
    (here,) = Path(sys.prefix).glob("lib/python*/site-packages")
    # files of this kind are read in that folder only, so ours from this checkout stays out of sight
    (site / "needs.pth").write_text(f"{here}\n")
    return env / "bin" / "xl-submit"
