"""The JSON API: what it answers and what it refuses."""

import dataclasses
import re
import time
from pathlib import Path
from typing import Any

import pytest
import webui_samples as samples
from flask import Flask
from flask.testing import FlaskClient

from xlearning.errors import StorageError
from xlearning.job import (
    AppState,
    ContainerView,
    SaveState,
    SaveView,
    Snapshot,
    from_dict,
)
from xlearning.webui.app import create_app
from xlearning.webui.assets import FOLDER

BASE = "/s3cret"
NONCE = "n0nce"
WORKER0 = samples.container_id(3)


def test_job_holds_the_snapshot_and_the_server_time(
    client: FlaskClient, source: samples.SampleSource
) -> None:
    answer = client.get(f"{BASE}/api/v1/job")
    assert answer.mimetype == "application/json"
    data = answer.json
    assert from_dict(Snapshot, data) == source.snapshot()
    assert abs(data["server_time"] - time.time()) < 60
    assert data["summary"]["title"].startswith("Tensorflow")


def test_job_is_short_when_nothing_is_newer(client: FlaskClient, source: samples.SampleSource) -> None:
    version = client.get(f"{BASE}/api/v1/job").json["version"]
    short = client.get(f"{BASE}/api/v1/job?since={version}").json
    assert short["unchanged"] is True and short["version"] == version and short["attempt"] == 1
    source.change(lambda s: dataclasses.replace(s, phase="committing"))
    assert client.get(f"{BASE}/api/v1/job?since={version}").json["phase"] == "committing"


def test_a_later_version_than_the_newest_stems_from_another_attempt(client: FlaskClient) -> None:
    assert "containers" in client.get(f"{BASE}/api/v1/job?since=999").json


@pytest.mark.parametrize("since", ["", "-1", "x", "1.5", "²", "9" * 30])
def test_bad_numbers_are_refused_in_words(client: FlaskClient, since: str) -> None:
    answer = client.get(f"{BASE}/api/v1/job", query_string={"since": since})
    assert answer.status_code == 400 and "since" in answer.json["error"]


def test_json_is_ascii(client: FlaskClient, source: samples.SampleSource) -> None:
    source.set(samples.job(app_name="训练 é"))
    source.write(3, "stdout", "é 中\n".encode())
    for path in ("job", f"logs?c={WORKER0}&f=stdout", "containers/中"):
        assert client.get(f"{BASE}/api/v1/{path}").data.isascii()
    assert client.get(f"{BASE}/api/v1/job").json["app_name"] == "训练 é"


def test_containers(client: FlaskClient, source: samples.SampleSource) -> None:
    rows = client.get(f"{BASE}/api/v1/containers").json["containers"]
    assert [row["role"] for row in rows] == ["worker", "worker", "ps"]
    one = client.get(f"{BASE}/api/v1/containers/{WORKER0}").json
    assert from_dict(ContainerView, one) in source.snapshot().containers
    missing = client.get(f"{BASE}/api/v1/containers/nobody")
    assert missing.status_code == 404 and "nobody" in missing.json["error"]


def test_logs_are_read_by_cursor(client: FlaskClient, source: samples.SampleSource) -> None:
    source.write(3, "stdout", b"0123456789")
    address = f"{BASE}/api/v1/logs?c={WORKER0}"
    assert client.get(address).json["files"] == {"stdout": 10}
    first = client.get(f"{address}&f=stdout&limit=4").json
    assert (first["text"], first["next_offset"], first["size"]) == ("0123", 4, 10)
    rest = client.get(f"{address}&f=stdout&offset={first['next_offset']}").json
    assert rest["text"] == "456789" and rest["final"] is False
    assert client.get(f"{address}&f=stdout&offset=10").json["text"] == ""


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400),
        ("c=nobody&f=stdout", 404),
        (f"c={WORKER0}&f=stdout", 404),
        (f"c={WORKER0}&f=..%2Fjob.json", 404),
        (f"c={WORKER0}&f=stdout&limit=1048577", 400),
        (f"c={WORKER0}&f=stdout&limit=0", 400),
        (f"c={WORKER0}&f=stdout&offset=-1", 400),
    ],
)
def test_bad_log_requests_are_refused_in_words(client: FlaskClient, query: str, status: int) -> None:
    answer = client.get(f"{BASE}/api/v1/logs?{query}")
    assert answer.status_code == status and answer.json["error"]


def test_kill_needs_the_nonce(client: FlaskClient, source: samples.SampleSource) -> None:
    for query in ("", "?nonce=", "?nonce=wrong", "?nonce=%C3%A9"):
        answer = client.put(f"{BASE}/api/v1/kill{query}")
        assert answer.status_code == 403 and "nonce" in answer.json["error"]
    assert source.kills == []
    page = client.get(f"{BASE}/").text
    nonce = re.search(r'data-nonce="([^"]+)"', page)
    assert nonce
    headers = {"Cookie": "proxy-user=bob"}
    answer = client.put(f"{BASE}/api/v1/kill?nonce={nonce[1]}", headers=headers)
    assert answer.json == {"ok": True, "message": "The job is being stopped."}
    client.put(f"{BASE}/api/v1/kill?nonce={NONCE}")
    assert source.kills == ["bob", "local user"]


