"""A real agent process against a real gRPC server: every order, every way to end."""

from __future__ import annotations

import asyncio
import functools
import json
import signal
import socket
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from local.agent_harness import TOKEN, Container, container
from local.holding import Hold

from xlearning.job import BoardSpec, FetchItem, LaunchSpec, to_dict
from xlearning.proto import xlearning_pb2 as pb

Scenario = Callable[..., Awaitable[None]]
FOREVER = "import signal; print('up', flush=True); signal.pause()"
# Forks a child that leaves the session and ignores TERM; both wait for ever.
FLEEING = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('up', flush=True)
while True:
    time.sleep(60)
"""


def scenario(test: Scenario) -> Callable[[Path], None]:
    """A test as a coroutine over a folder."""

    @functools.wraps(test)
    def run(tmp_path: Path) -> None:
        asyncio.run(test(tmp_path))

    # pytest would see the coroutine's own signature
    del run.__wrapped__  # type: ignore[attr-defined]
    return run


def item(path: Path, target: str) -> FetchItem:
    return FetchItem(f"file://{path}", target, path.stat().st_size)


def stdout(box: Container) -> str:
    path = box.logs / "stdout"
    return path.read_text() if path.exists() else ""


async def running(box: Container, code: str = FOREVER, **fields: Any) -> None:
    """Bring a container as far as a running program that has said ``up``."""
    await box.prepare()
    box.python(code, **fields)
    await box.master.heard("process_started")
    await box.master.until(lambda: "up" in stdout(box), "line of the program")


@scenario
async def test_from_registration_to_release(tmp_path: Path) -> None:
    (tmp_path / "a b=1%.txt").write_bytes(b"bytes \xff of a file")
    async with container(tmp_path) as box:
        hello = (await box.master.connected()).register
        assert (hello.container_id, hello.attempt, hello.host) == (box_id(), 1, "127.0.0.1")
        assert hello.session == ""
        ready = await box.prepare(ports=2)
        assert len(set(ready.ports)) == 2
        assert all(20000 <= port < 30000 for port in ready.ports)
        box.python(
            "import os, pathlib, sys\n"
            "print(os.environ['GREETING'], os.getcwd())\n"
            "print('reporter progress:0.5', file=sys.stderr)\n"
            "assert pathlib.Path('data/x/a b=1%.txt').read_bytes() == b'bytes \\xff of a file'\n"
            "assert pathlib.Path('list.txt').read_text() == 'one\\n'\n"
            "assert not os.listdir('empty')\n"
            "assert sys.stdin.read() == ''\n"
            "pathlib.Path('output/sub').mkdir(parents=True)\n"
            "pathlib.Path('output/sub/model').write_text('weights')\n"
            "pathlib.Path('output/top').write_text('')\n",
            env={"GREETING": "grüße"},
            fetch=(item(tmp_path / "a b=1%.txt", "data/x/a b=1%.txt"),),
            folders=("empty",),
            files={"list.txt": "one\n"},
        )
        fetched = await box.master.heard("fetch_done")
        assert (fetched.files, fetched.bytes) == (1, 17)
        assert (await box.master.heard("process_started")).pid > 0
        exited = await box.master.heard("process_exited")
        assert (exited.exit_code, exited.reason, list(exited.last_lines)) == (
            0,
            "",
            ["reporter progress:0.5"],
        )
        assert stdout(box) == f"grüße {box.work}\n"
        assert box.master.all("beat")[-1].progress == 0.5
        remote = tmp_path / "remote"
        missing = pb.Transfer(local="never-made", remote=f"file://{remote}/other")
        transfers = [pb.Transfer(local="output", remote=f"file://{remote}"), missing]
        box.master.order(upload=pb.Upload(transfers=transfers))
        done = await box.master.heard("upload_done")
        assert (done.files, done.bytes, list(done.places)) == (2, 7, [f"file://{remote}"])
        assert (remote / "sub" / "model").read_text() == "weights"
        await box.release()


def box_id() -> str:
    return "container_1_0001_01_000002"


@scenario
async def test_a_failing_program_says_why(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        box.python("print('out')\nfor n in range(30): print(n)\nraise SystemExit(3)")
        exited = await box.master.heard("process_exited")
        assert exited.exit_code == 3
        assert list(exited.last_lines) == [str(n) for n in range(10, 30)]
        await box.release()


@scenario
async def test_log_files_stay_below_their_limit(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        box.python(
            "for n in range(100_000): print('line', n)\nprint('the end')\nprint('reporter progress:1')",
            properties={"xlearning.log.max.size": "100000"},
        )
        assert (await box.master.heard("process_exited")).exit_code == 0
        assert box.master.all("beat")[-1].progress == 1.0
        text = stdout(box)
        assert text.startswith("line 0\n")
        assert "bytes dropped here" in text
        assert "the end" in text
        assert len(text) < 200_000
        await box.release()


@scenario
async def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        box.launch("no-such-program", "x")
        exited = await box.master.heard("process_exited")
        assert exited.exit_code == 127
        assert "no-such-program" in exited.reason
        assert not box.master.all("process_started")
        await box.release()


@scenario
async def test_a_launch_may_lie_in_staging(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        (box.staging / "launch").mkdir()
        spec = to_dict(LaunchSpec(command=("true",)))
        (box.staging / "launch" / "one.json").write_text(json.dumps(spec))
        box.master.order(launch=pb.Launch(file="launch/one.json"))
        assert (await box.master.heard("process_exited")).exit_code == 0
        await box.release()


@scenario
async def test_input_that_is_not_there(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        box.launch("true", fetch=(FetchItem(f"file://{tmp_path}/gone", "data/gone", 5),))
        assert "gone" in (await box.master.heard("fetch_failed")).reason
        await box.release()


@scenario
async def test_names_that_lead_out_of_the_working_folder(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        box.launch("true", files={"../evil": "x"})
        assert "../evil" in (await box.master.heard("fetch_failed")).reason
        assert not (tmp_path / "evil").exists()
        await box.release()


@scenario
async def test_orders_for_another_generation_are_ignored(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await running(box)
        box.master.order(generation=7, stop_process=pb.StopProcess(grace=0.1, reason="not meant for us"))
        box.master.order(generation=7, release=pb.Release())
        box.master.order(save=pb.Save(save_id="after", transfers=[]))
        await box.master.heard("save_done")
        assert not box.master.all("process_exited")
        assert all(
            message.generation == 1 for message in box.master.messages if message.HasField("save_done")
        )
        await box.release()


@scenario
async def test_stop_ends_the_program_with_all_that_it_started(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await running(box, FLEEING)
        box.master.order(stop_process=pb.StopProcess(grace=0.3, reason="workers are done"))
        exited = await box.master.heard("process_exited")
        assert exited.exit_code == 128 + signal.SIGTERM
        await box.master.until(lambda: len(box.alive()) == 1, "agent alone")
        await box.release()


@scenario
async def test_stop_while_fetching(tmp_path: Path) -> None:
    """The transfer waits for a name node that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        async with container(tmp_path) as box:
            await box.prepare()
            box.launch("true", fetch=(FetchItem(f"hdfs://127.0.0.1:{port}/file", "data/file", 5),))
            await box.master.heard("fetch_progress")
            beats = len(box.master.all("beat"))
            await box.master.heard("beat", beats + 3)
            box.master.order(stop_process=pb.StopProcess(grace=0.1, reason="somebody killed the job"))
            assert "somebody killed the job" in (await box.master.heard("fetch_failed")).reason
            assert not box.master.all("process_started")
            await box.release()


