"""Parent of one user process, which makes sure that nothing of it survives.

The agent runs this file as a script (``python -I -S guardian.py``) in a session of its own: standard
library only, so that it starts quickly and never fails for want of a package. Its standard input is
a pipe from the agent: first line the order to start, later lines orders to stop, and its end means
that the agent is gone. Its standard output is a pipe to the agent with one JSON object a line:
``started``, ``failed``, ``ended`` (by itself, with something left to do) or ``exited``.

As child subreaper it becomes the parent of every process below it that loses its own, so "no child is
left" means that nothing is left, whatever forked, changed its group or called ``setsid``.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import select
import signal
import time

if False:  # typing is slow to import, and annotations are never evaluated
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
NOT_EXECUTABLE, NOT_FOUND = 126, 127  # as a shell counts
PATIENCE = 150  # rounds of KILL (10 s) without a new process after which the rest counts as unkillable
AFTER_TIME = 60.0  # seconds for the command that is run after the program
NEVER = float("inf")


def prctl(option: int, value: int) -> None:
    """Set a process attribute of Linux; `OSError` where the kernel refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"prctl({option}, {value}): {os.strerror(code)}")


def process_table() -> dict[int, tuple[int, int, int, str]]:
    """Every process of this machine: pid -> (parent, process group, session, state letter)."""
    table = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib is slow to import
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stat:
                    fields = stat.read().rpartition(b")")[2].split()
            except OSError:  # it has just ended
                continue
            table[int(name)] = (int(fields[1]), int(fields[2]), int(fields[3]), fields[0].decode())
    return table


def descendants(roots: Iterable[int], table: dict[int, tuple[int, int, int, str]]) -> list[int]:
    """The roots that are in the table and everything below them."""
    children: dict[int, list[int]] = {}
    for pid, row in table.items():
        children.setdefault(row[0], []).append(pid)
    found = [pid for pid in roots if pid in table]
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


def own_children() -> list[int]:
    """Direct children of this process; dead ones that wait to be reaped too."""
    found: list[int] = []
    for thread in os.listdir("/proc/self/task"):  # noqa: PTH208 - pathlib is slow to import
        try:
            with open(f"/proc/self/task/{thread}/children", "rb") as listing:
                found.extend(map(int, listing.read().split()))
        except FileNotFoundError:
            if not os.path.exists(f"/proc/self/task/{thread}"):  # noqa: PTH110
                continue  # the thread has just ended
            me = os.getpid()  # a kernel without CONFIG_PROC_CHILDREN
            return [pid for pid, row in process_table().items() if row[0] == me]
    return found


class Sweep:
    """Ends processes and all below them: TERM, time to react, then KILL until none is left.

    A signal goes to whole process groups, which is atomic: a member cannot escape by forking. All
    members of a descendant's group are descendants, because a group never crosses sessions.

    Parameters
    ----------
    children : callable
        The direct children of this process that are to be swept, as of now.
    grace : float
        Seconds from TERM to KILL.
    """

    def __init__(self, children: Callable[[], list[int]], grace: float) -> None:
        self.children = children
        self.grace = grace
        self.seen: set[int] = set()
        self.term_at = NEVER
        self.kill_at = NEVER
        self.terminated = False
        self.rounds = 0
        self.quiet = 0  # rounds since the last one that met a new process

    def order(self, grace: float, delay: float = 0.0) -> None:
        """Begin after ``delay`` seconds; a later order can make the end come sooner, never later."""
        now = time.monotonic()
        self.term_at = min(self.term_at, now + delay)
        self.kill_at = min(self.kill_at, now + delay + max(grace, 0.0))

    def step(self) -> float:
        """Do what is due; seconds after which to call again."""
        now = time.monotonic()
        if now >= self.term_at and not self.terminated:
            self.terminated = True
            everything = descendants(self.children(), process_table())
            self._signal(everything, signal.SIGTERM)
            self._signal(everything, signal.SIGCONT)  # a stopped process cannot react to TERM
        if now >= self.kill_at:
            # Killed parents hand their children to us, so the direct ones are enough and quick to
            # find; a program that forks faster than we can look is caught by many quick looks. Only
            # where a parent withstands are those below it worth the long look.
            targets = self.children()
            if self.quiet % 16 == 15:
                targets = descendants(targets, process_table())
            known = len(self.seen)
            self._signal(targets, signal.SIGKILL)
            self.rounds += 1
            self.quiet = self.quiet + 1 if len(self.seen) == known else 0
            return min(0.1, 0.001 * self.quiet)
        return min(self.kill_at, NEVER if self.terminated else self.term_at) - now

    @property
    def stuck(self) -> bool:
        """Whether something withstands KILL (it hangs in the kernel, or runs as another user).

        Counted in rounds, because on a busy machine time passes without any.
        """
        return self.quiet >= PATIENCE

    def _signal(self, pids: Iterable[int], signum: int) -> None:
        own = os.getpgrp()
        done = {0, 1, own}
        for pid in pids:
            self.seen.add(pid)
            try:
                group = os.getpgid(pid)
                if group not in done:
                    done.add(group)
                    os.killpg(group, signum)
                elif group == own:
                    os.kill(pid, signum)
            except (ProcessLookupError, PermissionError):  # gone, or another user's: counted by `stuck`
                continue


