"""A real agent says how much it copies while its program runs."""

from __future__ import annotations

from pathlib import Path

from local.agent_harness import container
from local.test_agent import running, save_order, scenario

from xlearning.job import SinkSpec
from xlearning.proto import xlearning_pb2 as pb

ASKED = """
import os, pathlib, time
os.mkdir('output')
pathlib.Path('output/model').write_text('whole')
print('up', flush=True)
while not os.path.exists('answer'):
    time.sleep(0.02)
pathlib.Path(os.environ['XLEARNING_SAVE_READY']).write_text('one')
time.sleep(600)
"""
PRINTS = """
import time
print('0123456789' * 10, flush=True)
time.sleep(600)
"""


@scenario
async def test_a_save_has_begun_and_waits_for_its_program(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await running(box, ASKED, properties={"xlearning.interresult.notify": "FILE"})
        box.master.order(save=save_order(tmp_path, "one"))
        moved = await box.master.heard("upload_progress")
        assert (moved.save, moved.files, moved.bytes) == (True, 0, 0)
        (box.work / "answer").touch()
        assert (await box.master.heard("save_done")).bytes == 5
        beats = len(box.master.all("beat"))
        await box.master.until(lambda: len(box.master.all("beat")) > beats + 1, "beats")
        told = len(box.master.all("upload_progress"))
        await box.master.until(lambda: len(box.master.all("beat")) > beats + 3, "more beats")
        assert len(box.master.all("upload_progress")) == told, "nothing moves any more"
        await box.release()


@scenario
async def test_parts_of_the_standard_output(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.prepare()
        sink = SinkSpec("text", (tmp_path / "remote").as_uri(), 0)
        box.python(PRINTS, sink=sink, properties={"xlearning.outputformat.part.size": "50"})
        await box.master.until(
            lambda: any(one.files for one in box.master.all("upload_progress")), "a part that is stored"
        )
        moved = box.master.all("upload_progress")[-1]
        assert (moved.save, moved.files, moved.bytes) == (False, 1, 101)
        box.master.order(stop_process=pb.StopProcess(grace=1, reason="enough"))
        await box.master.heard("process_exited")
        await box.release()