@scenario
async def test_beats_and_measurements_go_on_while_output_is_saved(tmp_path: Path) -> None:
    code = """
import os, pathlib, time
os.mkdir('output')
for n in range(2000):
    pathlib.Path(f'output/{n}').write_text('x')
block = bytearray(64 << 20)
for n in range(0, len(block), 4096):
    block[n] = 1
print('up', flush=True)
while True:
    sum(range(100_000))
    time.sleep(0.01)
"""
    async with container(tmp_path) as box:
        threads = {"xlearning.upload.output.thread.nums": "1"}
        await running(box, code, properties=threads)
        beats = len(box.master.all("beat"))
        save = pb.Save(
            save_id="one", transfers=[pb.Transfer(local="output", remote=f"file://{tmp_path}/saved")]
        )
        box.master.order(save=save)
        done = await box.master.heard("save_done")
        assert (done.save_id, done.files) == ("one", 2000)
        await box.master.until(lambda: len(box.master.all("beat")) > beats, "another beat")
        await box.master.until(lambda: box.master.all("beat")[-1].cpu_percent > 1, "processor use")
        assert box.master.all("beat")[-1].memory_bytes > 64 << 20
        box.master.order(save=save)
        assert (await box.master.heard("save_done", 2)) == done
        await box.release()


