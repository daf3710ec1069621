"""Actions towards agents as messages of the protocol. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from xlearning.am.core import actions as act
from xlearning.config import Config
from xlearning.proto import xlearning_pb2 as pb


def registered(action: act.Accept, generation: int, config: Config) -> pb.AmMessage:
    """Answer to an agent that was accepted."""
    body = pb.Registered(
        session=action.session,
        beat_interval=config.get("xlearning.agent.beat.interval"),
        reconnect_timeout=config.get("xlearning.agent.reconnect.timeout"),
    )
    return pb.AmMessage(registered=body, generation=generation)


def release(action: act.ReleaseContainer, generation: int) -> pb.AmMessage:
    return pb.AmMessage(release=pb.Release(reason=action.reason), generation=generation)


def prepare(action: act.Prepare) -> pb.AmMessage:
    task = action.task
    body = pb.Prepare(role=task.role, index=task.index, ports=action.ports)
    return pb.AmMessage(prepare=body, generation=task.generation)


def launch(action: act.Launch, *, spec_json: str = "", file: str = "") -> pb.AmMessage:
    """The launch specification itself, or the file in staging that holds it."""
    return pb.AmMessage(launch=pb.Launch(spec_json=spec_json, file=file), generation=action.task.generation)


def stop(action: act.StopProcess) -> pb.AmMessage:
    body = pb.StopProcess(grace=action.grace, reason=action.reason)
    return pb.AmMessage(stop_process=body, generation=action.generation)


def upload(action: act.Upload, pairs: Sequence[tuple[str, str]]) -> pb.AmMessage:
    body = pb.Upload(transfers=_transfers(pairs))
    return pb.AmMessage(upload=body, generation=action.task.generation)


def save(
    action: act.Save, pairs: Sequence[tuple[str, str]], moves: Sequence[tuple[str, str]]
) -> pb.AmMessage:
    body = pb.Save(
        save_id=action.save_id,
        transfers=_transfers(pairs),
        moves=[pb.Move(source=source, target=target) for source, target in moves],
        timeout=action.timeout,
        base=action.base,
    )
    return pb.AmMessage(save=body, generation=action.task.generation)


def _transfers(pairs: Sequence[tuple[str, str]]) -> list[pb.Transfer]:
    return [pb.Transfer(local=local, remote=remote) for local, remote in pairs]
