"""YARN's diagnostics in words; the texts are what Hadoop 3.4.1 and skein 0.8.2 said."""

from __future__ import annotations

import pytest

from xlearning.cluster import yarn_words

LOCALIZED = (
    "[2026-11-29 22:32:25.882]Resource hdfs://h:1/x.txt changed on src filesystem - expected: "
    '"1970-01-01", was: "2026-11-29"\n'
    "java.io.IOException: Resource hdfs://h:1/x.txt changed on src filesystem - expected: "
    '"1970-01-01", was: "2026-11-29"\n'
    "\tat org.apache.hadoop.yarn.util.FSDownload.verifyAndCopy(FSDownload.java:290)\n"
    "\tat java.base/java.lang.Thread.run(Thread.java:840)\n\n"
)
AM_KILLED = (
    "Application application_1_0014 failed 1 times (global limit =2; local limit is =1) due to AM Container "
    "for appattempt_1_0014_000001 exited with  exitCode: 137\n"
    "Failing this attempt.Diagnostics: [2026-11-29 22:36:12.404]Exception from container-launch.\n"
    "Container id: container_1_0014_01_000001\nExit code: 137\n"
)


@pytest.mark.parametrize(
    ("role", "name"),
    [("worker", "worker"), ("ps", "ps"), ("chief", "chief.worker"), ("evaluator", "evaluator.worker")],
)
def test_memory_limit_names_the_property_of_the_role(role: str, name: str) -> None:
    said = yarn_words.container_end("511.5 MB of 256 MB physical memory used", role)
    option = f"--{name.replace('.', '-')}-memory"
    assert said == f"out of memory: 511.5 MB of 256 MB; {option} (xlearning.{name}.memory) gives it more"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", "killed by root"),
        (" with diagnostic message: killed by me: bored\nvery", "killed by me: bored\nvery"),
        (" with diagnostic message: enough", "killed by root: enough"),
    ],
)
def test_who_killed_an_application_and_why(said: str, expected: str) -> None:
    words = f"Application application_1_0014 was killed by user root at 127.0.0.1{said}"
    assert yarn_words.application_end(words) == expected


def test_virtual_memory() -> None:
    said = yarn_words.container_end("3 GB of 2.1 GB virtual memory used", "worker")
    assert "3 GB of 2.1 GB virtual memory used" in said
    assert "yarn.nodemanager.vmem-check-enabled" in said


def test_localization_is_told_without_the_stack() -> None:
    said = yarn_words.container_end(LOCALIZED, "worker")
    assert said == (
        "its files could not be put in place on the node: Resource hdfs://h:1/x.txt changed on src "
        'filesystem - expected: "1970-01-01", was: "2026-11-29"'
    )


def test_a_failed_agent_points_to_its_log() -> None:
    said = yarn_words.container_end(
        "Container failed during execution, see logs for more information.", "worker"
    )
    assert "log" in said


def test_other_words_stay() -> None:
    lost = "Container released on a *lost* node"
    assert yarn_words.container_end(lost, "worker").startswith("its node was lost")
    taken = "Container preempted by scheduler"
    assert "for another queue or application (preemption)" in yarn_words.container_end(taken, "worker")
    assert yarn_words.is_lost(lost)
    assert not yarn_words.is_lost(LOCALIZED)
    assert (
        yarn_words.application_end("killed by me: enough\nsecond line") == "killed by me: enough\nsecond line"
    )
    assert yarn_words.application_end("") == ""


def test_killed_master() -> None:
    said = yarn_words.application_end(AM_KILLED)
    assert said.startswith(
        "the ApplicationMaster's container ended unexpectedly: exit code 137: killed (SIGKILL)"
    )
    assert "xlearning.am.memory" in said
    said = yarn_words.application_end(
        "Application driver failed with exit code 137, see logs for more information."
    )
    assert said.startswith("the ApplicationMaster ended unexpectedly: exit code 137: killed (SIGKILL)")


def test_master_over_its_memory() -> None:
    text = AM_KILLED.replace("137", "-104").replace(
        "Exception from", "800 MB of 768 MB physical memory used."
    )
    said = yarn_words.application_end(text)
    assert "800 MB of 768 MB physical memory used" in said
    assert "xlearning.am.memory (--am-memory)" in said


def test_master_that_cannot_be_put_in_place() -> None:
    text = AM_KILLED.replace("137", "-1000").split("[2026")[0] + LOCALIZED
    said = yarn_words.application_end(text)
    assert "files could not be put in place" in said
    assert "changed on src filesystem" in said
    assert "\n" not in said


def test_stopped_from_outside() -> None:
    text = (
        "Application master shutdown by external signal. This usually means that the application was killed"
    )
    assert "stopped from outside" in yarn_words.application_end(text)


def test_refusals() -> None:
    prefix = "Failed to submit application, exception:\n"
    queue = (
        f"{prefix}Failed to submit application_1_0028 to YARN : Application application_1_0028 submitted by "
    )
    said = yarn_words.refusal(f"{queue}user root to unknown queue: nosuch")
    assert said == "YARN has no queue nosuch (--queue, xlearning.app.queue)"
    label = "Invalid resource request, node label not enabled but request contains it\n\tat org.x.Y(Z)"
    assert "node labels" in yarn_words.refusal(prefix + label)
    assert yarn_words.refusal(f"{prefix}Invalid resource request! Too much\n\tat org.x.Y(Z.java:1)") == (
        "Invalid resource request! Too much"
    )
    refused = "Failure in container allocator:\nInvalid resource request! Too much\n\tat org.x.Y(Z.java:1)"
    assert (
        yarn_words.application_end(refused) == "YARN refused a container: Invalid resource request! Too much"
    )


def test_diagnostics_that_begin_with_a_java_exception_keep_it() -> None:
    text = "\njava.lang.reflect.UndeclaredThrowableException\n\tat a.b.C.d(C.java:1)\nCaused by: x"
    assert "UndeclaredThrowableException" in yarn_words.first_cause(text)