WRITER = """
import os, pathlib, time
os.mkdir('output')
for n in range(500):
    pathlib.Path(f'output/{n}').write_text('x')
print('up', flush=True)
while not os.path.exists('end'):
    time.sleep(0.02)
"""


def save_order(root: Path, save_id: str, timeout: float = 0.0) -> pb.Save:
    """Of the folder ``output``, by way of a draft."""
    draft = f"file://{root}/drafts/{save_id}/c1"
    return pb.Save(
        save_id=save_id,
        transfers=[pb.Transfer(local="output", remote=draft)],
        moves=[pb.Move(source=draft, target=f"file://{root}/saves/{save_id}/c1")],
        timeout=timeout,
    )


@asynccontextmanager
async def saving(root: Path) -> AsyncIterator[tuple[Container, Hold]]:
    """A container that runs `WRITER`; its first save is held up when three files are copied."""
    hold = Hold(root / "hold", r"/drafts/.*\.part$", after=3)
    async with container(root, start=False) as box:
        await box.master.start()
        await box.start(**hold.environment)
        await running(box, WRITER, properties={"xlearning.upload.output.thread.nums": "1"})
        yield box, hold


@scenario
async def test_a_save_appears_when_it_is_whole_and_gives_up_in_time(tmp_path: Path) -> None:
    async with saving(tmp_path) as (box, hold):
        box.master.order(save=save_order(tmp_path, "late", 0.1))
        failed = await box.master.heard("save_failed")
        assert failed.save_id == "late"
        assert "not done within 0.1 s (xlearning.interresult.upload.timeout)" in failed.reason
        hold.let_go()
        box.master.order(save=save_order(tmp_path, "good", 600))
        done = await box.master.heard("save_done")
        assert (done.save_id, done.files, done.bytes) == ("good", 500, 500)
        assert len(list((tmp_path / "saves/good/c1").iterdir())) == 500
        assert not (tmp_path / "saves/late").exists()
        drafts = tmp_path / "drafts"
        await box.master.until(lambda: not [p for p in drafts.rglob("*") if p.is_file()], "drafts are gone")
        await box.release()


@scenario
async def test_the_end_of_the_program_ends_its_save(tmp_path: Path) -> None:
    async with saving(tmp_path) as (box, hold):
        box.master.order(save=save_order(tmp_path, "one"))
        await box.master.until(hold.is_on, "begun")
        assert any((tmp_path / "drafts").rglob("[0-9]*"))
        (box.work / "end").touch()
        await box.master.heard("process_exited")
        box.master.order(
            upload=pb.Upload(transfers=[pb.Transfer(local="output", remote=f"file://{tmp_path}/out")])
        )
        box.master.order(read_log=pb.ReadLog(name="stdout"))
        await box.master.heard("log_piece")  # orders are begun one after another, so the save is given up
        hold.let_go()
        assert (await box.master.heard("upload_done")).files == 500
        assert (await box.master.heard("save_failed")).save_id == "one"
        assert not (tmp_path / "saves").exists()
        await box.release()


