"""Tests that meet on one machine run in one process of pytest."""

from __future__ import annotations

import pytest


def test_local_tests_are_kept_together(request: pytest.FixtureRequest) -> None:
    """With several processes (``--dist loadgroup``) the plugin tells by the name that it keeps the group."""
    together = request.config.getoption("loadgroup", default=False)
    assert request.node.nodeid.endswith("@machine") == bool(together)
