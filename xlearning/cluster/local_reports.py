"""What an application of this machine has left of itself in files, as records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xlearning.cluster import processes
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.local_files import APP_ID, AppFolder, Damaged, read_json, read_text
from xlearning.errors import ApplicationNotFound
from xlearning.jsonfile import build


def was_never_submitted(files: AppFolder) -> bool:
    """Whether a client has taken the id and then ended without a word."""
    if not APP_ID.fullmatch(files.app_id) or not files.is_own() or files.report.exists():
        return False
    client = read_text(files.client)
    return bool(client) and not processes.alive(client)


def read_report(files: AppFolder) -> ApplicationReport:
    """How the application stands, by the supervisor's and the ApplicationMaster's last words.

    Raises
    ------
    ApplicationNotFound
        It was deleted.
    Damaged
        A file is not what they write.
    """
    found = read_json(files.report)
    if found is None and not files.report.exists():
        raise ApplicationNotFound(f"the application {files.app_id} was deleted")
    report = _as_report(files, found)
    if report.state.final:
        return report
    path = files.am(report.attempt) / "status.json"
    status = read_json(path) or {}
    if not isinstance(status, dict):
        raise Damaged(f"{path} is damaged: it is no record")
    return _as_report(files, {**found, "tracking_url": status.get("tracking_url", "")})


def _as_report(files: AppFolder, found: Any) -> ApplicationReport:
    try:
        report = build(ApplicationReport, found)
    except ValueError as error:
        raise Damaged(f"{files.report} is damaged: {error}") from error
    if report.app_id != files.app_id:
        raise Damaged(f"{files.report} is damaged: it is about {report.app_id}")
    return report


@dataclass(frozen=True)
class Launch:
    """What is needed of ``launch.json`` later."""

    staging: str
    client: str
    grace: float
    patience: float


def read_launch(files: AppFolder) -> Launch:
    """What the supervisor was started for.

    Raises
    ------
    Damaged
        ``launch.json`` is not what a client writes.
    """
    try:
        return build(Launch, read_json(files.launch))
    except ValueError as error:
        raise Damaged(f"{files.launch} is damaged: {error}") from error
