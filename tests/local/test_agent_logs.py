"""A real agent shows its logs, by pieces, from before its program starts to its end."""

from __future__ import annotations

from pathlib import Path

from local.agent_harness import Container, container
from local.test_agent import FOREVER, running, scenario

from xlearning.container import logview
from xlearning.proto import xlearning_pb2 as pb


async def shown(box: Container, **order: object) -> pb.LogPiece:
    """What the agent answers; the order has no generation, for logs belong to none."""
    number = len(box.master.all("log_piece")) + 1
    box.master.order(0, read_log=pb.ReadLog(request=number, **order))  # type: ignore[arg-type]
    piece: pb.LogPiece = await box.master.heard("log_piece", number)
    assert piece.request == number
    return piece


@scenario
async def test_names_and_pieces(tmp_path: Path) -> None:
    async with container(tmp_path) as box:
        await box.master.connected()
        assert list((await shown(box)).files) == ["agent.log"]
        (box.logs / "launch_container.sh").write_text("export SECRET=1")
        (box.logs / "link").symlink_to(tmp_path / "staging" / "job.json")
        await running(box, f"print('0123456789 é', flush=True)\n{FOREVER}")
        listed = await shown(box)
        assert set(listed.files) == {"agent.log", "stdout", "stderr"}
        piece = await shown(box, name="stdout", offset=4, limit=4)
        assert (piece.text, piece.offset, piece.next_offset) == ("4567", 4, 8)
        assert piece.size == listed.files["stdout"] == (box.logs / "stdout").stat().st_size
        assert (await shown(box, name="stdout", offset=8, limit=4)).text == "89 "  # not half of é
        for name in ("launch_container.sh", "link", "../staging/job.json", "nothing"):
            assert f"no log file {name!r}" in (await shown(box, name=name, limit=100)).error
        await box.release()


def test_a_piece_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "stdout").write_bytes(b"x" * (logview.LIMIT + 10))
    piece = logview.answer(tmp_path, pb.ReadLog(request=7, name="stdout", limit=1 << 30))
    assert (piece.request, len(piece.text), piece.size) == (7, logview.LIMIT, logview.LIMIT + 10)
    (tmp_path / "stdout").write_bytes(b"\xff" * logview.LIMIT)
    piece = logview.answer(tmp_path, pb.ReadLog(name="stdout", limit=logview.LIMIT))
    assert piece.ByteSize() < 1 << 20
    assert logview.answer(tmp_path / "none", pb.ReadLog()).files == {}
