"""What people do in their first minutes, and what they are told then."""

from __future__ import annotations

from submitting import Gateway


def test_a_script_that_is_not_executable(gateway: Gateway) -> None:
    (gateway.work / "fit.sh").write_text("echo fit\n")
    ended = gateway.submit("--worker-num", 1, "--files", "fit.sh", "--", "./fit.sh")
    assert ended.code == 2
    assert "hint: make it executable with chmod +x ./fit.sh, or write bash ./fit.sh" in ended.err
    assert "on the PATH" not in ended.err
