"""Docs are true: every console block of README and docs runs here, and says what is printed there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import doc_pages
import pytest
from doc_pages import PAGES, ROOT, blocks
from submitting import Gateway

_HERE = [page for page in PAGES if str(page.relative_to(ROOT)) not in doc_pages.WITH_FRAMEWORK]


@pytest.mark.parametrize("page", _HERE, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page(page: Path, gateway: Gateway) -> None:
    doc_pages.run(page, gateway)


def test_the_pages_have_commands_and_name_the_two_targets() -> None:
    assert len(blocks(ROOT / "README.md")) >= 5
    assert re.findall(r"^    make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE) == ["demo", "test"]


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for link in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_make_demo_says_where_everything_is() -> None:
    ended = subprocess.run(
        ["make", "demo"], cwd=ROOT, capture_output=True, text=True, timeout=180, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "Page: http://127.0.0.1:" in ended.stderr
    (model,) = re.findall(r"The model is in (\S+)", ended.stdout)
    assert (ROOT / model).exists()
    assert "What to try next" in ended.stdout