def test_kill_may_be_refused(client: FlaskClient, source: samples.SampleSource) -> None:
    source.kill_answer = (False, "The output is being committed.")
    answer = client.put(f"{BASE}/api/v1/kill?nonce={NONCE}")
    assert answer.status_code == 409
    assert answer.json["ok"] is False and "committed" in answer.json["message"]


def test_save_needs_the_nonce_and_answers_at_once(client: FlaskClient, source: samples.SampleSource) -> None:
    asks = ((client.put, "api/v1/save"), (client.get, "proxy/savedmodel"))
    for ask, address in asks:
        for query in ("", "?nonce=", "?nonce=wrong"):
            answer = ask(f"{BASE}/{address}{query}")
            assert answer.status_code == 403 and "nonce" in answer.json["error"]
    assert source.savers == []
    for ask, address in asks:
        answer = ask(f"{BASE}/{address}?nonce={NONCE}", headers={"Cookie": "proxy-user=bob"})
        assert answer.status_code == 200
        assert answer.json == {
            "ok": True,
            "message": "the output is being saved",
            "id": "2024_11_29_18_00_00",
        }
    assert source.savers == ["bob", "bob"]
    source.save_answer = (False, "save 1 is running: 0 of 2 containers are done", "")
    answer = client.put(f"{BASE}/api/v1/save?nonce={NONCE}")
    assert answer.status_code == 409
    assert answer.json["ok"] is False and "is running" in answer.json["error"]


def test_saves(client: FlaskClient, source: samples.SampleSource) -> None:
    source.set(samples.job(saves=(samples.save(2), samples.save(1)), save_note="why not"))
    data = client.get(f"{BASE}/api/v1/saves").json
    assert [save["id"][-2:] for save in data["saves"]] == ["02", "01"]
    assert data["note"] == "why not" and data["version"] == source.snapshot().version
    assert from_dict(SaveView, data["saves"][0]) == samples.save(2)


@pytest.mark.parametrize("method", ["POST", "DELETE", "PATCH", "OPTIONS", "GET"])
@pytest.mark.parametrize("what", ["kill", "save"])
def test_other_methods_are_refused(
    client: FlaskClient, source: samples.SampleSource, method: str, what: str
) -> None:
    answer = client.open(f"{BASE}/api/v1/{what}?nonce={NONCE}", method=method)
    assert answer.status_code == 405 and answer.json["error"] and not source.kills and not source.savers


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/job", "/favicon.ico", "/s3cre/", "/s3cretx/", "//s3cret/", f"{BASE}//api/v1/job"]
)
def test_everything_outside_the_prefix_is_missing(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404 and answer.json["error"]


def test_faults_of_the_source_become_json(
    app: Flask, source: samples.SampleSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_: Any) -> Any:
        raise StorageError("the log cannot be read", hint="try again")

    def broken(*_: Any) -> Any:
        raise RuntimeError("secret detail")

    client = app.test_client(use_cookies=False)
    monkeypatch.setattr(source, "log_files", unavailable)
    answer = client.get(f"{BASE}/api/v1/logs?c={WORKER0}")
    assert answer.status_code == 503 and "the log cannot be read" in answer.json["error"]
    monkeypatch.setattr(source, "log_files", broken)
    answer = client.get(f"{BASE}/api/v1/logs?c={WORKER0}")
    assert answer.status_code == 500 and "secret" not in answer.text


def test_prefix_and_nonce_must_suit_an_address(source: samples.SampleSource) -> None:
    for prefix, nonce in (("", "n"), ("a/b", "n"), ("a", "{}"), ("a", ""), ("é", "n")):
        with pytest.raises(ValueError, match="letters and digits"):
            create_app(source, prefix=prefix, nonce=nonce)


def test_description_names_every_route_and_field(app: Flask, client: FlaskClient) -> None:
    spec = client.get(f"{BASE}/api/v1/openapi.json").json
    described = {
        (path, method.upper())
        for path, item in spec["paths"].items()
        for method in item
        if method != "servers"
    }
    routes = set()
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?container_id>", "{id}", rule.rule.removeprefix(BASE)).removeprefix(
            "/api/v1"
        )
        if rule.endpoint.startswith("api."):
            routes |= {(path, method) for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}}
    assert described == routes
    schemas = spec["components"]["schemas"]
    job = client.get(f"{BASE}/api/v1/job").json
    assert set(schemas["Job"]["properties"]) == set(job)
    assert set(schemas["Job"]["properties"]["summary"]["properties"]) == set(job["summary"])
    assert set(schemas["Job"]["properties"]["state"]["enum"]) == {state.value for state in AppState}
    assert set(schemas["Container"]["properties"]) == {f.name for f in dataclasses.fields(ContainerView)}
    assert set(schemas["Save"]["properties"]) == {f.name for f in dataclasses.fields(SaveView)}
    assert set(schemas["Save"]["properties"]["state"]["enum"]) == {state.value for state in SaveState}
    assert set(schemas["Container"]["properties"]["state"]["enum"]) == {
        s.value for s in samples.ContainerState
    }


def test_importing_the_room_does_not_load_flask() -> None:
    text = (Path(FOLDER).parent / "__init__.py").read_text()
    assert "import" not in text.split('"""')[2]
