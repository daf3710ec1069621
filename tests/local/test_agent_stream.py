"""A real agent feeds its program: everything, in epochs, early ends, and input that cannot be read."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

import pytest
from local.agent_harness import Container, container
from local.test_agent import scenario, stdout

from xlearning.job import InputSplit, StreamSpec

COUNT = "import sys; data = sys.stdin.buffer.read(); print(len(data), data.count(b'\\n'))"
LINES = b"".join(b"line %d\n" % n for n in range(200_000))


def stream(path: Path, data: bytes, *cuts: int, epochs: int = 1) -> StreamSpec:
    """The splits of a file that is written here, cut at some places."""
    path.write_bytes(data)
    bounds = [0, *cuts, len(data)]
    splits = [
        InputSplit(path.as_uri(), start, end - start, len(data)) for start, end in itertools.pairwise(bounds)
    ]
    return StreamSpec("text", tuple(splits), epochs)


async def end_of(box: Container, code: str, spec: StreamSpec | None, **fields: object) -> tuple[int, str]:
    """Run a program to its end: exit code and reason."""
    await box.prepare()
    box.python(code, stream=spec, **fields)
    exited = await box.master.heard("process_exited")
    return exited.exit_code, exited.reason


@scenario
async def test_splits_in_epochs_and_progress(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        spec = stream(tmp_path / "in", LINES, 7, 1000, 1_500_000, epochs=3)
        assert await end_of(box, COUNT, spec) == (0, "")
        assert stdout(box) == f"{3 * len(LINES)} 600000\n"
        assert box.master.all("beat")[-1].progress == 1.0
        await box.release()


@scenario
async def test_the_programs_own_progress_comes_first(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        code = "import sys; sys.stdin.read(); print('reporter progress:0.25')"
        assert await end_of(box, code, stream(tmp_path / "in", b"a\n")) == (0, "")
        assert box.master.all("beat")[-1].progress == 0.25
        await box.release()


@scenario
async def test_without_a_stream_there_is_nothing_to_read(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        assert await end_of(box, COUNT, None) == (0, "")
        assert stdout(box) == "0 0\n"
        await box.release()


@scenario
async def test_only_standard_input_reaches_the_program(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        code = "import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])"
        assert await end_of(box, code, stream(tmp_path / "in", b"a\n")) == (0, "")
        assert stdout(box) == "[0, 1, 2]\n"
        await box.release()


@pytest.mark.parametrize(
    "code",
    [
        "import sys; print(sys.stdin.readline(), end='')",
        "import os, time; print(os.read(0, 7).decode()); os.close(0); time.sleep(0.3)",
    ],
)
def test_a_program_may_leave_input_unread(tmp_path: Path, code: str) -> None:
    @scenario
    async def run(folder: Path) -> None:
        async with container(folder) as box:
            assert await end_of(box, code, stream(folder / "in", LINES * 3)) == (0, "")
            assert stdout(box).startswith("line 0\n")
            assert re.search(r"the program read no more after .* of 6.5 MiB", box.log())
            await box.release()

    run(tmp_path)


@scenario
async def test_beats_go_on_while_a_program_does_not_read(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        code = "import signal; print('up', flush=True); signal.pause()"
        box.python(code, stream=stream(tmp_path / "in", LINES * 3))
        await box.master.heard("process_started")
        beats = len(box.master.all("beat"))
        await box.master.heard("beat", beats + 3)
        assert box.master.all("beat")[-1].progress < 1
        box.master.order(stop_process={"grace": 0.1, "reason": "enough"})
        assert (await box.master.heard("process_exited")).exit_code == 143
        await box.release()


# Takes TERM for a reason to end well. A thread reads, for a signal may come just before a read that
# then waits for ever.
STUBBORN = """
import os, signal, sys, threading
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
threading.Thread(target=lambda: print(len(sys.stdin.buffer.read())), daemon=True).start()
signal.sigwait({signal.SIGTERM})
os._exit(0)
"""


@pytest.mark.parametrize(("code", "exit_code"), [(COUNT, 143), (STUBBORN, 74)])
@pytest.mark.parametrize("trouble", ["gone", "shorter"])
def test_input_that_cannot_be_read_fails_the_container(
    tmp_path: Path, code: str, exit_code: int, trouble: str
) -> None:
    @scenario
    async def run(folder: Path) -> None:
        async with container(folder) as box:
            good = stream(folder / "good", LINES)  # more than a pipe holds: by then the program reads
            bad = stream(folder / "bad", LINES, 1000)
            if trouble == "gone":
                (folder / "bad").unlink()
            else:
                (folder / "bad").write_bytes(LINES[:500_000])
            ended = await end_of(box, code, StreamSpec("text", good.splits + bad.splits))
            assert ended[0] == exit_code
            assert ended[1].startswith("its input could not be read: ")
            assert f"{(folder / 'bad').as_uri()} at byte " in ended[1]
            assert stdout(box) == ""  # it never saw an end of its input
            await box.release()

    run(tmp_path)


@scenario
async def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        box.launch("no-such-program", stream=stream(tmp_path / "in", LINES))
        exited = await box.master.heard("process_exited")
        assert exited.exit_code == 127
        await box.release()


@scenario
async def test_children_that_inherit_the_input_share_it(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        code = f"{sys.executable} -c 'import sys; sys.stdin.buffer.read(1)'; wc -l"
        box.launch("bash", "-c", code, stream=stream(tmp_path / "in", b"a\n" * 3))
        assert (await box.master.heard("process_exited")).exit_code == 0
        await box.release()
