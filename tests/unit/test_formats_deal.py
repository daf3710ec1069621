"""Which worker reads which split: orders, goals, and a million splits."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats import libraries
from xlearning.formats.deal import Order, deal, deal_near, epoch_order, order_of
from xlearning.formats.plan import plan_streams
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit, StreamSpec, from_dict, to_dict


def config(**values: str) -> Config:
    return Config.from_properties(
        {f"xlearning.{name.replace('_', '.')}": text for name, text in values.items()}
    )


def shares(count: int, workers: int, order: Order) -> list[list[int]]:
    return [list(share) for share in deal(count, workers, order)]


def test_neighbours_or_round_robin() -> None:
    assert shares(10, 3, Order.CONTIGUOUS) == [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert shares(10, 3, Order.ROUNDROBIN) == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]
    assert shares(2, 4, Order.CONTIGUOUS) == [[0], [1], [], []]
    assert shares(0, 2, Order.RANDOM) == [[], []]


@given(st.integers(0, 50), st.integers(1, 20), st.sampled_from(Order), st.integers(-3, 3))
def test_every_split_is_dealt_once(count: int, workers: int, order: Order, seed: int) -> None:
    dealt = deal(count, workers, order, seed)
    assert len(dealt) == workers
    assert sorted(number for share in dealt for number in share) == list(range(count))
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1
    assert dealt == deal(count, workers, order, seed)


def test_random_orders_follow_from_the_seed() -> None:
    assert deal(100, 1, Order.RANDOM, 1) != deal(100, 1, Order.RANDOM, 2)
    epochs = [list(epoch_order(50, 7, epoch)) for epoch in range(3)]
    assert len({tuple(epoch) for epoch in epochs}) == 3
    assert all(sorted(epoch) == list(range(50)) for epoch in epochs)
    assert epochs[2] == epoch_order(50, 7, 2)
    assert epoch_order(10, 3, 0) == [1, 4, 9, 6, 5, 2, 3, 7, 8, 0]  # the same on every machine
    assert list(epoch_order(5, None, 3)) == [0, 1, 2, 3, 4]


def test_splits_go_to_the_hosts_that_hold_them() -> None:
    places = [("a", "b"), ("b",), ("c", "a"), ("c",), (), ("x",)]
    assert deal_near([10] * 6, places, ["a", "b", "c"]) == [[0, 4], [1, 5], [2, 3]]
    assert deal_near([10] * 4, [("a",)] * 4, ["a", "b"]) == [[0, 1], [2, 3]]  # balance comes first
    assert deal_near([10] * 4, [("a",)] * 4, ["a", "a"]) == [[0, 2], [1, 3]]
    assert deal_near([], [], ["a", "b"]) == [[], []]


@given(
    splits=st.lists(
        st.tuples(st.integers(0, 50), st.lists(st.sampled_from("abcd"), max_size=3)), max_size=40
    ),
    workers=st.lists(st.sampled_from("abcx"), min_size=1, max_size=8),
)
def test_near_and_balanced(splits: list[tuple[int, list[str]]], workers: list[str]) -> None:
    lengths = [length for length, _ in splits]
    dealt = deal_near(lengths, [hosts for _, hosts in splits], workers)
    assert sorted(number for numbers in dealt for number in numbers) == list(range(len(splits)))
    loads = [sum(lengths[number] for number in numbers) for numbers in dealt]
    assert max(loads) - min(loads) <= max(lengths, default=0) + len(workers)


def test_the_order_by_its_properties() -> None:
    assert order_of(config()) is Order.CONTIGUOUS
    assert order_of(config(input_stream_shuffle="true")) is Order.ROUNDROBIN
    assert order_of(config(input_stream_shuffle="true", input_stream_order="random")) is Order.RANDOM
    assert order_of(config(input_stream_shuffle="true", input_stream_order="contiguous")) is Order.CONTIGUOUS


def test_only_a_random_order_changes_with_the_epoch() -> None:
    (feed,) = plan_streams({"in": [status("a", 100)]}, 1, config(), FileSystems())
    assert feed.seed is None
    settings = config(input_stream_order="random", input_stream_seed="5")
    (feed,) = plan_streams({"in": [status("a", 100)]}, 1, settings, FileSystems())
    assert feed.seed == 5


def status(name: str, size: int, block: int = 100) -> FileStatus:
    return FileStatus(f"file:///in/{name}", size, False, 0.0, block_size=block)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        *((n, "b:0+90 c:0+0 a:0+100 a:100+100 a:200+50") for n in (0, 1, 2, 3)),
        (4, "b:0+90 c:0+0 a:0+85 a:85+85 a:170+80"),
        (7, "b:0+48 b:48+42 c:0+0 " + " ".join(f"a:{n}+48" for n in range(0, 240, 48)) + " a:240+10"),
        (
            100,
            " ".join(f"b:{n}+3" for n in range(0, 90, 3))
            + " c:0+0 "
            + " ".join(f"a:{n}+3" for n in range(0, 249, 3))
            + " a:249+1",
        ),
    ],
)
def test_a_number_of_splits(number: int, expected: str) -> None:
    inputs = {"x": [status("b", 90), status("c", 0)], "y": [status("a", 250)]}
    (feed,) = plan_streams(inputs, 1, config(input_split_number=str(number)), FileSystems())
    assert " ".join(f"{s.uri[-1]}:{s.start}+{s.length}" for s in feed.splits) == expected


def test_more_splits_than_bytes() -> None:
    (feed,) = plan_streams({"x": [status("a", 3)]}, 1, config(input_split_number="9"), FileSystems())
    assert len(feed.splits) == 3


def test_problems_of_all_inputs_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "available", lambda _: False)
    inputs = {"x": [status("a.zst", 1)], "y": [status("b", 1)], "z": [status("c.lz4", 1)]}
    with pytest.raises(UsageError) as caught:
        plan_streams(inputs, 1, config(inputformat_class="text"), FileSystems())
    assert "a.zst" in caught.value.message
    assert "c.lz4" in caught.value.message


def test_a_stream_becomes_short_json() -> None:
    part = InputSplit("file:///a", 1, 2, 9)
    splits = (
        InputSplit("file:///a", 0, 5, 9),
        InputSplit("file:///a", 5, 4, 9, exact=True, hosts=("h",), data="x"),
        InputSplit("file:///b", 0, 7, 7, parts=(part, part)),
    )
    spec = StreamSpec("text", splits, 3, ("x", "y"), (0, 0, 1), 7)
    data = json.loads(json.dumps(to_dict(spec)))
    assert data["rows"][0] == [0, 0, 5]
    assert from_dict(StreamSpec, data) == spec


MILLION = """
import json, resource
resource.setrlimit(resource.RLIMIT_AS, (1_000_000_000,) * 2)
from xlearning.config import Config
from xlearning.formats.plan import plan_streams
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus
from xlearning.job import StreamSpec, from_dict, to_dict
files = [FileStatus(f"hdfs://nn:9000/data/part-{n:06}", 10 << 30, False, 0.0, block_size=10 << 20)
         for n in range(1000)]
feeds = plan_streams({"in": files[:500], "more": files[500:]}, 100, Config.from_properties({}), FileSystems())
for feed in feeds:
    assert from_dict(StreamSpec, json.loads(json.dumps(to_dict(feed)))) == feed
print(sum(len(feed.splits) for feed in feeds))
"""


@pytest.mark.large
def test_a_million_splits_in_a_gigabyte() -> None:
    said = subprocess.run(
        [sys.executable, "-c", MILLION], check=True, capture_output=True, text=True, timeout=120
    )
    assert int(said.stdout) == 1_024_000
