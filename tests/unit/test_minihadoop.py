"""The parts of tools/minihadoop that need no Hadoop."""

from __future__ import annotations

import base64
import hmac
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from minihadoop import (
    MiniHadoop,
    MiniHadoopError,
    configuration,
    daemons,
    jars,
    java,
    missing_tools,
    ports,
    realm,
)
from minihadoop.layout import Layout, State
from minihadoop.processes import Process, end, find_by_argument, find_containers, identify, kill, pause, spawn

SLEEPER = [sys.executable, "-c", "import signal; print('ready', flush=True); signal.pause()"]


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(SLEEPER, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    yield child
    child.kill()
    child.wait()
    child.stdout.close()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/xlearning/minihadoop"


def make_state(nodes: int = 2) -> State:
    numbers = {name: 10000 + i for i, name in enumerate(daemons.port_names(nodes))}
    return State("3.4.1", nodes, "/opt/java", "/opt/lib", numbers)


def properties(file: Path) -> dict[str, str]:
    return {row.findtext("name", ""): row.findtext("value", "") for row in ET.parse(file).getroot()}


def test_ports_lie_below_the_ephemeral_range_and_differ() -> None:
    names = daemons.port_names(5)
    chosen = ports.assign(names, {})
    assert list(chosen) == names
    assert len(set(chosen.values())) == len(names)
    assert all(ports.LOW <= port < ports.HIGH for port in chosen.values())


def test_a_port_is_kept_unless_somebody_listens_there() -> None:
    before = ports.assign(["a", "b"], {})
    with socket.create_server(("127.0.0.1", before["a"])):
        assert not ports.is_free(before["a"])
        after = ports.assign(["a", "b"], before)
    assert after["b"] == before["b"]
    assert after["a"] not in before.values()


def test_port_of_a_closed_connection_counts_as_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted, _ = server.accept()
            accepted.close()  # this side closes first, so that its port goes to TIME_WAIT
            assert client.recv(1) == b""
    assert ports.is_free(port)


def test_no_free_port_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "is_free", lambda _port: False)
    with pytest.raises(MiniHadoopError, match="no free port"):
        ports.choose(())


@pytest.mark.parametrize(("text", "start"), [("15000\t60999\n", 15000), ("", 32768), ("x", 32768)])
def test_start_of_the_ephemeral_range(tmp_path: Path, text: str, start: int) -> None:
    (tmp_path / "range").write_text(text)
    assert ports.ephemeral_start(tmp_path / "range") == start
    assert ports.ephemeral_start(tmp_path / "missing") == 32768


def test_configuration(tmp_path: Path) -> None:
    layout, state = Layout(tmp_path), make_state()
    configuration.write(layout, state)
    core = properties(layout.conf / "core-site.xml")
    assert core["fs.defaultFS"] == f"hdfs://localhost:{state.ports['namenode.rpc']}"
    nodes = [properties(layout.conf_of(f"nodemanager{i}") / "yarn-site.xml") for i in (0, 1)]
    assert nodes[0].keys() == nodes[1].keys()
    different = {key for key in nodes[0] if nodes[0][key] != nodes[1][key]}
    assert different == {
        "yarn.nodemanager.address",
        "yarn.nodemanager.localizer.address",
        "yarn.nodemanager.webapp.address",
        "yarn.nodemanager.local-dirs",
        "yarn.nodemanager.log-dirs",
    }
    assert Path(nodes[0]["yarn.nodemanager.log-dirs"]).is_absolute()
    for folder in (layout.conf, layout.conf_of("nodemanager1")):
        assert {each.name for each in (folder / "webapps").iterdir()} == {
            "hdfs",
            "datanode",
            "static",
            "secondary",
        }


def test_every_address_is_loopback(tmp_path: Path) -> None:
    layout, state = Layout(tmp_path), make_state()
    configuration.write(layout, state)
    used = set()
    for file in tmp_path.glob("conf*/*-site.xml"):
        for key, value in properties(file).items():
            host, colon, port = value.removeprefix("hdfs://").rpartition(":")
            if colon and port.isdigit():
                assert host == "localhost", key
                used.add(int(port))
    assert used == set(state.ports.values())


