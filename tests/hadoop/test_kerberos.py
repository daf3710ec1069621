"""Jobs on a cluster that asks for Kerberos, and what is said to those who have no ticket."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from preflight_table import keeps, rows
from secure_gateway import SecureGateway
from submitting import PATIENCE, PROGRAMS, wait_for

from xlearning.cluster import gssapi
from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.cluster.resource_manager import ResourceManagerWeb
from xlearning.job import AppState

KERBEROS = ("KRB5CCNAME", "KRB5_CLIENT_KTNAME", "HADOOP_USER_NAME", "HADOOP_TOKEN_FILE_LOCATION")


def gateway_of(root: Path, hadoop: MiniHadoop, user: str | None) -> SecureGateway:
    base = {key: value for key, value in os.environ.items() if key not in KERBEROS}
    return SecureGateway(root, hadoop, base, user)


@pytest.fixture
def alice(secure_hadoop: MiniHadoop, tmp_path: Path) -> Iterator[SecureGateway]:
    """Alice's machine, with a ticket."""
    gateway = gateway_of(tmp_path / "alice", secure_hadoop, "alice")
    yield gateway
    gateway.close()


@pytest.fixture
def nobody(secure_hadoop: MiniHadoop, tmp_path: Path) -> Iterator[SecureGateway]:
    """A machine with a cache that does not exist."""
    gateway = gateway_of(tmp_path / "nobody", secure_hadoop, None)
    gateway.environment["KRB5CCNAME"] = f"FILE:{tmp_path}/cache"
    yield gateway
    gateway.close()


def spnego(gateway: SecureGateway, patch: pytest.MonkeyPatch) -> str:
    """The header by which the gateway's user logs in to a web page of this host; good for one request."""
    with patch.context() as given:
        for name in ("KRB5_CONFIG", "KRB5CCNAME"):
            given.setenv(name, gateway.environment[name])
        return gssapi.negotiate("localhost")


def test_a_job_with_a_ticket(alice: SecureGateway, monkeypatch: pytest.MonkeyPatch) -> None:
    """Input, output, tokens for both HDFS clients, and who may open the page."""
    folder, go = f"/user/alice/{uuid.uuid4().hex}", alice.work / "go"
    mine = alice.hdfs("alice")
    mine.mkdirs(f"{folder}/in")
    mine.write(f"{folder}/in/part", b"one\ntwo\n")
    alice.environment["HADOOP_USER_NAME"] = "bob"  # means nothing here
    running = alice.start(
        *("--board-enable", "false", "--worker-num", 1, "--files", PROGRAMS / "tokens.py"),
        *("--input", f"{alice.hadoop.hdfs_uri}{folder}/in#data"),
        *("--output", f"{folder.removeprefix('/user/alice/')}/out#output"),  # from alice's home
        *("--", sys.executable, "tokens.py", go, alice.hadoop.layout.bin / "hdfs"),
    )
    app_id = alice.submitted(running)
    running.said("Page: ")
    found = re.search(r"Page: (\S+)", running.err)
    assert found is not None
    page = found.group(1)

    (staged,) = [entry for name, entry in mine.list("/tmp/XLearning/staging").items() if name == app_id]
    assert (staged["owner"], staged["permission"]) == ("alice", "700")
    assert alice.fetch(page)[0] == 401
    status, html = alice.fetch(page, header=spnego(alice, monkeypatch))
    assert status == 200
    assert app_id in html
    assert 'You are <b id="viewer">alice</b>' in html
    assert "opens this page to alice alone" in html
    nonce = re.search(r'data-nonce="(\w+)"', html)
    assert nonce is not None
    save = f"{page}api/v1/save?nonce={nonce.group(1)}"
    assert alice.fetch(page, "bob")[0] == 403
    assert alice.fetch(save, "bob", method="PUT")[0] == 403
    assert alice.fetch(f"{page}api/v1/save?nonce=wrong", "alice", method="PUT")[0] == 403
    running.said("worker: 1 running")
    seen_locally = f"{app_id}/container_*/output/seen.json"
    data = alice.hadoop.layout.data
    wait_for(lambda: [*data.glob(f"**/appcache/{seen_locally}")], message="the program has seen nothing")
    status, said = alice.fetch(save, "alice", method="PUT")
    assert status == 200, said
    saved = json.loads(said)
    assert saved["ok"], said

    def saves() -> list[str]:
        return [name for name in mine.list(f"{folder}/out") if name.startswith("interResult_")]

    wait_for(
        lambda: saves() and "_SUCCESS" in mine.list(f"{folder}/out/{saves()[0]}"), message="nothing saved"
    )
    go.touch()
    ended = running.end()
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err

    out = mine.list(f"{folder}/out")
    assert {entry["owner"] for entry in out.values()} == {"alice"}
    assert mine.list("/tmp/XLearning/history")[app_id]["owner"] == "alice"
    seen = json.loads(mine.read(f"{folder}/out/output/seen.json"))
    assert seen["lines"] == ["one", "two"]
    assert any(path.endswith(folder) for path in seen["native"]), seen["native"]
    assert folder in seen["java"], seen["java_error"]
    assert seen["mode"] == 0o600
    assert seen["env"]["USER"] == "alice"
    assert not {"HADOOP_USER_NAME", "KRB5CCNAME", "XLEARNING_VIEWERS"} & seen["env"].keys()
    report = alice.application(app_id, "alice")
    assert (report["user"], report["finalStatus"]) == ("alice", "SUCCEEDED")
    ask_the_resource_manager(alice, app_id, monkeypatch)
    assert app_id in alice.verb("list", "--output", "json").out
    told = alice.verb("doctor")
    assert re.search(r"ok +User +alice@MINI\.TEST; the ticket lasts .*, (not )?renewable", told.out), told.out
    assert (told.code, told.err) == (0, ""), told.out
    alice.nothing_is_left_of(app_id)


