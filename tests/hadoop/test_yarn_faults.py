"""Programs and inputs that misbehave, on a real YARN: what the user is told, and that nothing is left."""

from __future__ import annotations

import sys
from collections.abc import Callable

from places import Place
from side_by_side import side_by_side
from submitting import PROGRAMS, Ended
from yarn_gateway import YarnGateway, settled

from xlearning.fs import FileSystems

ACT = PROGRAMS / "act.py"
Gateways = Callable[[], YarnGateway]


def act(*words: str) -> tuple[str, ...]:
    return (sys.executable, str(ACT), *words)


def failed(ended: Ended, gateway: YarnGateway, *words: str) -> None:
    """Exit code 2, said with these words by the client and to YARN, and nothing is left."""
    assert ended.code == 2, ended.err
    for word in words:
        assert word in ended.err, ended.err
    assert "Traceback" not in ended.err
    assert gateway.application(ended.app_id)["finalStatus"] == "FAILED"
    settled(gateway, ended.app_id)


def test_programs_that_misbehave(hdfs_dir: str, gateways: Gateways) -> None:
    place = Place(hdfs_dir, FileSystems("file://"))

    def downloaded() -> None:
        """Several workers, each with its own files; contents arrive byte for byte."""
        given = {f"p {n} é=%41.bin": bytes([n]) * 5000 for n in range(4)}
        for name, data in given.items():
            place.write(f"in/{name}", data)
        gateway = gateways()
        ended = gateway.submit(
            *("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 2, "--board-enable", "false"),
            *("--input", f"{place.at('in')}#data", "--output", f"{place.at('out')}#output"),
            *("--", "bash", "-c", "if [ $TF_ROLE = ps ]; then sleep 600; fi; cp data/* output"),
        )
        assert ended.code == 0, ended.err
        names = [name for name in place.tree("out") if name != "_SUCCESS"]
        folders = [name.partition("/")[0] for name in names]
        assert sorted(folders.count(folder) for folder in set(folders)) == [2, 2], names
        found = {name.partition("/")[2]: place.read(f"out/{name}") for name in names}
        assert found == given
        settled(gateway, ended.app_id)

    def torn_down() -> None:
        """The ps ignores TERM, everybody leaves daemons, workers print 60 MB, the evaluator never ends."""
        gateway = gateways()
        script = (
            'case $TF_ROLE in worker) yes 0123456789 | head -c 60000000; exec "$@";; '
            'evaluator) exec "$@" wait:never;; *) exec "$@" ignore-term wait:never;; esac'
        )
        ended = gateway.submit(
            *("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 3, "--board-enable", "false"),
            *("--conf", "xlearning.tf.evaluator=true", "--conf", "xlearning.evaluator.stop.grace=1s"),
            *("--output", f"{place.at('torn')}#output", "--", "bash", "-c", script, "bash"),
            *act("fork", "write:output/x=1"),
        )
        assert ended.code == 0, ended.err
        names = [name for name in place.tree("torn") if name != "_SUCCESS"]
        assert len(names) >= 2, names
        settled(gateway, ended.app_id)

    def not_found() -> None:
        gateway = gateways()
        ended = gateway.submit("--", "no-such-program-at-all")
        failed(ended, gateway, "no-such-program-at-all", "not found")

    def one_of_three_fails() -> None:
        """Independent workers: fewer failures than the rate, so the job has succeeded; it is said."""
        gateway = gateways()
        ended = gateway.submit("--worker-num", 3, "--", *act("only:1", "exit:3"))
        assert ended.code == 0, ended.err
        assert "although 1 of its containers failed" in ended.err
        assert "worker:1 (" in ended.err
        settled(gateway, ended.app_id)

    def two_of_three_fail() -> None:
        """As many failures as the rate allows not: the third, which runs for ever, is ended."""
        gateway = gateways()
        script = 'test $INDEX = 0 && exec "$@" ignore-term fork wait:never; echo last words >&2; exit 3'
        ended = gateway.submit(
            *("--worker-num", 3, "--output", f"{place.at('two')}#output", "--", "bash", "-c", script, "bash"),
            *act(),
        )
        failed(ended, gateway, "2 of 3 workers failed", "code 3", "| last words")
        assert not place.exists("two")

    def too_much_memory() -> None:
        gateway = gateways()
        ended = gateway.submit("--worker-memory", "256M", "--", *act("allocate:600", "wait:never"))
        failed(
            ended,
            gateway,
            "out of memory: ",
            "of 256 MB; --worker-memory (xlearning.worker.memory) gives it more",
        )
        assert "hint:" not in ended.err.partition(" FAILED after ")[2]

    side_by_side(
        {
            "downloaded": downloaded,
            "torn_down": torn_down,
            "not_found": not_found,
            "one_of_three_fails": one_of_three_fails,
            "two_of_three_fail": two_of_three_fail,
            "too_much_memory": too_much_memory,
        }
    )


def test_refused_before_anything_starts(hdfs_dir: str, gateways: Gateways) -> None:
    place = Place(hdfs_dir, FileSystems("file://"))
    place.write("there/file", b"1")

    def missing_input() -> None:
        ended = gateways().submit("--input", f"{place.at('nowhere')}#data", "--", "true")
        assert (ended.code, ended.out) == (1, ""), ended.err
        assert place.at("nowhere") in ended.err

    def output_exists() -> None:
        ended = gateways().submit("--output", f"{place.at('there')}#output", "--", "true")
        assert (ended.code, ended.out) == (1, ""), ended.err
        assert "exists already" in ended.err
        assert place.read("there/file") == b"1"

    side_by_side({"missing_input": missing_input, "output_exists": output_exists})
