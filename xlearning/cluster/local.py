"""The local back end, the client's side: applications of this machine, each under its own supervisor."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from xlearning.cluster import base, credentials, processes
from xlearning.cluster.base import ApplicationReport, KnownContainer
from xlearning.cluster.local_files import (
    AM_CONTAINER,
    APP_ID,
    ENV_SLOTS,
    AppFolder,
    Damaged,
    bootstrap,
    make_private,
    read_json,
    read_text,
    write_json,
)
from xlearning.cluster.local_reports import read_launch, read_report, was_never_submitted
from xlearning.cluster.local_start import signal_supervisor, start_supervisor
from xlearning.config import Config
from xlearning.errors import ApplicationNotFound, ClusterError
from xlearning.fs.base import join, split_uri
from xlearning.fs.local import owner_name
from xlearning.job import AppState, JobSpec, to_dict
from xlearning.trees import remove_tree

_OWN_VARIABLES = frozenset(value for name, value in vars(base).items() if name.startswith("ENV_"))
_AGENT_EXTRA = 3.0  # seconds an agent needs besides its program's grace
_AM_PATIENCE = 13.0  # seconds an ApplicationMaster needs to end, besides the same grace
_KILL_MARGIN = 10.0  # seconds for a supervisor to do what it does within its own limits


class LocalCluster:
    """Applications under ``root``; implements `xlearning.cluster.base.ClusterClient`.

    Parameters
    ----------
    root : Path
        Folder of all local applications (``xlearning.local.dir``), made when missing.
    slots : int
        How many containers of one application may run at once; 0 for any number.
    warn : callable, optional
        Told of what is left out.
    """

    def __init__(self, root: Path, slots: int = 0, warn: Callable[[str], None] | None = None) -> None:
        if slots < 0:
            raise ClusterError(f"{slots} local slots: the number cannot be negative", hint="0 means no limit")
        self._apps = root.expanduser().absolute() / "apps"
        self._slots = slots
        self._warn, self._told = warn, False

    def new_application_id(self) -> str:
        """A fresh id, unique on this machine also when several clients ask at once."""
        try:
            make_private(self._apps)
            now = int(time.time() * 1000)
            for number in range(1, 10_000):
                app_id = f"application_{now}_{number:04d}"
                files = AppFolder(self._apps / app_id)
                with contextlib.suppress(FileExistsError):
                    files.path.mkdir(mode=0o700)
                    files.client.write_text(processes.identity(os.getpid()))
                    return app_id
        except OSError as error:
            raise self._unusable(error) from error
        raise ClusterError("10,000 applications were submitted within one millisecond", hint="try again")

    def discard(self, app_id: str) -> None:
        """Give an id back that nothing was submitted under."""
        remove_tree(self._apps / app_id)

    def submit(self, job: JobSpec) -> None:
        """Start the supervisor of an application and return at once.

        Raises
        ------
        ClusterError
            The application was submitted before, or its folder cannot be written.
        """
        files = self._files(job.app_id, known=False)
        if files.report.exists():
            raise ClusterError(f"{job.app_id} was submitted before", hint="ask for a new application id")
        config = Config.from_properties(job.properties)
        grace = float(config.get("xlearning.container.stop.grace"))
        python = str(config.get("xlearning.python") or sys.executable)
        launch = {
            "command": [python, str(bootstrap()), "am"],
            "attempts": int(config.get("xlearning.app.max.attempts")),
            "grace": grace + _AGENT_EXTRA,
            "patience": grace + _AM_PATIENCE,
            "client": processes.identity(os.getpid()),
            "staging": job.staging,
        }
        report = ApplicationReport(
            app_id=job.app_id,
            name=job.app_name,
            user=job.user,
            state=AppState.SUBMITTED,
            submitted=job.submitted or time.time(),
            app_type=job.app_type,
        )
        try:
            make_private(files.path)
            self._take_credentials(job, files.credentials)
            write_json(files.launch, launch)
            write_json(files.report, to_dict(report))
            env = {**self._environment(job, files), **config.family("xlearning.am.env")}
            start_supervisor(files, env)
            files.client.unlink(missing_ok=True)
        except OSError as error:
            files.report.unlink(missing_ok=True)
            raise self._unusable(error) from error

    def report(self, app_id: str) -> ApplicationReport:
        """How an application stands.

        When its supervisor died, what it left is ended first (this may take some seconds), and the
        report says so. One whose client died before it was submitted has failed.
        """
        files = self._files(app_id, known=False)
        if was_never_submitted(files):
            words = "its client ended before it was submitted"
            user = owner_name(os.getuid())
            return ApplicationReport(app_id, "", user, AppState.FAILED, diagnostics=words)
        files = self._files(app_id)
        report = read_report(files)
        if self._supervised(files) or report.state.final:
            return report
        report = read_report(files)  # it may have written its last word just before it ended
        return (
            report if report.state.final else self._bury(files, AppState.FAILED, "the local supervisor died")
        )

    def staging(self, app_id: str) -> str:
        """URI of the staging folder that an application was submitted with."""
        return read_launch(self._files(app_id)).staging

    def folder(self, app_id: str) -> Path:
        """Where the logs of an application are, and all else that this back end keeps of it."""
        return self._files(app_id).path

    def kill(self, app_id: str, why: str = "") -> None:
        """End an application; returns when nothing of it runs any more. An ended one stays as it is."""
        files = self._files(app_id)
        if self.report(app_id).state.final:
            return
        if why:
            write_json(files.killed, {"why": why})
        launch = read_launch(files)
        deadline = time.monotonic() + launch.patience + launch.grace + _KILL_MARGIN
        told = False
        while self._supervised(files) and not read_report(files).state.final:
            late = time.monotonic() > deadline
            if late or not told:
                told = signal_supervisor(files, signal.SIGKILL if late else signal.SIGTERM)
            time.sleep(0.02)
        if not read_report(files).state.final:
            self._bury(files, AppState.KILLED, why or "killed by its user")

    def list(self) -> Sequence[ApplicationReport]:
        """Every application under the root, newest first. One whose record is damaged is left out."""
        if not self._apps.is_dir():
            return []
        names = sorted((f.name for f in self._apps.iterdir() if APP_ID.fullmatch(f.name)), reverse=True)
        reports, damaged = [], []
        for name in names:
            try:
                self._files(name)
                reports.append(self.report(name))
            except ApplicationNotFound:
                continue  # being prepared, never submitted, deleted at this moment, or somebody else's
            except (Damaged, OSError) as error:
                damaged.append(str(error))
        if damaged and self._warn and not self._told:
            self._told = True
            more = f", and {len(damaged) - 1} more" if len(damaged) > 1 else ""
            self._warn(f"jobs whose record cannot be read are left out: {damaged[0]}{more}")
        return reports

    def tidy(self) -> None:
        """Do for every application what its supervisor could not, because it was killed: see `report`.

        Working folders, with all the input that was copied into them, go also where it was killed after
        its last report. What cannot be deleted stays for the next time.
        """
        if not self._apps.is_dir():
            return
        for folder in self._apps.iterdir():
            with contextlib.suppress(ClusterError, OSError):
                if was_never_submitted(AppFolder(folder)):
                    remove_tree(folder)
                    continue
                files = self._files(folder.name)
                if self.report(folder.name).state.final and not self._supervised(files):
                    _remove_working_folders(files)

    def containers(self, app_id: str) -> Sequence[KnownContainer]:
        """The containers that have left a folder, by id; the ApplicationMasters' first."""
        files, host = self._files(app_id), "127.0.0.1"
        attempts = range(1, read_report(files).attempt + 1)
        found = [
            KnownContainer(files.container_id(n, AM_CONTAINER), host, "", "", master=True) for n in attempts
        ]
        folder = files.path / "containers"
        names = sorted(child.name for child in folder.iterdir()) if folder.is_dir() else []
        return [*found, *(KnownContainer(name, host, "", "", master=False) for name in names)]

    def logs(self, app_id: str, container_id: str) -> Mapping[str, str]:
        """Log files of a container: name -> path. Container 000001 of an attempt is the ApplicationMaster."""
        try:
            folder = self._files(app_id).container(container_id) / "logs"
            return {f.name: str(f) for f in sorted(folder.iterdir()) if f.is_file() and not f.is_symlink()}
        except (ValueError, FileNotFoundError) as error:
            raise ClusterError(f"{app_id} has no container {container_id}") from error

    def waiting(self, app_id: str) -> str:  # noqa: ARG002
        """See `xlearning.cluster.base.ClusterClient`; whatever fits is started at once."""
        return ""

    def _files(self, app_id: str, *, known: bool = True) -> AppFolder:
        files = AppFolder(self._apps / app_id)
        if not APP_ID.fullmatch(app_id) or (known and not (files.is_own() and files.report.exists())):
            raise ApplicationNotFound(
                f"no application {app_id} under {self._apps}",
                hint="old applications are deleted after a while",
            )
        return files

    def _supervised(self, files: AppFolder) -> bool:
        """Whether the supervisor runs, or the client that is starting it."""
        supervisor = read_text(files.supervisor)
        return processes.alive(supervisor or (read_launch(files).client if files.launch.exists() else ""))

    def _environment(self, job: JobSpec, files: AppFolder) -> dict[str, str]:
        """The submitting shell's variables without those of a container it may itself run in."""
        return {
            **{name: value for name, value in os.environ.items() if name not in _OWN_VARIABLES},
            base.ENV_APP_ID: job.app_id,
            base.ENV_STAGING: job.staging,
            base.ENV_CREDENTIALS: str(files.credentials),
            base.ENV_HOST: "127.0.0.1",
            base.ENV_BACKEND: "local",
            ENV_SLOTS: str(self._slots),
        }

    def _take_credentials(self, job: JobSpec, target: Path) -> None:
        """Copy the staged credentials to where the containers of this machine read them."""
        make_private(target)
        folder = join(job.staging, "credentials")
        scheme, _authority, path = split_uri(folder)
        for name in (credentials.CERTIFICATE_FILE, credentials.KEY_FILE):
            with open(os.open(target / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                if scheme in ("", "file"):
                    file.write(Path(path, name).read_bytes())
                    continue
                from xlearning.fs import FileSystems

                systems = FileSystems(default_uri=job.default_fs)
                with systems.of(folder).open_read(join(folder, name)) as source:
                    shutil.copyfileobj(source, file)

    def _bury(self, files: AppFolder, state: AppState, words: str) -> ApplicationReport:
        """Do what a dead supervisor cannot: end and delete what is left, and write the last report."""
        launch = read_launch(files)
        prefix = files.container_prefix
        markers = [f"{base.ENV_APP_ID}={files.app_id}", f"{base.ENV_CONTAINER_ID}={prefix}"]
        processes.end(lambda table: processes.marked(table, markers, files.works_in), launch.grace)
        read_report(files)  # damage is told before anything is ended
        report = read_json(files.report)
        said = read_json(files.am(report["attempt"]) / "finish.json")
        if said is not None and said["state"] == AppState.SUCCEEDED.value:
            state, words = AppState.SUCCEEDED, said["diagnostics"]
        elif said is not None and said["diagnostics"]:
            words = f"{words}; the ApplicationMaster's last word: {said['diagnostics']}"
        final = {"state": state.value, "diagnostics": words, "tracking_url": "", "finished": time.time()}
        write_json(files.report, {**report, **final})
        _remove_working_folders(files)
        return read_report(files)

    def _unusable(self, error: OSError) -> ClusterError:
        return ClusterError(
            f"cannot use {self._apps}: {error.strerror}: {error.filename}",
            hint="set xlearning.local.dir to a folder that you may write",
        )


def _remove_working_folders(files: AppFolder) -> None:
    for folder in files.working_folders():
        remove_tree(folder)