def test_values_are_escaped() -> None:
    text = configuration.render_xml({"a": "<1 & 2>"})
    assert ET.fromstring(text)[0].findtext("value") == "<1 & 2>"


def test_commands_answer_classpath(tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    lib.mkdir()
    for name in ("a.jar", "b.jar"):
        (lib / name).touch()
    layout, state = Layout(tmp_path / "c"), make_state()
    layout.root.mkdir()
    state.lib = str(lib)
    configuration.write(layout, state)

    def ask(*arguments: str, **env: str) -> str:
        command = [str(layout.bin / "yarn"), "classpath", *arguments]
        return subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    assert ask() == f"{layout.conf}:{lib}/*"
    assert ask("--glob", HADOOP_CONF_DIR="/etc/other") == f"/etc/other:{lib}/a.jar:{lib}/b.jar"


def test_a_daemon_sees_nothing_of_another_hadoop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HADOOP_HOME", "YARN_CONF_DIR", "JAVA_TOOL_OPTIONS", "CLASSPATH"):
        monkeypatch.setenv(name, "/other")
    env = daemons.environment(Layout(tmp_path), make_state(), "nodemanager1")
    assert "/other" not in env.values()
    assert env["HADOOP_CONF_DIR"] == str(tmp_path / "conf-nodemanager1")


def test_state_survives_a_round_trip(tmp_path: Path) -> None:
    layout, state = Layout(tmp_path), make_state()
    assert State.load(layout) is None
    state.daemons["namenode"] = Process(12, 345)
    state.save(layout)
    assert State.load(layout) == state


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"daemons": {"namenode": 3}}', '{"daemons": {}, "x": 1}'])
def test_a_damaged_state_is_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(MiniHadoopError, match=r"is damaged .* remove "):
        State.load(Layout(tmp_path))


def test_a_recycled_pid_is_left_alone(sleeper: subprocess.Popen[bytes]) -> None:
    real = identify(sleeper.pid)
    assert real is not None
    assert real.state == "running"
    other = Process(real.pid, real.start - 1)
    assert other.state == "dead"
    end([other], patience=0.0)
    kill([other])
    assert sleeper.poll() is None
    end([real], patience=10.0)
    assert real.state == "dead"  # though it is a zombie until its parent asks
    assert sleeper.wait() == -signal.SIGTERM
    assert identify(sleeper.pid) is None


def test_a_paused_process_ends_by_term(sleeper: subprocess.Popen[bytes]) -> None:
    process = identify(sleeper.pid)
    assert process is not None
    pause([process])
    assert process.state == "paused"
    end([process], patience=60.0)
    assert sleeper.wait() == -signal.SIGTERM


def test_what_ignores_term_is_killed() -> None:
    program = "import signal; signal.signal(15, signal.SIG_IGN); print('ready', flush=True); signal.pause()"
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout:
        child.stdout.readline()
        process = identify(child.pid)
        assert process is not None
        end([process], patience=0.1)
        assert child.wait() == -signal.SIGKILL


def test_a_spawned_daemon_is_found_by_its_argument(tmp_path: Path) -> None:
    mark = f"-Dmark={tmp_path}"
    process = spawn([*SLEEPER, mark], tmp_path / "log", dict(os.environ))
    assert process is not None
    try:
        assert find_by_argument(mark) == [process]
        assert find_by_argument(f"-Dmark={tmp_path.parent}") == []
    finally:
        kill([process])
    assert find_by_argument(mark) == []


def test_containers_are_found_by_folder_and_by_environment(tmp_path: Path) -> None:
    data = tmp_path / "data"
    work = data / "nodemanager0/local/usercache/me/appcache/container_1"
    logs = data / "nodemanager0/logs"
    for folder in (work, logs):
        folder.mkdir(parents=True)
    bare = {"PATH": os.environ["PATH"]}
    children = [
        subprocess.Popen(["sleep", "1000"], cwd=work, env=bare),
        subprocess.Popen(["sleep", "1000"], cwd="/", env=bare | {"LOCAL_DIRS": f"{data}/nodemanager0/local"}),
        subprocess.Popen(["sleep", "1000"], cwd=logs, env=bare),  # somebody reads logs
        subprocess.Popen(["sleep", "1000"], cwd="/", env=bare | {"LOCAL_DIRS": f"{data}2/x"}),
    ]
    try:
        assert {each.pid for each in find_containers(data)} == {each.pid for each in children[:2]}
    finally:
        for child in children:
            child.kill()
            child.wait()


