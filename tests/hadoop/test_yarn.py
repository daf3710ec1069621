"""The main job on a real YARN: from `xl-submit` through containers to the committed output on HDFS."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

from places import Place
from submitting import PATIENCE, PROGRAMS, words_of
from yarn_gateway import YarnGateway, processes_of

SHOW, ACT = PROGRAMS / "show.py", PROGRAMS / "act.py"
ODD = "a b é%41;#?.sh"
JOB = ("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 2, "--board-enable", "false")
FOR_EVER = ("bash", "-c", "echo waiting; sleep 600")


def archive(path: Path, **files: str) -> Path:
    folder = path.parent / "packed"
    folder.mkdir()
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            (folder / name).write_text(text)
            tar.add(folder / name, arcname=name)
    return path


def test_main_job(place: Place, gateway: YarnGateway) -> None:
    files = {place.write(f"in/part-{n} é", f"{n}\n".encode()) for n in range(4)}
    odd = gateway.work / ODD
    odd.write_text("#!/bin/sh\necho executable\n")
    odd.chmod(0o755)
    place.write("cached", b"from hdfs")
    place.write("folder/inner/file", b"deep")
    place.write("far.jar", b"far")
    (gateway.work / "near.jar").write_text("near")
    placed = "grep -q hdfs c.txt && grep -q deep d/inner/file && grep -q packed z/t"
    check = f'test -x "./{ODD}" && {placed} && exec "$@"'
    ended = gateway.submit(
        *(*JOB, "--input-strategy", "placeholder", "--input", f"{place.at('in')}#data"),
        *("--output", f"{place.at('out')}#output", "--files", f"{SHOW},{odd}"),
        *("--cacheFile", f"{place.at('cached')}#c.txt,{place.at('folder')}#d"),
        *("--archiveFiles", f"{archive(gateway.work / 'x.tgz', t='packed')}#z"),
        *("--conf", "xlearning.container.env.QUOTED='\"$HOME`x`", "--user-path", "/opt/mine"),
        *("--jars", f"near.jar,{place.at('far.jar')}", "--env", "NAMED=${role}=$X,${index}", "--template"),
        *("--", "bash", "-c", check, "bash", sys.executable, "show.py", "a b", "$HOME", "${index}"),
    )
    assert ended.code == 0, ended.err
    assert place.exists("out/_SUCCESS")
    assert not place.exists("out/_temporary")
    names = [name for name in place.tree("out") if name.endswith(".json")]
    seen = {name.rpartition("/")[2]: json.loads(place.read(f"out/{name}")) for name in names}
    workers = [seen[f"show-worker-{n}.json"] for n in (0, 1)]
    lists = [json.loads(worker["env"]["INPUT_FILE_LIST"])["data"] for worker in workers]
    assert [len(found) for found in lists] == [2, 2]
    assert set(lists[0] + lists[1]) == files
    for index, worker in enumerate(workers):
        env = worker["env"]
        assert worker["argv"] == ["a b", "$HOME", str(index)]
        assert env["NAMED"] == f"worker=$X,{index}"
        assert env["PATH"].endswith(":/opt/mine")
        jars = [Path(part) for part in env["CLASSPATH"].split(":") if ended.app_id in part]
        assert [jar.name for jar in jars if jar.suffix == ".jar"] == ["near.jar", "far.jar"]
        assert env["QUOTED"] == "'\"$HOME`x`"
        config = json.loads(env["TF_CONFIG"])
        assert config["task"] == {"type": "worker", "index": index}
        assert {role: len(group) for role, group in config["cluster"].items()} == {"worker": 2, "ps": 1}
        assert "PYTHONPATH" not in env
        assert not [name for name in env if name.startswith(("SKEIN_", "XLEARNING_STAGING", "JDK_"))]
        assert env["HOME"] != env["TMPDIR"]
        assert f"/{ended.app_id}/container_" in env["HOME"]
    report = gateway.application(ended.app_id)
    assert (report["state"], report["finalStatus"]) == ("FINISHED", "SUCCEEDED")
    gateway.nothing_is_left_of(ended.app_id)


def test_a_worker_fails(place: Place, gateway: YarnGateway) -> None:
    ended = gateway.submit(
        *(*JOB, "--output", f"{place.at('out')}#output", "--files", ACT, "--logs=worker:0"),
        *("--", "bash", "-c", f'test $TF_ROLE = worker || sleep 600; exec {sys.executable} act.py "$@"'),
        *("bash", "print:one word more", "only:0", "exit:3"),
    )
    assert ended.code == 2, ended.err
    assert "code 3" in ended.err
    assert "    | one word more" in ended.err
    assert ended.err.count("worker:0 | one word more") == 1
    assert f"xl-submit logs {ended.app_id} --container container_" in ended.err
    report = gateway.application(ended.app_id)
    assert report["finalStatus"] == "FAILED"
    assert "3" in report["diagnostics"].splitlines()[0]
    assert not place.tree("out")
    gateway.nothing_is_left_of(ended.app_id)


def test_an_agent_is_killed(gateway: YarnGateway) -> None:
    running = gateway.start(*JOB, *FOR_EVER)
    running.said("worker: 2 running")
    app_id = gateway.submitted(running)
    agents = [p for p in processes_of(app_id) if words_of(p)[-1:] == ["agent"]]
    assert len(agents) == 3
    worker = next(p for p in agents if p.environ()["XLEARNING_ROLE"] == "worker")
    worker.kill()
    ended = running.end()
    assert ended.code == 2, ended.err
    assert "worker" in ended.err
    gateway.nothing_is_left_of(app_id)


def test_interrupted(gateway: YarnGateway) -> None:
    running = gateway.start(*JOB, *FOR_EVER)
    running.said("worker: 2 running")
    app_id = gateway.submitted(running)
    running.process.send_signal(signal.SIGINT)
    ended = running.end()
    assert ended.code == 2, ended.err
    assert gateway.application(app_id)["finalStatus"] == "KILLED"
    gateway.nothing_is_left_of(app_id)


def test_killed_by_yarn_while_followed(gateway: YarnGateway) -> None:
    """The page goes through YARN's proxy; then the application is killed from outside."""
    running = gateway.start(*JOB, *FOR_EVER)
    running.said("Page: ")
    app_id = gateway.submitted(running)
    running.said("worker: 2 running")
    page = re.search(r"Page: (\S+)", running.err)
    assert page is not None
    assert f"/proxy/{app_id}/" in page.group(1)
    assert page.group(1).endswith("/")
    with urllib.request.urlopen(page.group(1), timeout=PATIENCE) as reply:
        html = reply.read().decode()
    assert app_id in html
    assets = re.findall(r'(?:src|href)="(?!data:|#)([^":]+\.(?:js|css|svg))"', html)
    assert assets
    for asset in assets:
        with urllib.request.urlopen(page.group(1) + asset, timeout=PATIENCE) as reply:
            assert reply.status == 200
    with urllib.request.urlopen(f"{page.group(1)}api/v1/job", timeout=PATIENCE) as reply:
        assert json.load(reply)["app_id"] == app_id
    kill_on_yarn(gateway, app_id)
    ended = running.end()
    assert ended.code == 2, ended.err
    assert "KILLED" in ended.err
    gateway.nothing_is_left_of(app_id)


def kill_on_yarn(gateway: YarnGateway, app_id: str) -> None:
    """As `yarn application -kill` does."""
    words = ["yarn", "application", "-kill", app_id]
    subprocess.run(words, env=gateway.environ(), capture_output=True, check=True, timeout=PATIENCE)


def test_no_resource_manager(gateway: YarnGateway) -> None:
    conf = gateway.root / "hadoop-conf"
    conf.mkdir()
    given = Path(gateway.environment["HADOOP_CONF_DIR"])
    (conf / "core-site.xml").write_bytes((given / "core-site.xml").read_bytes())
    down = "".join(
        f"<property><name>yarn.resourcemanager.{name}</name><value>127.0.0.1:1</value></property>"
        for name in ("address", "webapp.address")
    )
    (conf / "yarn-site.xml").write_text(f"<configuration>{down}</configuration>")
    gateway.environment["HADOOP_CONF_DIR"] = gateway.environment["YARN_CONF_DIR"] = str(conf)
    ended = gateway.submit("--", "true")
    assert (ended.code, ended.out) == (1, "")
    assert "no ResourceManager" in ended.err
    assert "Traceback" not in ended.err
