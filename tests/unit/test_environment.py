"""The environment of the user process, rule by rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.container.environment import Node, build
from xlearning.job import SearchPaths

HADOOP = "/opt/hadoop"
JAVA = "/opt/java"


def node(environ: Mapping[str, str] | None = None, **changes: Any) -> Node:
    ours = {"CONTAINER_ID": "container_1", "XLEARNING_APP_ID": "application_1"}
    values: dict[str, Any] = {
        "environ": {"PATH": "/usr/bin:/bin", **ours, **(environ or {})},
        "work": "/work folder",
        "log_dir": "/logs",
        "home": "/home/alice",
        "user": "alice",
        "local": False,
        "is_dir": lambda path: path.startswith((HADOOP, JAVA)),
        "jars": lambda folder: [f"{folder}/a.jar", f"{folder}/b.jar"] if folder.endswith("common") else [],
    }
    return Node(**{**values, **changes})


def variables(environ: Mapping[str, str] | None = None, **changes: Any) -> Mapping[str, str]:
    return build(node(environ, **changes), {}, {}, 102400).variables


def test_a_bare_node_gives_exactly_the_documented_variables() -> None:
    assert variables() == {
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/alice",
        "USER": "alice",
        "LANG": "C.UTF-8",
        "TMPDIR": "/work folder/tmp",
        "LD_LIBRARY_PATH": "./",
        "PYTHONUNBUFFERED": "1",
        "XLEARNING_CONTAINER_LOG_DIR": "/logs",
        "HBOX_CONTAINER_LOG_DIR": "/logs",
        "CONTAINER_ID": "container_1",
        "APP_ID": "application_1",
    }


@pytest.mark.parametrize(
    ("jars", "version"),
    [
        (["hadoop-common-3.3.6-tests.jar", "hadoop-common-3.3.6.jar"], "3.3.6"),
        (["hadoop-common-3.0.0-cdh6.3.2.jar"], "3.0.0-cdh6.3.2"),
        (["hadoop-common.jar", "a.jar"], None),
    ],
)
def test_the_version_of_hadoop_is_that_of_its_jar(jars: list[str], version: str | None) -> None:
    env = variables({"HADOOP_HOME": HADOOP}, jars=lambda folder: [f"{folder}/{name}" for name in jars])
    assert env.get("HADOOP_VERSION") == version


def test_hadoop_and_java_come_in_front_where_they_exist() -> None:
    env = variables(
        {
            "HADOOP_HOME": HADOOP,
            "HADOOP_HDFS_HOME": HADOOP,
            "JAVA_HOME": JAVA,
            "HADOOP_CONF_DIR": "/etc/hadoop",
            "HADOOP_USER_NAME": "bob",
            "HADOOP_TOKEN_FILE_LOCATION": "/tokens",
            "LD_LIBRARY_PATH": "/usr/local/lib::null",
            "CLASSPATH": "null:${CLASSPATH}:/x.jar",
        }
    )
    assert env["PATH"] == f"{JAVA}/bin:{HADOOP}/bin:/usr/bin:/bin"
    assert env["LD_LIBRARY_PATH"] == (
        f"./:/usr/local/lib:{JAVA}/lib/server:{JAVA}/jre/lib/amd64/server:{HADOOP}/lib/native"
    )
    common = f"{HADOOP}/share/hadoop/common"
    assert env["CLASSPATH"] == f"./:/etc/hadoop:/x.jar:{common}/a.jar:{common}/b.jar"
    assert env["HADOOP_USER_NAME"] == "bob"
    assert env["HADOOP_TOKEN_FILE_LOCATION"] == "/tokens"
    assert env["HADOOP_CONF_DIR"] == "/etc/hadoop"


def test_homes_that_are_not_there_change_no_path() -> None:
    env = variables({"HADOOP_HOME": "/gone", "JAVA_HOME": "/gone/java"})
    assert env["PATH"] == "/usr/bin:/bin"
    assert env["LD_LIBRARY_PATH"] == "./"
    assert "CLASSPATH" not in env


def test_hadoop_yarn_home_stands_in_for_hadoop_home() -> None:
    assert variables({"HADOOP_YARN_HOME": HADOOP})["HADOOP_HOME"] == HADOOP


def test_nothing_of_ours_and_nothing_of_the_node_leaks() -> None:
    secrets = {
        "PYTHONPATH": "/our/package",
        "XLEARNING_CREDENTIALS": "/credentials",
        "XLEARNING_STAGING": "hdfs://nn/staging",
        "XLEARNING_ATTEMPT": "1",
        "VIRTUAL_ENV": "/venv",
        "LC_ALL": "de_DE",
        "TERM": "xterm",
        "NM_HOST": "node1",
        "AWS_SECRET_ACCESS_KEY": "x",
    }
    assert variables(secrets) == variables()


def test_a_laptop_passes_what_its_user_expects() -> None:
    environ = {"VIRTUAL_ENV": "/venv", "CONDA_PREFIX": "/conda", "PYTHONPATH": "/mine", "LC_ALL": "de_DE"}
    env = variables({**environ, "TERM": "xterm", "XLEARNING_CREDENTIALS": "/c"}, local=True)
    assert {name: env[name] for name in environ} == environ
    assert "TERM" not in env
    assert "XLEARNING_CREDENTIALS" not in env


def test_the_jobs_own_variables_win() -> None:
    env = build(node(), {"PATH": "/mine", "NAME": "value"}, {}, 102400).variables
    assert (env["PATH"], env["NAME"]) == ("/mine", "value")


def test_a_long_list_becomes_a_file_of_one_line() -> None:
    text = '{"data":["hdfs://nn/' + "ä" * 500 + '"]}'
    overflow = {"INPUT_FILE_LIST": "inputFileList.txt", "NOT_SET": "never.txt"}
    result = build(node(), {"INPUT_FILE_LIST": text, "OTHER": "x"}, overflow, 1000)
    assert "INPUT_FILE_LIST" not in result.variables
    assert result.variables["OTHER"] == "x"
    assert result.files == {"inputFileList.txt": text + "\n"}


def test_the_limit_counts_bytes_and_separators() -> None:
    extra = {"LIST": "é" * 100}
    size = sum(len(f"{k}={v}".encode()) + 1 for k, v in build(node(), extra, {}, 102400).variables.items())
    overflow = {"LIST": "list.txt"}
    assert not build(node(), extra, overflow, size).files
    assert build(node(), extra, overflow, size - 1).files


def test_a_variable_that_the_kernel_refuses_becomes_a_file_whatever_the_limit() -> None:
    assert build(node(), {"LIST": "x" * 140_000}, {"LIST": "list.txt"}, 10_000_000).files
    assert not build(node(), {"LIST": "x" * 130_000}, {"LIST": "list.txt"}, 10_000_000).files


@pytest.mark.parametrize("name", ["LD_LIBRARY_PATH", "PATH"])
@given(parts=st.lists(st.sampled_from(["", "null", "/a", "/b", "./"]), max_size=6))
def test_no_path_has_empty_or_null_parts(name: str, parts: list[str]) -> None:
    value = variables({name: ":".join(parts)})[name]
    assert not {"", "null"} & set(value.split(":")) or value == ""


@given(value=st.binary(max_size=50).filter(lambda raw: b"\0" not in raw))
def test_values_keep_their_bytes(value: bytes) -> None:
    text = value.decode("utf-8", "surrogateescape")
    result = build(node(), {"VALUE": text}, {"VALUE": "value.txt"}, 10)
    assert result.files["value.txt"].encode("utf-8", "surrogateescape") == value + b"\n"


def searched(search: SearchPaths, extra: Mapping[str, str] = {}, **environ: str) -> Mapping[str, str]:
    return build(node(environ), extra, {}, 102400, search).variables


def test_the_users_search_paths_come_last() -> None:
    env = searched(SearchPaths(path="/opt/a:/opt/b", library_path="lib"), LD_LIBRARY_PATH="/usr/lib")
    assert env["PATH"] == "/usr/bin:/bin:/opt/a:/opt/b"
    assert env["LD_LIBRARY_PATH"] == "./:/usr/lib:lib"
    env = searched(SearchPaths(path="/opt/a"), {"PATH": "/mine"})
    assert env["PATH"] == "/mine:/opt/a"


@pytest.mark.parametrize(
    ("first", "hadoop", "expected"),
    [
        (True, False, "{0}/a.jar:{0}/b.jar:./"),
        (False, False, "./:{0}/a.jar:{0}/b.jar"),
        (True, True, "{0}/a.jar:{0}/b.jar:./:{1}/a.jar:{1}/b.jar"),
        (False, True, "./:{1}/a.jar:{1}/b.jar:{0}/a.jar:{0}/b.jar"),
    ],
)
def test_jars_stand_on_the_class_path(first: bool, hadoop: bool, expected: str) -> None:
    environ = {"HADOOP_HOME": HADOOP} if hadoop else {}
    env = searched(SearchPaths(jars=("a.jar", "b.jar"), jars_first=first), **environ)
    assert env["CLASSPATH"] == expected.format("/work folder", f"{HADOOP}/share/hadoop/common")


def test_jars_join_a_class_path_of_the_users_own() -> None:
    env = searched(SearchPaths(jars=("a.jar",)), {"CLASSPATH": "x.jar"})
    assert env["CLASSPATH"] == "/work folder/a.jar:x.jar"


@pytest.mark.parametrize("local", [True, False])
def test_devices_are_passed_on_even_if_there_are_none(*, local: bool) -> None:
    devices = {"CUDA_VISIBLE_DEVICES": "", "NVIDIA_VISIBLE_DEVICES": "GPU-a"}
    assert variables(devices, local=local).items() >= devices.items()