class ExecFailed(Exception):
    """The program cannot be started; ``code`` is what a shell would say."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _show(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")[:500]


def _too_long(argv: list[bytes], env: dict[bytes, bytes]) -> str:
    """What the kernel's refusal of a command and its environment means."""
    words = sum(len(word) + 1 for word in argv)
    variables = sum(len(name) + len(value) + 2 for name, value in env.items())
    return (
        f"the kernel starts no program with a command of {words} bytes and variables of {variables}: in all "
        "a quarter of the stack (ulimit -s), and 128 KiB for each, are the limits; put long ones into a file"
    )


def _instead(name: bytes, path: bytes) -> str:
    """That the other of ``python`` and ``python3`` is there: many machines have only one of them."""
    other = {b"python": b"python3", b"python3": b"python"}.get(name)
    if other is None or not any(os.access(os.path.join(d, other), os.X_OK) for d in path.split(b":")):  # noqa: PTH118
        return ""
    return f"; {_show(other)} is there"


def execute(argv: list[bytes], env: dict[bytes, bytes]) -> NoReturn:
    """Become the program ``argv``, looked up along the PATH of ``env``; `ExecFailed` if it cannot be."""
    name = argv[0]
    path = env.get(b"PATH", b"/bin:/usr/bin")
    candidates = [name] if b"/" in name else [os.path.join(d, name) for d in path.split(b":")]  # noqa: PTH118
    denied = ""
    for candidate in candidates:
        try:
            try:
                os.execve(candidate, argv, env)
            except OSError as error:
                if error.errno != errno.ENOEXEC:
                    raise
                # A script without "#!" goes to the shell, as execvp and Java do.
                os.execve(b"/bin/sh", [b"/bin/sh", candidate, *argv[1:]], env)
        except (FileNotFoundError, NotADirectoryError):
            if os.path.exists(candidate):  # noqa: PTH110
                denied = denied or f"{_show(candidate)}: the interpreter that its first line names is missing"
        except PermissionError:
            kind = "is a folder" if os.path.isdir(candidate) else "is not executable"  # noqa: PTH112
            denied = denied or f"{_show(candidate)} {kind}"
        except OSError as error:
            words = _too_long(argv, env) if error.errno == errno.E2BIG else error.strerror
            raise ExecFailed(NOT_EXECUTABLE, f"{_show(candidate)}: {words}") from error
    if denied:
        raise ExecFailed(NOT_EXECUTABLE, denied)
    where = "" if b"/" in name else f" (PATH={_show(path)}{_instead(name, path)})"
    raise ExecFailed(NOT_FOUND, f"command not found: {_show(name)}{where}")


