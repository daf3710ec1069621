"""What a job logs for TensorBoard: kept when it ends, also badly, and looked at afterwards."""

from __future__ import annotations

from pathlib import Path

import scalars
from submitting import Gateway

JOB = ("--app-type", "tensorflow", "--ps-num", 1, "--worker-num", 2, "--board-enable", "true")


def visualdl(folder: Path) -> Path:
    """A stand-in that records how it was started, and then answers as long as it may."""
    program = folder / "visualdl"
    program.write_text(
        "#!/usr/bin/env python3\n"
        "import http.server, sys\n"
        f"open({str(folder / 'words')!r}, 'w').write('\\n'.join(sys.argv[1:]))\n"
        "port = next(int(w[7:]) for w in sys.argv if w.startswith('--port='))\n"
        "http.server.HTTPServer(('127.0.0.1', port), http.server.SimpleHTTPRequestHandler).serve_forever()\n"
    )
    program.chmod(0o755)
    return program


def test_event_files_of_a_failed_job_can_be_looked_at(gateway: Gateway, tmp_path: Path) -> None:
    scalars.write(tmp_path / "run", "loss", (1.0, 0.5))
    # the board is beside the parameter server, which is stopped when a worker fails
    program = (
        f"case $TF_ROLE in ps) cp -r {tmp_path}/run eventLog/; touch {tmp_path}/logged; sleep 600;; esac; "
        f"until test -e {tmp_path}/logged; do sleep 0.05; done; exit 3"
    )
    beside = ("--conf", "xlearning.tf.board.ps.enable=true", "--conf", "xlearning.tf.board.path=none")
    ended = gateway.submit(*JOB, *beside, "--", "bash", "-c", program)
    assert ended.code == 2, ended.err
    kept = gateway.root / "local" / "eventLog" / ended.app_id
    assert [path.parent.name for path in kept.rglob("events.*")] == ["run"]
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o7777) == (0o700, 0o1777)

    tags, told = scalars.shown(gateway, "last", "--local")
    assert '"loss"' in tags
    assert (told.code, "(files: 1)" in told.err) == (0, True), told.err
    gateway.nothing_is_left()


def test_visualdl_and_nothing_logged(gateway: Gateway, tmp_path: Path) -> None:
    options = (
        *("--app-type", "visualdl", "--conf", f"xlearning.board.path={visualdl(tmp_path)}"),
        *("--board-modelpb", "m.onnx", "--board-cacheTimeout", 7),
    )
    wait = f"until test -s {tmp_path}/words; do sleep 0.05; done"
    ended = gateway.submit(*options, "--", "bash", "-c", wait)
    assert ended.code == 0, ended.err
    words = dict(word[2:].split("=", 1) for word in (tmp_path / "words").read_text().splitlines())
    assert (Path(words.pop("logdir")).name, int(words.pop("port")) > 0) == ("eventLog", True)
    assert words == {"host": "127.0.0.1", "cache-timeout": "7", "model": "m.onnx"}
    told = gateway.verb("tensorboard", ended.app_id, "--local")
    assert (told.code, "logged for VisualDL" in told.err) == (1, True), told.err
    ended = gateway.submit("--board-enable", "true", "--conf", "xlearning.tf.board.path=none", "--", "true")
    told = gateway.verb("tensorboard", "last", "--local")
    assert (told.code, f"{ended.app_id} logged nothing for TensorBoard" in told.err) == (1, True), told.err
    gateway.nothing_is_left()
