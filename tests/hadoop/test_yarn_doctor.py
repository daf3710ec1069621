"""`xl-submit doctor` in front of a real cluster, and in one of its containers."""

from __future__ import annotations

import json

from yarn_gateway import YarnGateway, settled


def test_the_cluster_and_a_container(gateway: YarnGateway) -> None:
    told = gateway.verb("doctor", "--in-cluster", "--output", "json")
    assert told.code == 0, told.out + told.err
    found = {one["id"]: one for one in json.loads(told.out)["checks"]}
    wrong = [one for one in found.values() if one["result"] not in ("ok", "warning")]
    assert not wrong
    for name, words in (
        ("configuration", gateway.environment["HADOOP_CONF_DIR"]),
        ("staging", f"{gateway.shared}/staging, mode 1777"),
        ("round-trip", "written, read, renamed, deleted"),
        ("package", "this version is in your cache on HDFS"),
        ("yarn-version", "STARTED, ACTIVE"),
        ("nodes", "2 active, the largest container has"),
        ("queue", "root.default, RUNNING"),
        ("container-hdfs", "written, read, renamed, deleted"),
        ("container-work", "/appcache/application_"),
    ):
        assert (found[name]["result"], words in found[name]["text"]) == ("ok", True), found[name]
    app_id = found["job"]["text"].split()[0]
    assert gateway.application(app_id)["finalStatus"] == "SUCCEEDED"
    settled(gateway, app_id)
    assert not [
        one for one in gateway.storage.default.list(f"{gateway.shared}/staging") if "doctor" in one.name
    ]