class Guardian:
    """One user process and everything that comes out of it."""

    def __init__(self) -> None:
        self.buffer = b""
        self.listening = True
        self.pid = 0
        self.status: int | None = None
        self.after: dict[str, Any] | None = None
        self.sweep = Sweep(own_children, 2.0)
        self.wake, wake_write = os.pipe()
        for fd in (self.wake, wake_write):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(signum, lambda *_: self.sweep.order(self.sweep.grace))

    def run(self) -> None:
        """Start what the first line asks for, and stay until nothing of it is left."""
        while b"\n" not in self.buffer:
            self._wait(NEVER)
            if not self.listening:
                return
        line, _, self.buffer = self.buffer.partition(b"\n")
        spec = json.loads(line)
        self.sweep.grace = spec["grace"]
        self.after = spec.get("after")
        try:
            self._start(spec)
        except ExecFailed as error:
            report({"failed": error.words, "code": error.code})
            return
        report({"started": self.pid})
        reported = False
        while self._reap():
            if self.status is not None and self.sweep.term_at == NEVER:
                self.sweep.order(self.sweep.grace, spec["drain"])
                report({"ended": self._code()})
            if self.sweep.stuck and not reported:
                reported = True
                self._report_exit(left=len(own_children()))
            self._obey()
            self._wait(self.sweep.step())
        if not reported:
            self._report_exit(left=0)

    def _start(self, spec: dict[str, Any]) -> None:
        error_read, error_write = os.pipe()
        signals = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
        me = os.getpid()
        try:
            self.pid = os.fork()
        except OSError as error:
            raise ExecFailed(NOT_EXECUTABLE, f"cannot start a process: {error.strerror}") from error
        if self.pid == 0:
            try:
                become_program(spec, me)
            except ExecFailed as error:
                os.write(error_write, json.dumps([error.code, error.words]).encode())
            except BaseException as error:  # noqa: BLE001 - the copy of the guardian must never return
                os.write(error_write, json.dumps([NOT_EXECUTABLE, f"{error}"[:2000]]).encode())
            finally:
                os._exit(NOT_FOUND)
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        os.close(error_write)
        for pipe in (spec["stdin"], spec["stdout"]):
            if isinstance(pipe, int):
                os.close(pipe)  # or who is at its other end would never learn that the program has left
        with open(error_read, "rb") as stream:
            failure = stream.read()  # empty as soon as exec has closed the other end
        if failure:
            os.waitpid(self.pid, 0)
            raise ExecFailed(*json.loads(failure))

    def _reap(self) -> bool:
        """Collect what has ended, for a moment at most; whether anything is left."""
        until = time.monotonic() + 0.05
        while time.monotonic() < until:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.pid:
                self.status = status
                # Nobody else's status matters. Let the kernel reap: a program that forks and exits
                # without end would keep us busy with its dead instead of its living.
                signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        return True

    def _wait(self, timeout: float) -> None:
        poll = select.poll()
        poll.register(self.wake, select.POLLIN)
        if self.listening:
            poll.register(0, select.POLLIN)
        if self.status is not None:  # no signal tells any more when the last one ends
            timeout = min(timeout, 0.02)
        limit = None if timeout == NEVER else max(0.0, timeout) * 1000
        for fd, _ in poll.poll(limit):
            data = os.read(fd, 65536)
            if fd == 0:
                self.buffer += data
                self.listening = bool(data)

    def _obey(self) -> None:
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            self.sweep.order(json.loads(line)["stop"])
        if not self.listening:
            self.sweep.order(self.sweep.grace)

    def _report_exit(self, left: int) -> None:
        if self.after:
            if self.sweep.term_at == NEVER:
                report({"ended": self._code()})
            run_after(self.after)
        swept = len(self.sweep.seen - {self.pid})
        report({"exited": self._code(), "swept": swept, "left": left})

    def _code(self) -> int:
        """The program's exit code, as a shell counts."""
        code = -signal.SIGKILL if self.status is None else os.waitstatus_to_exitcode(self.status)
        return 128 - code if code < 0 else code


def open_log(name: str) -> int:
    """Open a log for appending; nothing takes what is written once its folder has gone.

    YARN removes the folders of an application that it has killed while guardians still end programs.
    """
    try:
        return os.open(_bytes(name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o640)
    except OSError:
        return os.open("/dev/null", os.O_WRONLY)


def run_after(spec: dict[str, Any]) -> None:
    """Run the command that ends what is no process below us, such as a Docker container; for a while."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    me = os.getpid()
    pid = os.fork()
    if pid == 0:
        log = open_log(spec["log"])
        try:
            become_program({"stdin": None, "stdout": log, "stderr": log, **spec}, me)
        except ExecFailed as error:
            os.write(2, _bytes(error.words) + b"\n")
        finally:
            os._exit(NOT_FOUND)
    until = time.monotonic() + AFTER_TIME
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def become_program(spec: dict[str, Any], parent: int) -> NoReturn:
    """In the forked child: take on session, folder, files and signals of the program, then be it."""
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the line above took effect
        os._exit(NOT_FOUND)
    files: list[int] = []
    for given in (spec["stdin"], spec["stdout"], spec["stderr"]):
        if isinstance(given, int):
            os.set_inheritable(given, False)  # the program gets its copy as number 0 or 1 only
            files.append(given)
            continue
        name = _bytes(given or "/dev/null")
        mode = os.O_RDONLY if not files else os.O_WRONLY | os.O_CREAT | os.O_APPEND
        try:
            files.append(os.open(name, mode, 0o640))
        except OSError as error:
            raise ExecFailed(NOT_EXECUTABLE, f"cannot open {_show(name)}: {error.strerror}") from error
    try:
        os.chdir(_bytes(spec["cwd"]))
    except OSError as error:
        words = f"cannot use the working folder {spec['cwd']}: {error.strerror}"
        raise ExecFailed(NOT_EXECUTABLE, words) from error
    for target, fd in enumerate(files):
        os.dup2(fd, target)
    for signum in range(1, signal.NSIG):  # Python ignores SIGPIPE, nohup SIGHUP; programs expect neither
        try:
            signal.signal(signum, signal.SIG_DFL)
        except (OSError, ValueError):  # KILL, STOP and those that the C library keeps for itself
            continue
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    env = {_bytes(key): _bytes(value) for key, value in spec["env"].items()}
    execute([_bytes(argument) for argument in spec["command"]], env)


def report(message: dict[str, Any]) -> None:
    """Tell the agent, if there still is one."""
    try:
        os.write(1, json.dumps(message).encode() + b"\n")
    except BrokenPipeError:  # nobody is left who wants to know
        return


if __name__ == "__main__":
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    Guardian().run()
    os._exit(0)  # the agent waits for our end, and Python's own tidying up takes its time
