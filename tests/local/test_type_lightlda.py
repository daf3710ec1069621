"""LIGHTLDA: servers that write the model after the workers, and end by themselves."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from submitting import Ended, Gateway

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "lightlda"


def run(gateway: Gateway, folder: Path, *command: object, servers: int = 1, workers: int = 2) -> Ended:
    subprocess.run([sys.executable, str(EXAMPLE / "make_data.py"), str(folder / "documents")], check=True)
    return gateway.submit(
        *("--app-type", "LightLDA", "--ps-num", servers, "--worker-num", workers),
        *("--files", EXAMPLE / "lda.py", "--input", f"{folder}/documents#data"),
        *("--output", f"{folder}/topics#model", "--", *command),
    )


def test_the_topics_are_found(gateway: Gateway, tmp_path: Path) -> None:
    ended = run(gateway, tmp_path, "python3", "lda.py", servers=2)
    assert ended.code == 0, ended.err
    words: dict[str, list[int]] = {}
    for part in tmp_path.glob("topics/*/server-*.json"):
        words |= json.loads(part.read_text())
    assert len(words) == 24
    assert sum(map(sum, words.values())) == 2400
    topic = {word: counts[1] > counts[0] for word, counts in words.items()}
    assert len({topic[word] for word in ("bread", "butter", "soup", "oven", "knife")}) == 1
    assert len({topic[word] for word in ("wave", "tide", "ship", "coast", "net")}) == 1
    assert topic["bread"] != topic["wave"]
    for part in tmp_path.glob("topics/*/worker-*.json"):
        report = json.loads(part.read_text())
        assert report["last"] < 0.6 * report["first"]
    gateway.nothing_is_left()


def test_a_worker_that_dies_ends_the_job(gateway: Gateway, tmp_path: Path) -> None:
    dies = '[ "$LIGHTLDA_ROLE$LIGHTLDA_RANK" = worker1 ] && kill -9 $$; exec python3 lda.py'
    ended = run(gateway, tmp_path, "bash", "-c", dies)
    assert ended.code == 2
    assert "worker:1" in ended.err
    assert "SIGKILL" in ended.err
    assert not list(tmp_path.glob("topics/*/server-*.json"))
    gateway.nothing_is_left()


def test_a_server_that_cannot_write_its_part_fails_the_job(gateway: Gateway, tmp_path: Path) -> None:
    full = 'python3 lda.py && [ "$LIGHTLDA_ROLE" = worker ] || { echo the disk is full; exit 5; }'
    ended = run(gateway, tmp_path, "bash", "-c", full, workers=1)
    assert ended.code == 2
    assert "ps:" in ended.err
    assert "the disk is full" in ended.err
    assert not (tmp_path / "topics" / "_SUCCESS").exists()
    gateway.nothing_is_left()
