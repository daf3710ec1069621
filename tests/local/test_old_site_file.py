"""A gateway that was set up for Hbox: its site file as it was, and jobs as they were submitted."""

from __future__ import annotations

import json
import sys

from original_files import DEFAULT_HBOX
from submitting import Gateway

PROGRAM = "import os; print('LIST', os.environ['INPUT_FILE_LIST'])"
OWN = ("staging.dir", "history.log.dir")


def test_a_job_with_the_site_file_of_hbox(gateway: Gateway) -> None:
    values = {**DEFAULT_HBOX, "history.webapp.port": "19966", "placeholder.whole.enable": "true"}
    gateway.properties.update({f"hbox.{name}": text for name, text in values.items() if name not in OWN})
    (gateway.work / "data").mkdir()
    for name in "ab":
        (gateway.work / "data" / name).write_text(name)
    words = ("--worker-num", 2, "--input-strategy", "placeholder", "--input", "data#data")
    ended = gateway.submit(*words, "--", sys.executable, "-c", PROGRAM)
    assert ended.code == 0, ended.err
    (warning,) = (line for line in ended.err.splitlines() if "has no effect" in line)
    assert warning.endswith("a history server is not part of this version yet")
    logs = gateway.verb("logs", "--local", ended.app_id)
    lists = [line.partition("LIST ")[2] for line in logs.out.splitlines() if "LIST " in line]
    assert len(lists) == 2 and len(set(lists)) == 1
    assert len(json.loads(lists[0])["data"]) == 2

    refused = gateway.submit("--conf", "hbox.container.mode=docker", *words, "--", "true")
    assert (refused.code, refused.out) == (1, "")
    assert "container type docker has no image" in refused.err
    assert "name one with --docker-image IMAGE" in refused.err