@scenario
async def test_two_outputs_with_equal_names(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        box.launch("true", files={"a/model": "1", "b/model": "2"})
        await box.master.heard("process_exited")
        transfers = [pb.Transfer(local=local, remote=f"file://{tmp_path}/remote") for local in ("a", "b")]
        box.master.order(upload=pb.Upload(transfers=transfers))
        reason = (await box.master.heard("upload_failed")).reason
        assert "a/model" in reason
        assert "b/model" in reason
        assert not (tmp_path / "remote").exists()
        await box.release()


@scenario
async def test_after_a_break_every_fact_is_said_again(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await running(box)
        box.master.drop()
        again = (await box.master.connected(2)).register
        assert again.session == TOKEN
        await box.master.heard("process_started", 2)
        kinds = ("ports_ready", "fetch_done", "process_started")
        assert {kind: len(box.master.all(kind)) for kind in kinds} == dict.fromkeys(kinds, 2)
        box.master.order(launch=pb.Launch(spec_json=json.dumps(to_dict(LaunchSpec(command=("false",))))))
        box.master.order(stop_process=pb.StopProcess(grace=1, reason="enough"))
        assert (await box.master.heard("process_exited")).exit_code == 128 + signal.SIGTERM
        box.master.drop()
        await box.master.heard("process_exited", 2)
        await box.release()


@scenario
async def test_the_program_may_end_while_nobody_listens(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await running(
            box,
            "import pathlib, time; print('up', flush=True)\n"
            "while not pathlib.Path('go').exists(): time.sleep(0.01)\n"
            "print('bye')",
        )
        await box.master.stop()
        (box.work / "go").touch()
        await box.master.until(lambda: "bye" in stdout(box), "end of the program")
        await box.master.start()
        assert (await box.master.heard("process_exited")).exit_code == 0
        await box.release()


@scenario
async def test_a_refused_session_stops_the_program_and_uploads_nothing(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await running(box, FLEEING)
        box.master.refusal = "unknown session"
        box.master.drop()
        assert await box.exit_code() == 1
        assert "unknown session" in box.log()
        await box.vanished()


@scenario
async def test_an_agent_without_master_ends_itself(tmp_path: Path) -> None:
    async with container(tmp_path, patience=0.5) as box:
        await running(box, FLEEING)
        await box.master.stop()
        assert await box.exit_code() == 1
        assert "no ApplicationMaster answered" in box.log()
        await box.vanished()


@scenario
async def test_a_newer_attempt_ends_the_container(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await running(box)
        (box.staging / "am-2.json").write_text("{}")
        box.master.drop()
        assert await box.exit_code() == 1
        assert "attempt 2" in box.log()


@scenario
async def test_an_agent_may_be_there_before_its_master(tmp_path: Path) -> None:
    async with container(tmp_path, start=False) as box:
        await box.start()
        await box.master.until(lambda: (box.logs / "agent.log").exists(), "agent")
        await box.master.start()
        await box.prepare()
        await box.release()


@scenario
async def test_term_ends_everything(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        properties = {"xlearning.container.stop.grace": "0.2s"}
        await running(box, FLEEING, properties=properties)
        assert box.process is not None
        box.process.send_signal(signal.SIGTERM)
        assert await box.exit_code() == 128 + signal.SIGTERM
        assert (await box.master.heard("process_exited")).exit_code == 128 + signal.SIGTERM
        await box.master.heard("goodbye")
        await box.vanished()


@scenario
async def test_nothing_survives_a_killed_agent(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        properties = {"xlearning.container.stop.grace": "0.2s"}
        await running(box, FLEEING, board=BoardSpec(True, 0, "eventLog", 1), properties=properties)
        await box.master.heard("board_started")
        assert box.process is not None
        box.process.kill()
        assert await box.exit_code() == -signal.SIGKILL
        await box.vanished()


@scenario
async def test_missing_variables_are_named_together(tmp_path: Path) -> None:
    async with container(tmp_path, start=False) as box:
        await box.start(XLEARNING_HOST="", XLEARNING_STAGING="")
        assert await box.exit_code() == 1


@scenario
async def test_the_board_runs_and_goes_with_the_container(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await running(box, board=BoardSpec(True, 0, "eventLog", 1))
        board = await box.master.heard("board_started")
        assert board.url.startswith("http://127.0.0.1:"), board.note
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        page = await asyncio.to_thread(lambda: opener.open(board.url, timeout=60).read())
        assert b"TensorBoard" in page
        await box.release()
        await box.vanished()


@scenario
async def test_a_failing_program_is_told_of_before_its_event_files_are_kept(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        properties = {"xlearning.tf.board.path": "no-such-board"}
        box.launch("bash", "-c", "exit 3", board=BoardSpec(True, 0, "eventLog", 1), properties=properties)
        assert (await box.master.heard("process_exited")).exit_code == 3
        assert [one.exit_code for one in box.master.all("process_failing")] == [3]
        await box.release()


@scenario
async def test_a_board_that_cannot_start_harms_nobody(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        properties = {"xlearning.tf.board.path": "no-such-board"}
        await running(box, board=BoardSpec(True, 0, "eventLog", 1), properties=properties)
        board = await box.master.heard("board_started")
        assert board.url == ""
        assert "no-such-board" in board.note
        assert not box.master.all("process_exited")
        await box.release()


@scenario
async def test_reserved_ports_can_be_used_by_the_program(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        ready = await box.prepare(ports=1)
        box.python(
            "import os, socket\n"
            "s = socket.socket()\n"
            "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
            "s.bind(('127.0.0.1', int(os.environ['PORT'])))\n"
            "s.listen()\n"
            "print('up', flush=True)\n"
            "s.accept()\n",
            env={"PORT": str(ready.ports[0])},
        )
        await box.master.until(lambda: "up" in stdout(box), "listening program")
        await asyncio.to_thread(lambda: socket.create_connection(("127.0.0.1", ready.ports[0])).close())
        assert (await box.master.heard("process_exited")).exit_code == 0
        await box.release()
