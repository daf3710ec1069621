"""What people do in their first minutes, and what they are told then."""

from __future__ import annotations

from submitting import Gateway


def test_a_script_that_is_not_executable(gateway: Gateway) -> None:
    (gateway.work / "fit.sh").write_text("echo fit\n")
    ended = gateway.submit("--worker-num", 1, "--files", "fit.sh", "--", "./fit.sh")
    assert ended.code == 2
    assert "hint: make it executable with chmod +x ./fit.sh, or write bash ./fit.sh" in ended.err
    assert "on the PATH" not in ended.err


def test_a_program_that_is_not_there_is_told_before_the_submission(gateway: Gateway) -> None:
    ended = gateway.submit("--worker-num", 1, "--", "ecoh", "x")
    assert ended.code == 2, "a warning: the job was submitted"
    assert "there is no program ecoh on PATH; did you mean " in ended.err.partition(ended.app_id)[0]
    assert "command not found: ecoh" in ended.err


def test_an_input_without_a_name_is_told_by_its_folder(gateway: Gateway) -> None:
    (gateway.work / "d").mkdir()
    (gateway.work / "d" / "a").write_text("1")
    ended = gateway.submit("--worker-num", 1, "--input", "d", "--", "cat", "input/a")
    assert (ended.code, "Input in ./input: 1 file, 1 B" in ended.err) == (0, True)
