"""Containers of an ended job, from the list that ``yarn logs`` makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.cluster.base import KnownContainer
from xlearning.cluster.log_listing import logged, parse

LISTED = """\
Container: container_e1_17_0003_01_000001 on node-1.x_45454
====================================================================
                       LogFile	                     LogLength	          LastModificationTime	            LogAggregationType
========================================================================================================================================
        application.driver.log	                          1903	Mon Nov 30 02:12:04 +0000 2026	                    AGGREGATED
        application.master.log	                           774	Mon Nov 30 02:12:04 +0000 2026	                    AGGREGATED
Container: container_e1_17_0003_01_000002 on localhost_19298
====================================================================
                       LogFile	                     LogLength	          LastModificationTime	            LogAggregationType
                     agent.log	                           655	Mon Nov 30 02:12:05 +0000 2026	                    AGGREGATED
               tensorboard.log	                           655	Mon Nov 30 02:12:05 +0000 2026	                    AGGREGATED
                        stdout	                            68	Mon Nov 30 02:12:05 +0000 2026	                    AGGREGATED
                  worker.a2.log	                             0	Mon Nov 30 02:12:05 +0000 2026	                    AGGREGATED
Container: container_e1_17_0003_01_000003 on localhost_19298
                        stdout	                            68	Mon Nov 30 02:12:05 +0000 2026	                    AGGREGATED
"""  # noqa: E501 - as yarn writes it


def test_the_role_is_that_of_the_log_of_skein() -> None:
    assert parse(LISTED) == [
        KnownContainer("container_e1_17_0003_01_000001", "node-1.x", "", "", master=True),
        KnownContainer("container_e1_17_0003_01_000002", "localhost", "", "", master=False, role="worker"),
        KnownContainer("container_e1_17_0003_01_000003", "localhost", "", "", master=False),
    ]
    assert parse("Can not find the logs for the application: application_1_0001\n") == []


def test_without_the_program_nothing_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert logged("application_1_0001", "me") == ()
