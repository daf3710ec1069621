"""The same questions, asked inside a container: by a job of one worker that goes the way of all jobs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from xlearning import jsonfile
from xlearning.client.doctor import inside
from xlearning.client.doctor.checklist import PORTS, Given
from xlearning.client.doctor.hadoop import Cluster
from xlearning.client.doctor.hdfs import STAGING, Hdfs
from xlearning.client.doctor.model import Finding, Mark, Result, ok, problem
from xlearning.client.following.interrupts import Interrupts
from xlearning.client.verbs.applications import OF_DOCTOR
from xlearning.cluster.background import Background
from xlearning.cluster.yarn_script import LIBRARY
from xlearning.errors import XLearningError
from xlearning.fs import FileSystems, join
from xlearning.units import format_duration

_REPORT = "report"  # folder in the container, and below the output
_SUBMIT = "import sys; from xlearning.client.cli import main; sys.exit(main())"
# The agent's interpreter and our own code, for a container holds both; nothing of it is the user's.
_PROBE = (
    f"import sys; sys.path.insert(0, {LIBRARY!r}); from xlearning.client.doctor.inside import main; "
    "sys.exit(main(sys.argv[1:]))"
)
_NEEDED = ("properties", "yarn-version", "queue", "round-trip", "java", "programs")
_END = 40.0  # seconds for a job to be killed, and for its client to leave


@dataclass(frozen=True)
class Stay:
    """Where the job writes its report, and who runs it."""

    fss: FileSystems
    folder: str
    python: str


def look(given: Given, seen: Sequence[Result], *, local: bool, timeout: float) -> Iterator[Result]:
    """What a container finds, and how the job went. Nothing of the job is left.

    Parameters
    ----------
    seen : sequence of Result
        Of this machine: a job that cannot be submitted is not tried.
    timeout : float
        Seconds for the job.
    """
    amiss = [one for one in seen if one.id in _NEEDED and one.finding.mark not in (Mark.OK, Mark.WARNING)]
    if amiss:
        names = ", ".join(f"{one.title} ({one.area})" for one in amiss)
        yield _result(Finding(Mark.UNCHECKED, f"not before this is well: {names}"), 0.0)
        return
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="xlearning-doctor-") as scratch:
        try:
            stay = _local(Path(scratch)) if local else _remote(given)
            try:
                yield from _ask(given, stay, local=local, timeout=timeout)
            finally:
                stay.fss.of(stay.folder).delete(stay.folder, recursive=True)
        except (XLearningError, OSError, TypeError, ValueError) as error:
            yield _result(problem(str(error), "see the message"), time.monotonic() - start)


def _local(scratch: Path) -> Stay:
    return Stay(FileSystems("file://"), (scratch / "out").as_uri(), sys.executable)


def _remote(given: Given) -> Stay:
    from xlearning.client.packaging.delivery import interpreter

    cluster = Cluster(given.environ, given.usable, given.user)
    cluster.ticket()
    fss = Hdfs(cluster).fss
    root = fss.resolve(given.usable.get(STAGING))
    return Stay(fss, join(root, f"doctor-{uuid.uuid4().hex}"), interpreter(given.usable))


def _ask(given: Given, stay: Stay, *, local: bool, timeout: float) -> Iterator[Result]:
    begin, end = (str(given.usable.get(name)) for name in PORTS)
    memory = str(given.usable.get("xlearning.worker.memory"))
    words = [
        *(["--local"] if local else []),
        *(part for name, texts in given.settings.items() for text in texts for part in (f"--{name}", text)),
        *("--app-name", OF_DOCTOR, "--worker-num", "1", "--board-enable", "false"),
        *("--output", f"{stay.folder}#{_REPORT}", "--"),
        *(stay.python, "-c", _PROBE, f"{_REPORT}/{inside.FILE}"),
        *("" if local else stay.folder.rpartition("/")[0], begin, end, memory),
    ]
    start = time.monotonic()
    finding = run_job(words, timeout, start)
    yield _result(finding, time.monotonic() - start)
    if finding.mark is Mark.OK:
        yield from _report(stay)


def run_job(words: Sequence[str], timeout: float, start: float) -> Finding:
    """Submit and follow; what the client of the job says goes where ours goes.

    Parameters
    ----------
    words : sequence of str
        Of its command line.
    timeout : float
        Seconds until it is killed.
    start : float
        When it began, by `time.monotonic`.
    """
    with Interrupts(), start_client(words) as process:
        assert process.stdout is not None
        app_id = Background("the id of the job", process.stdout.readline)
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            name, code = end_client(process, app_id), process.returncode
            if code == 0:  # it was just about to end
                return _ran(name, start)
            words = f"{name} had not ended within" if name else "no job could be submitted within"
            return problem(
                f"{words} {timeout:g} s{', and was killed' if name else ''}",
                "see above what it waited for; --timeout gives it longer",
            )
        except BaseException:
            end_client(process, app_id)
            raise
        name = app_id.result(_END).strip()
    if code:
        return problem(f"the job failed (exit code {code})", "see above what it says")
    return _ran(name, start)


def _ran(name: str, start: float) -> Finding:
    return ok(f"{name} ran and published its report, in {format_duration(time.monotonic() - start)}")


def start_client(words: Sequence[str]) -> subprocess.Popen[str]:
    """An ``xl-submit`` beside us."""
    return subprocess.Popen(
        [sys.executable, "-c", _SUBMIT, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a Ctrl-C is ours to deal with
    )


def end_client(process: subprocess.Popen[str], app_id: Background[str]) -> str:
    """Kill the job, where there is one, and let its client leave; the id of the job.

    Parameters
    ----------
    app_id : Background
        Reads the line in which the client tells it.
    """
    name, quiet = "", subprocess.DEVNULL
    if not app_id.wait(0.0):
        process.terminate()  # before it has submitted, it leaves nothing
    try:
        if app_id.wait(_END) and (name := app_id.result(0.0).strip()):
            kill = [sys.executable, "-c", _SUBMIT, "kill", name, "--reason", "ended by xl-submit doctor"]
            subprocess.run(kill, stdin=quiet, stdout=quiet, stderr=quiet, timeout=_END, check=False)
        process.wait(_END)
    except subprocess.TimeoutExpired:
        pass  # YARN goes on with the kill; the client has nothing more to do
    finally:
        process.kill()
    return name


def _report(stay: Stay) -> Iterator[Result]:
    file = join(stay.folder, _REPORT, inside.FILE)
    for record in jsonfile.read(stay.fss.of(file), file):
        yield Result.of(record)


def _result(finding: Finding, seconds: float) -> Result:
    return Result("job", inside.AREA, "Job", finding, seconds)