def test_a_secure_cluster_has_a_kdc_and_says_so(tmp_path: Path) -> None:
    names = daemons.port_names(1, secure=True)
    state = State("3.4.1", 1, "/opt/java", "/opt/lib", {name: 10000 + i for i, name in enumerate(names)})
    layout = Layout(tmp_path)
    state.web_secret = str(layout.http_secret)
    configuration.write(layout, state)
    core = properties(layout.conf / "core-site.xml")
    assert core["hadoop.security.authentication"] == core["hadoop.http.authentication.type"] == "kerberos"
    assert "kerberos.principal" in "".join(properties(layout.conf / "hdfs-site.xml"))
    assert daemons.names(1, secure=True)[0] == "kdc"
    assert daemons.select("hdfs", 1, secure=True) == ["namenode", "datanode"]
    command = daemons.command(layout, state, "nodemanager0")
    assert f"-Djava.security.krb5.conf={layout.krb5_conf}" in command
    assert command[command.index("-cp") + 1].startswith(f"{layout.stand_in}:")
    assert not any("stand-in" in word for word in daemons.command(layout, state, "datanode"))


def test_the_cookie_of_web_services(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s")
    token, _, signature = realm.web_cookie(str(secret), "alice").partition('"')[2].rpartition("&s=")
    assert token.startswith("u=alice&p=alice@MINI.TEST&t=kerberos&e=")
    made = hmac.new(b"s", token.encode(), "sha256").digest()
    assert base64.b64decode(signature.rstrip('"')) == made


def test_a_secure_cluster_needs_a_kdc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(realm, "_which", lambda name: None if name.startswith("k") else name)
    assert "no krb5kdc, kdb5_util, kadmin.local, kinit on this machine" in missing_tools(secure=True)
    assert "krb5" not in missing_tools()


def test_users_are_those_of_a_secure_cluster(tmp_path: Path) -> None:
    make_state().save(Layout(tmp_path))
    with pytest.raises(MiniHadoopError, match="is not secure"):
        MiniHadoop(tmp_path).env({}, "alice")
    with pytest.raises(MiniHadoopError, match="no user 'zoe': choose one of alice, bob"):
        realm.log_in(Layout(tmp_path), "zoe")


def test_names_of_daemons() -> None:
    assert daemons.select("hdfs", 2) == ["namenode", "datanode"]
    assert daemons.select("yarn", 2) == ["resourcemanager", "nodemanager0", "nodemanager1"]
    assert daemons.select("nodemanager1", 2) == ["nodemanager1"]
    with pytest.raises(MiniHadoopError, match=r"'nodemanager2': choose one of .*nodemanager1"):
        daemons.select("nodemanager2", 2)


def test_tail_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert daemons.log_tail(log, 5) == ""
    log.write_text("".join(f"line {i} {'x' * 100}\n" for i in range(1000)))
    assert [line.split()[1] for line in daemons.log_tail(log, 3).splitlines()] == ["997", "998", "999"]
    assert daemons.log_tail(log, 0) == ""


@pytest.mark.parametrize(
    ("dir_name", "version", "nodes", "said"),
    [
        ("ok", "3.4.9", 1, "3.4.9 is not known here: choose one of 3.3.6, 3.4.1, 3.5.0"),
        ("ok", "3.4.1", 0, "0 NodeManagers: choose from 1"),
        ("a b", "3.4.1", 1, "choose another one with --dir"),
        ("a:b", "3.4.1", 1, "choose another one with --dir"),
    ],
)
def test_unusable_values(tmp_path: Path, dir_name: str, version: str, nodes: int, said: str) -> None:
    with pytest.raises(MiniHadoopError, match=said):
        MiniHadoop(tmp_path / dir_name, version, nodes)


def test_missing_tools_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    said = missing_tools()
    assert "no Java on this machine: apt-get install openjdk-17-jdk-headless" in said
    assert "no Maven on this machine: apt-get install maven" in said
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    jars.library("3.4.1").mkdir(parents=True)
    assert missing_tools() == f"JAVA_HOME={tmp_path}/nowhere has no bin/java: correct it or unset it"


@pytest.mark.parametrize(
    ("release", "hadoop", "fits"),
    [
        ("1.8.0_392", "3.3.6", False),
        ("11.0.2", "3.4.1", True),
        ("25.0.1", "3.4.1", False),
        ("11.0.2", "3.5.0", False),
        ("17", "3.5.0", True),
        ("25.0.1", "3.5.0", True),
    ],
)
def test_java_must_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: str, hadoop: str, fits: bool
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/java").touch()
    (tmp_path / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{release}"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    if fits:
        assert java.suitable_java(hadoop) == tmp_path
    else:
        with pytest.raises(MiniHadoopError, match=f"Hadoop {hadoop} needs Java"):
            java.suitable_java(hadoop)


def fake_maven(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    (folder / "mvn").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


COPY = 'for a; do case "$a" in -DoutputDirectory=*) D="${a#*=}";; esac; done; mkdir -p "$D"; '


def test_jars_are_fetched_once_by_two_at_once(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f'{COPY} echo x >>{tmp_path}/calls; touch "$D/hadoop-common-3.5.0.jar"; echo "$@" >"$D/said"'
    fake_maven(tmp_path / "bin", script, monkeypatch)
    (own_cache / ".3.5.0.killed").mkdir(parents=True)
    threads = [threading.Thread(target=jars.fetch, args=["3.5.0"]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "calls").read_text() == "x\n"
    said = (own_cache / "3.5.0/lib/said").read_text()
    assert "-Dhadoop.version=3.5.0" in said
    assert "-Djackson.version=2.18.6" in said
    assert {each.name for each in own_cache.iterdir()} == {"3.5.0", "3.5.0.lock"}


def test_a_failed_fetch_leaves_nothing_and_speaks(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_maven(tmp_path / "bin", f"{COPY} echo '[ERROR] no route to host'; exit 1", monkeypatch)
    with pytest.raises(
        MiniHadoopError, match=r"(?s)could not fetch Hadoop 3.4.1 \(exit 1\).*no route to host"
    ):
        jars.fetch("3.4.1")
    assert {each.name for each in own_cache.iterdir()} == {"3.4.1.lock"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    tool = Path(configuration.__file__).parent
    return subprocess.run([sys.executable, str(tool), *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("verb", [["status"], ["env"], ["logs"], ["stop", "namenode"], ["start", "hdfs"]])
def test_verbs_without_a_cluster(tmp_path: Path, verb: list[str]) -> None:
    done = run(*verb, "--dir", str(tmp_path / "nowhere"))
    assert done.returncode == 1
    assert done.stderr == f"minihadoop: there is no cluster in {tmp_path}/nowhere: start one with `up`\n"
    assert not (tmp_path / "nowhere").exists()


def test_down_without_a_cluster_is_no_error(tmp_path: Path) -> None:
    done = run("down", "--dir", str(tmp_path / "nowhere"))
    assert (done.returncode, done.stdout) == (0, f"nothing is up in {tmp_path}/nowhere\n")
    assert not (tmp_path / "nowhere").exists()


def test_status_of_a_dead_cluster(tmp_path: Path) -> None:
    make_state(1).save(Layout(tmp_path))
    done = run("status", "--json", "--dir", str(tmp_path))
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert not report["up"]
    assert {each["process"] for each in report["daemons"].values()} == {"dead"}


def test_another_version_does_not_touch_the_data(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    make_state().save(layout)
    layout.name_dir.mkdir(parents=True)
    jars.library("3.5.0").mkdir(parents=True)
    if shutil.which("java") is None:
        pytest.skip("no Java on this machine")
    with pytest.raises(MiniHadoopError, match=r"has the format of Hadoop 3\.4\.1"):
        MiniHadoop(tmp_path, "3.5.0").up()
