"""What people are shown."""

from __future__ import annotations

import io

import pytest

from xlearning.client.console import PlainConsole, harmless


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tab\tand\nline", "tab\tand\nline"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07rest\x1b]8;;http://x\x1b\\link", "restlink"),
        ("\x1b[2J\x1b[?25lgone", "gone"),
        ("bell\x07 back\x08 half\x1b", "bell\\x07 back\\x08 half\\x1b"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("größe 漢字 🙂", "größe 漢字 🙂"),
    ],
)
def test_nothing_commands_the_terminal(text: str, shown: str) -> None:
    assert harmless(text) == shown
    stream = io.StringIO()
    PlainConsole(stream).block([text], good=False)
    assert stream.getvalue() == f"{shown}\n"
