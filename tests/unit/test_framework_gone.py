"""Types of the original that have no counterpart: refused, with what does their work."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.client.cli import main


@pytest.mark.parametrize(
    ("app_type", "instead"),
    [
        ("xdl", "use --app-type MXNET"),
        ("VPC", "run them with --app-type XLEARNING"),
        ("Digits", "watch with TensorBoard"),
    ],
)
def test_refused(
    app_type: str,
    instead: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(tmp_path))
    words = ("--app-type", app_type, "--ps-num", "2", "--worker-num", "3", "--duration", "1d")
    assert main(["--local", "--dry-run", *words, "true"]) == 1
    said = capsys.readouterr().err
    assert "--ps-num" not in said
    assert f"type {app_type.upper()} is not supported" in said
    assert instead in said
    page = (Path(__file__).resolve().parents[2] / "docs" / "types.md").read_text()
    assert f"| `{app_type.upper()}` | refused" in page


def test_nobody_is_led_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XLEARNING_CONF_DIR", str(tmp_path))
    assert main(["--local", "--dry-run", "--app-type", "pytorch", "--ps-num", "1", "true"]) == 1
    said = capsys.readouterr().err
    assert "MXNET" in said and "XFLOW" in said
    assert "XDL" not in said
    assert main(["--local", "--dry-run", "--app-type", "DIGIT", "true"]) == 0
    assert "DIGITS" not in capsys.readouterr().out