def ask_the_resource_manager(gateway: SecureGateway, app_id: str, patch: pytest.MonkeyPatch) -> None:
    """Our own client logs in to the web service; no JVM is needed for that."""
    site = HadoopSite(Path(gateway.environment["HADOOP_CONF_DIR"]), {})
    web = ResourceManagerWeb(site)
    assert web.asks_who()
    with patch.context() as given:
        for name in ("KRB5_CONFIG", "KRB5CCNAME"):
            given.setenv(name, gateway.environment[name])
        assert web.report(app_id).state is AppState.SUCCEEDED
        assert app_id in [report.app_id for report in web.list("alice")]


def test_a_job_with_a_keytab(nobody: SecureGateway) -> None:
    """There is no ticket on the machine, and none is left there."""
    keytab = nobody.hadoop.layout.keytabs / "alice.keytab"
    ended = nobody.submit("--keytab", keytab, "--principal", "alice", "--board-enable", "false", "--", "true")
    assert ended.code == 0, ended.err
    assert nobody.application(ended.app_id, "alice")["user"] == "alice"
    assert not Path(nobody.environment["KRB5CCNAME"].removeprefix("FILE:")).exists()
    nobody.nothing_is_left_of(ended.app_id)


def valid(cache: Path, environ: dict[str, str]) -> bool:
    return subprocess.run(["klist", "-s", "-c", f"FILE:{cache}"], env=environ, check=False).returncode == 0


def test_what_is_said_without_a_ticket(nobody: SecureGateway, tmp_path: Path) -> None:
    """One sentence that names the thing and the way out, and nothing is started or uploaded."""
    keytabs = nobody.hadoop.layout.keytabs
    damaged, stale = tmp_path / "damaged.keytab", tmp_path / "cache-stale"
    damaged.write_bytes((keytabs / "alice.keytab").read_bytes()[:-7])
    log_in = ["kinit", "-l", "1s", "-c", f"FILE:{stale}", "-k", "-t", str(keytabs / "alice.keytab"), "alice"]
    environ = nobody.environ()
    subprocess.run(log_in, env=environ, check=True, timeout=PATIENCE)
    given: list[tuple[dict[str, str], list[str], str]] = [
        ({}, [], f"no Kerberos ticket (cache: {nobody.environment['KRB5CCNAME']})"),
        ({}, ["--keytab", str(tmp_path / "none")], f"the keytab {tmp_path / 'none'} cannot be read"),
        ({}, ["--keytab", str(damaged)], "ends in the middle"),
        (
            {},
            ["--keytab", str(keytabs / "alice.keytab"), "--principal", "bob"],
            "holds no key of bob; it holds those of alice@MINI.TEST",
        ),
        ({}, ["--principal", "alice"], "xlearning.kerberos.principal=alice comes without a keytab"),
        ({"KRB5CCNAME": f"FILE:{stale}"}, [], f"the Kerberos ticket has expired (cache: FILE:{stale})"),
    ]
    for variables, words, expected in given:
        if variables:
            wait_for(lambda: not valid(stale, environ), message="the ticket does not expire")
        nobody.environment.update(variables)
        ended = nobody.submit(*words, "--", "true")
        assert (ended.code, ended.out) == (1, ""), ended.err
        assert expected in ended.err
        assert "hint: " in ended.err
        assert "Traceback" not in ended.err
        assert len(ended.err.strip().splitlines()) == 2, ended.err


def test_rows_of_the_preflight_table(alice: SecureGateway, nobody: SecureGateway) -> None:
    """Every row of docs/preflight.md that is about secure clusters."""
    closed, small = ("--queue", "root.team.closed"), ("--am-memory", 64, "--worker-memory", 64)
    forever = ("--conf", "xlearning.kerberos.min.lifetime=1000d")
    said = {
        "no ticket": nobody.submit("--dry-run", "--files", "nofile", "--", "true").err,
        "the ticket ends too soon": alice.submit("--dry-run", *forever, "--", "true").err,
        "no right to submit to the queue": alice.submit("--dry-run", *closed, *small, "--", "true").err,
    }
    table = rows("On a secure cluster")
    assert list(said) == list(table)
    for situation, text in said.items():
        keeps(table[situation], text)
    assert "there is no file://" in said["no ticket"]
    asked = alice.submit("--dry-run", "--queue", "root.team.night shift", *small, "--", "true")
    assert asked.code == 0, asked.err
