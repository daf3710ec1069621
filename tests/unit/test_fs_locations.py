"""Where blocks lie: the addresses that are asked, and that nothing is known where nobody answers."""

from __future__ import annotations

import pytest

from xlearning.fs import FileStatus
from xlearning.fs.hadoop_conf import HadoopConf
from xlearning.fs.locations import Block, best_hosts, hosts_of, web_addresses

HA = {
    "dfs.ha.namenodes.ns": "a, b",
    "dfs.namenode.http-address.ns.a": "one:9870",
    "dfs.namenode.http-address.ns.b": "two:9870",
}


@pytest.mark.parametrize(
    ("values", "authority", "expected"),
    [
        ({"dfs.namenode.http-address": "nn:1234"}, "nn:9000", ["http://nn:1234"]),
        ({"dfs.namenode.http-address": "other:1234"}, "nn:9000", []),
        (
            {"fs.defaultFS": "hdfs://nn:9000", "dfs.namenode.http-address": "0.0.0.0:1"},
            "nn:9000",
            ["http://nn:1"],
        ),
        ({"fs.defaultFS": "hdfs://nn:9000"}, "nn:9000", ["http://nn:9870"]),
        (
            {"fs.defaultFS": "hdfs://nn:9000", "dfs.http.policy": "HTTPS_ONLY"},
            "nn:9000",
            ["https://nn:9871"],
        ),
        (HA, "ns", ["http://one:9870", "http://two:9870"]),
        (HA | {"dfs.namenode.rpc-address.ns.b": "nn:8020"}, "nn:8020", ["http://two:9870"]),
        ({"dfs.namenode.http-address.ns": "one:9870"}, "ns", ["http://one:9870"]),
        ({}, "nn:9000", []),
    ],
)
def test_addresses(values: dict[str, str], authority: str, expected: list[str]) -> None:
    assert web_addresses(HadoopConf(values), authority) == expected


def test_the_host_with_most_bytes_comes_first() -> None:
    blocks = (Block(0, 100, ("a", "b")), Block(100, 100, ("b", "c")), Block(200, 50, ("d",)))
    assert best_hosts(blocks, 50, 100) == ("b", "a", "c")
    assert best_hosts(blocks, 90, 60) == ("b", "c", "a")
    assert best_hosts(blocks, 250, 10) == ()


def test_nothing_is_known_of_what_cannot_be_asked() -> None:
    files = [FileStatus("file:///a", 10, False, 0.0), FileStatus("hdfs://127.0.0.1:1/b", 10, False, 0.0)]
    closed = HadoopConf({"dfs.namenode.http-address": "127.0.0.1:1"})
    assert hosts_of(files, user="me", conf=closed) == {}
    assert hosts_of(files, user="me", conf=HadoopConf({})) == {}
    assert hosts_of(files, user="me", conf=HadoopConf({"hadoop.security.authentication": "kerberos"})) == {}
