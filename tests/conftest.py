"""Fixtures for all tests: the real Hadoop, one per test run and only when a test asks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import java_jar
import leaks
import pytest
import s3_server
from minihadoop import MiniHadoop, missing_tools
from webhdfs import WebHdfs

# A busy machine must not fail a property. A build server tries the same examples each time: what it finds
# is then the fault of the change that it looks at.
hypothesis.settings.register_profile(
    "any-machine",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
)
hypothesis.settings.load_profile("any-machine")

# What people are told is compared in English, whatever language the tester reads.
os.environ.pop("LANGUAGE", None)
os.environ["LANG"] = os.environ.pop("LC_ALL", None) or os.environ.get("LANG", "C")
os.environ["LC_MESSAGES"] = "C"

_HERE = Path(__file__).parent
# Jobs of this machine know one another by their ids, and tests of YARN share its nodes: with several
# processes (pytest -n 2 --dist loadgroup) each kind has one for itself. Unit tests run where there is time.
_GROUPS = {"hadoop": "cluster", "local": "machine", "browser": "machine"}
_SKIPPED = pytest.StashKey[str]()


@pytest.fixture(autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    """Every test ends what it started."""
    before, threads = set(leaks.children()), leaks.holding_threads()
    yield
    left = leaks.new_since(before, threads)
    assert not left, f"left running: {left}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Whatever uses the cluster is marked so, and what would meet on one machine stays in one process.

    Tests of application types come last: the environments of their frameworks are built beside the others.
    """
    for item in items:
        group = _GROUPS.get(item.path.relative_to(_HERE).parts[0])
        if group:
            item.add_marker(pytest.mark.xdist_group(group))
        if not {"hadoop", "hadoop_tools", "secure_hadoop"}.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker("hadoop")
        if item.get_closest_marker("hadoop") and not item.get_closest_marker("timeout"):
            item.add_marker(
                pytest.mark.timeout(900)
            )  # several jobs on a busy machine; or what they need is built
    yield
    items.sort(key=lambda item: "_type_" in item.path.name)


def require_hadoop_tools(config: pytest.Config, *, secure: bool = False) -> None:
    """Skip, loudly, where Java, Maven or a KDC is missing; fail where the environment says ``CI=true``."""
    missing = missing_tools(secure=secure)
    if not missing:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"the tests need a real Hadoop: {missing}", pytrace=False)
    config.stash[_SKIPPED] = missing
    pytest.skip(f"no real Hadoop: {missing}")


@pytest.fixture(scope="session")
def hadoop_tools(pytestconfig: pytest.Config) -> None:
    """For tests that start a cluster of their own: what `hadoop` needs is there."""
    require_hadoop_tools(pytestconfig)


@pytest.fixture(scope="session")
def hadoop(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MiniHadoop]:
    """The cluster of this test run: HDFS and two NodeManagers.

    ``XLEARNING_TEST_HADOOP=DIR`` names one that is up already; it is used, and left running.
    """
    given = os.environ.get("XLEARNING_TEST_HADOOP")
    if given:
        cluster = MiniHadoop(given)
        troubles = cluster.troubles()
        if troubles:
            pytest.fail(f"XLEARNING_TEST_HADOOP={given} is not up: {troubles}", pytrace=False)
        yield cluster
        return
    require_hadoop_tools(pytestconfig)
    folder = tmp_path_factory.mktemp("hadoop")
    with MiniHadoop(folder, nodes=2) as cluster:
        yield cluster
    shutil.rmtree(folder / "data")


@pytest.fixture(scope="session")
def secure_hadoop(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MiniHadoop]:
    """A cluster with Kerberos, apart from `hadoop`: HDFS and one NodeManager, users alice and bob.

    ``XLEARNING_TEST_SECURE_HADOOP=DIR`` names one that is up already; it is used, and left running.
    """
    given = os.environ.get("XLEARNING_TEST_SECURE_HADOOP")
    if given:
        yield MiniHadoop(given)
        return
    require_hadoop_tools(pytestconfig, secure=True)
    folder = tmp_path_factory.mktemp("secure-hadoop")
    with MiniHadoop(folder, nodes=1, secure=True) as cluster:
        yield cluster
    shutil.rmtree(folder / "data")


@pytest.fixture(scope="session")
def classes(hadoop: MiniHadoop) -> str:
    """Hadoop's Java class path."""
    command = [str(hadoop.layout.bin / "hadoop"), "classpath"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="session")
def jar(classes: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The classes of the tests; see `java_jar`."""
    return java_jar.compiled(classes, tmp_path_factory.mktemp("java"))


@pytest.fixture
def hdfs_dir(hadoop: MiniHadoop) -> Iterator[str]:
    """URI of a fresh HDFS folder (no slash at its end), removed after the test."""
    path = f"/test-{uuid.uuid4().hex}"
    web = WebHdfs(hadoop.namenode_web)
    web.mkdirs(path)
    yield hadoop.hdfs_uri + path
    web.delete(path)


@pytest.fixture(scope="session")
def s3(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[s3_server.S3Server]:
    """The S3 server of this test run."""
    try:
        program = s3_server.gateway_program()
    except FileNotFoundError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"the tests need a real S3 server: {error}", pytrace=False)
        pytestconfig.stash[_SKIPPED] = f"no real S3 server: {error}"
        pytest.skip(f"no real S3 server: {error}")
    with s3_server.running(program, tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say again, where nobody overlooks it, that the cluster part did not run."""
    missing = config.stash.get(_SKIPPED, None)
    if missing:
        terminalreporter.write_sep("!", "TESTS ON A REAL HADOOP SKIPPED", yellow=True, bold=True)
        terminalreporter.write_line(missing, yellow=True)
