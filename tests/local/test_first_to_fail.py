"""Of a gang the one that failed first is named, though others are told to be over before it."""

from __future__ import annotations

from submitting import Gateway

# Worker 1 leaves a child behind that withstands TERM, as the loaders of a training may: it ends when
# worker 0 was told to stop, which it is only when the failure is known by then.
PROGRAM = """
cd "$0"
if [ "$INDEX" = 1 ]; then
    until [ -e ready ]; do sleep 0.02; done
    (trap '' TERM; until [ -e stopped ]; do sleep 0.02; done; touch left) &
    echo "no space left on device" >&2
    exit 3
fi
trap 'touch stopped; echo "connection closed by peer" >&2; exit 1' TERM
touch ready
while :; do sleep 0.02; done
"""


def test_what_it_left_behind_does_not_delay_the_word_of_its_end(gateway: Gateway) -> None:
    ended = gateway.submit(
        *("--app-type", "disttorch", "--worker-num", 2, "--board-enable", "false"),
        *("--conf", "xlearning.container.stop.grace=100s", "--", "bash", "-c", PROGRAM, gateway.work),
    )
    assert ended.code == 2
    _, first, about = ended.err.partition("First to fail: worker:1 (")
    assert first, ended.err
    assert "| no space left on device" in about
    assert (gateway.work / "left").exists(), "it was killed before the other one was told to stop"
    gateway.nothing_is_left()


# Worker 1 closes its connections before it ends, as `destroy_process_group` in a `finally` does.
CLOSES = """
cd "$0"
if [ "$INDEX" = 0 ]; then
    echo $$ > pid.new; mv pid.new pid
    echo "RuntimeError: Connection closed by peer" >&2
    exit 1
fi
until [ -e pid ] && ! kill -0 $(cat pid) 2> /dev/null; do sleep 0.02; done
echo "KeyError: 'price'" >&2
exit 1
"""


def test_who_lost_a_connection_is_not_named_for_who_closed_it(gateway: Gateway) -> None:
    ended = gateway.submit(
        *("--app-type", "disttorch", "--worker-num", 2, "--board-enable", "false"),
        *("--", "bash", "-c", CLOSES, gateway.work),
    )
    assert ended.code == 2
    _, first, about = ended.err.partition("First to fail: worker:1 (")
    assert first, ended.err
    assert "| KeyError: 'price'" in about
    gateway.nothing_is_left()
