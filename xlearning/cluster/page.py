"""Where YARN's proxy shows a job's page, and the board below it."""

from __future__ import annotations

ROUTE = "job"  # as skein knows the page


def board_base(app_id: str) -> str:
    """Path by which a browser asks for the board of an application, without the slash at its end."""
    return f"/proxy/{app_id}/pages/{ROUTE}/tb"
