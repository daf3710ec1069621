"""Making output visible: temporary place, intent, idempotent renames, ``_SUCCESS`` last.

A container uploads to ``<output>/_temporary/<application>_<attempt>/<container>/``. The commit
first writes an *intent* (which folder goes where) into staging and then carries it out; every
step may be repeated, so whoever finds an intent can finish it: a later attempt, the client, or a
later submit. An attempt may write its intent only while its ``commit-<attempt>`` folder has that
name: a newer attempt renames it, which the file system does atomically, so of two attempts
exactly one commits.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from xlearning import jsonfile
from xlearning.errors import StorageError, XLearningError
from xlearning.fs import replacing
from xlearning.fs.base import FileStatus, FileSystem, Undeletable, exists, join, parent
from xlearning.fs.intent import SUCCESS, TEMPORARY, Intent, Move, check
from xlearning.fs.registry import FileSystems
from xlearning.fs.retry import keep_trying
from xlearning.fs.steps import OutputLost, mark_whole, rename_once, set_aside, write
from xlearning.job import OutputSpec, to_dict

_INTENT = "intent.json"
_ASIDE = "replaced"  # what an output held before, till the end of the commit
_INTENT_LIMIT = 256 * 2**20  # bytes; one move for each file or folder of an output
T = TypeVar("T")


class Fenced(XLearningError):
    """A newer attempt of the same application has taken over."""


class OutputTaken(XLearningError):
    """Somebody else writes to an output, or has filled it since the job was planned."""


class Committer:
    """Commits, completes and cleans the outputs of one application.

    Parameters
    ----------
    storage : FileSystems
    app_id : str
    staging : str
        The application's staging folder (URI).
    outputs : sequence of OutputSpec
    retry_time : float
        Seconds for which every step is repeated while the file system is unavailable.
    existing : str
        What becomes of what the outputs hold already: ``ERROR`` (the outputs must be empty),
        ``OVERWRITE`` or ``MERGE``; see `xlearning.fs.replacing`.
    """

    def __init__(
        self,
        storage: FileSystems,
        app_id: str,
        staging: str,
        outputs: Sequence[OutputSpec],
        *,
        retry_time: float,
        existing: str = replacing.ERROR,
    ) -> None:
        self._storage, self._app_id, self._staging = storage, app_id, staging
        self._remotes = tuple(dict.fromkeys(output.remote for output in outputs))
        self._outputs, self._retry_time, self._existing = tuple(outputs), retry_time, existing
        self._complete = False
        self._attempt = 0  # that of `take_over`

    # ---- attempts -------------------------------------------------------------------------------

    def take_over(self, attempt: int) -> Intent | None:
        """Make ``attempt`` the only one that can commit.

        Returns
        -------
        Intent or None
            That of the earlier attempt whose commit was found begun and has now been completed.

        Raises
        ------
        Fenced
            A newer attempt exists already.
        """
        staging, self._attempt = self._fs(self._staging), attempt
        self._try(lambda: staging.mkdirs(self._folder("commit", attempt)))
        if any(number > attempt for _, number in self._attempts()):
            raise Fenced(f"attempt {attempt} of {self._app_id} is over: a newer attempt has started")
        for kind, number in self._attempts():
            if kind == "commit" and number < attempt:
                self._fence(number)
        for number in range(1, attempt):
            intent = self._read_intent(self._folder("fenced", number))
            if intent is not None:
                self._carry_out(intent)
                return intent
        for remote in self._remotes:
            self._clean(remote, keep=attempt)
        return None

    def claim(self, attempt: int) -> None:
        """Keep the outputs for this application alone, by the folder that its uploads will need anyway.

        Whatever would make the upload fail, or mix two applications in one output, is so found before
        the work and not after it. Of two applications that claim at once, none gets the output.

        Raises
        ------
        OutputTaken
        StorageError
            A folder cannot be made.
        OSError
            A folder cannot be listed.
        """
        found = []
        for remote in self._remotes:
            root = join(remote, TEMPORARY)
            own = join(root, f"{self._app_id}_{attempt:06d}")
            self._make(own, remote)
            found += [c.path for c in self._children(root) if not c.name.startswith(f"{self._app_id}_")]
            if attempt == 1 and self._existing == replacing.ERROR:
                # a later one may meet what was saved on the way
                found += [c.path for c in self._children(remote) if c.name != TEMPORARY]
        if found:
            more = f" and {len(found) - 3} more" if len(found) > 3 else ""
            raise OutputTaken(
                f"somebody else has begun to write to it: {', '.join(found[:3])}{more}",
                hint="choose another output, or run the job again when the other one has ended",
            )
        if self._existing != replacing.ERROR:
            names = {r: [c.name for c in self._children(r) if c.name != TEMPORARY] for r in self._remotes}
            self._try(lambda: replacing.note(self._storage, self._staging, names))

    def _fence(self, number: int) -> None:
        source, target = self._folder("commit", number), self._folder("fenced", number)
        try:
            self._try(lambda: self._fs(self._staging).rename(source, target))
        except FileNotFoundError:
            if not exists(self._fs(self._staging), target):
                raise

    def _attempts(self) -> list[tuple[str, int]]:
        found = []
        for status in self._try(lambda: self._fs(self._staging).list(self._staging)):
            kind, _, number = status.name.partition("-")
            if kind in ("commit", "fenced") and number.isdigit():
                found.append((kind, int(number)))
        return found

    # ---- commit ---------------------------------------------------------------------------------

    def commit(
        self,
        attempt: int,
        containers: Sequence[str],
        *,
        flat: bool,
        stored: Sequence[str] = (),
        failure: str = "",
    ) -> None:
        """Make the output of ``containers`` visible.

        Parameters
        ----------
        attempt : int
        containers : sequence of str
            Ids of the containers whose uploads are complete; others are left out.
        flat : bool
            True: ``<output>/<local>`` (one worker or a chosen index), else ``<output>/<container>``.
        stored : sequence of str
            Folders that these uploads put files into.
        failure : str
            Why the job failed, if it did: the output gets no ``_SUCCESS`` then.

        Raises
        ------
        Fenced
            A newer attempt has taken over; nothing was made visible.
        OutputLost
            Somebody has deleted what was uploaded; nothing was made visible.
        StorageError
            The file system failed for longer than the retry time. If an intent had been written,
            `settle` can complete the commit later.
        """
        self._check_stored(stored)
        moves: list[Move] = []
        aside: list[Move] = []
        old = self._try(lambda: replacing.noted(self._storage, self._staging)).names
        for remote in self._remotes:
            new = list(self._moves(remote, attempt, containers, flat))
            away, new = self._replaced(remote, attempt, new, old.get(remote, ()))
            aside, moves = aside + away, moves + new
        intent = Intent(self._app_id, attempt, tuple(moves), self._remotes, tuple(aside), failure)
        for folder in dict.fromkeys(parent(move.target) for move in aside):
            self._try(lambda folder=folder: self._fs(folder).mkdirs(folder))  # type: ignore[misc]
        self._write_intent(intent, self._folder("commit", attempt))
        self._carry_out(intent)

    def _check_stored(self, folders: Sequence[str]) -> None:
        there = {above: {c.name for c in self._children(above)} for above in {parent(one) for one in folders}}
        lost = sorted(one for one in folders if one.rpartition("/")[2] not in there[parent(one)])
        if lost:
            more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
            raise OutputLost(f"somebody has deleted what was uploaded: {', '.join(lost[:3])}{more}")

    def _moves(self, remote: str, attempt: int, containers: Sequence[str], flat: bool) -> Iterator[Move]:
        root = join(remote, TEMPORARY, f"{self._app_id}_{attempt:06d}")
        for folder in self._children(root):
            if folder.name not in containers:
                continue
            if not flat:
                yield Move(folder.path, join(remote, folder.name))
                continue
            for entry in self._children(folder.path):
                yield Move(entry.path, join(remote, entry.name))

    def _replaced(
        self, remote: str, attempt: int, moves: list[Move], old: Sequence[str]
    ) -> tuple[list[Move], list[Move]]:
        """What has to go from an output that was not empty, and the moves that are then possible.

        ``_SUCCESS`` goes first: what is half replaced is not whole.
        """
        bin_ = join(remote, TEMPORARY, f"{self._app_id}_{attempt:06d}", _ASIDE)
        marks = [Move(join(remote, name), join(bin_, name)) for name in old if name == SUCCESS]
        if self._existing != replacing.MERGE:
            rest = [Move(join(remote, name), join(bin_, name)) for name in old if name != SUCCESS]
            return marks + rest, moves
        found = [move for one in moves for move in self._joined(one, bin_, old)]
        return marks + [Move(target, away) for _, target, away in found if away], [
            Move(source, target) for source, target, _ in found
        ]

    def _joined(self, move: Move, bin_: str, old: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        name = move.target.rpartition("/")[2]
        if name not in old:
            yield move.source, move.target, ""
            return
        fs = self._fs(move.source)
        kinds = [self._try(lambda path=path: fs.stat(path).is_dir) for path in (move.source, move.target)]  # type: ignore[misc]
        if all(kinds):
            yield from replacing.merged(move.source, move.target, join(bin_, name), self._children)
        else:
            yield move.source, move.target, join(bin_, name)

    def _write_intent(self, intent: Intent, folder: str) -> None:
        fs, final = self._fs(self._staging), join(folder, _INTENT)
        draft = join(self._staging, f"intent-{intent.attempt}.tmp")
        text = json.dumps(to_dict(intent)).encode("ascii")

        def publish() -> None:
            write(fs, draft, text)
            try:
                fs.rename(draft, final)
            except FileExistsError:
                fs.delete(draft)

        try:
            self._try(publish)
        except FileNotFoundError:
            raise Fenced(
                f"attempt {intent.attempt} of {intent.app_id} was replaced before its commit"
            ) from None

    def _carry_out(self, intent: Intent) -> None:
        staging, done = self._fs(self._staging), self._folder("done", intent.attempt)
        if self._try(lambda: exists(staging, done)):
            # by now the output may have been moved away, and others may write to its place
            self._complete = True
            return
        self._set_aside(intent)
        for move in intent.moves:
            fs = self._fs(move.source)
            self._try(lambda fs=fs, move=move: rename_once(fs, move.source, move.target))  # type: ignore[misc]
        for remote in intent.outputs:
            self._try(lambda remote=remote: self._fs(remote).mkdirs(remote))  # type: ignore[misc]
            self._clean(remote)
        for remote in () if intent.failure else intent.outputs:
            self._try(lambda remote=remote: mark_whole(self._fs(remote), remote, intent.app_id))  # type: ignore[misc]
        self._try(lambda: staging.mkdirs(done))
        self._complete = True

    def _set_aside(self, intent: Intent) -> None:
        """Take away what was there before, once: later the same names are those of what is new."""
        staging, done = self._fs(self._staging), self._folder("aside", intent.attempt)
        if not intent.aside or self._try(lambda: exists(staging, done)):
            return
        for move in intent.aside:
            self._try(lambda move=move: set_aside(self._fs(move.source), move))  # type: ignore[misc]
        self._try(lambda: staging.mkdirs(done))

    # ---- the end --------------------------------------------------------------------------------

    def begun(self) -> bool:
        """Whether an intent was written whose commit is not complete, and can only be completed."""
        return not self._complete and any(
            self._read_intent(self._folder(kind, n)) is not None for kind, n in self._attempts()
        )

    def settle(self) -> bool:
        """Bring the outputs of an application that has ended into order.

        A commit that was begun is completed; otherwise everything temporary is removed.

        Returns
        -------
        bool
            Whether a commit was completed that makes the job a success.
        """
        if exists(self._fs(self._staging), self._staging):
            # its process may live on for a while, and must not begin to commit what is deleted here
            for kind, number in self._attempts():
                if kind == "commit":
                    self._fence(number)
            for _, number in self._attempts():
                intent = self._read_intent(self._folder("fenced", number))
                if intent is not None:
                    self._carry_out(intent)
                    return not intent.failure
        self.discard()
        return False

    def replaced(self, *, gone: bool = True) -> bool:
        """Whether a newer attempt has begun since `take_over`, or somebody has settled the application.

        Parameters
        ----------
        gone : bool
            The answer where the staging folder is gone, be it that the application was settled.
        """
        if not self._attempt:
            return False
        try:
            return any(number > self._attempt for _, number in self._attempts())
        except FileNotFoundError:
            return gone

    def discard(self) -> None:
        """Remove what this application uploaded and did not commit, and outputs that it leaves empty."""
        for remote in self._remotes:
            self._clean(remote)
            if self._is_empty(remote):
                with contextlib.suppress(Undeletable):
                    self._try(lambda remote=remote: self._fs(remote).delete(remote))  # type: ignore[misc]

    def _clean(self, remote: str, keep: int = 0) -> None:
        """Remove this application's temporary folders below an output, except those of one attempt."""
        root = join(remote, TEMPORARY)
        for folder in self._children(root):
            app, _, number = folder.name.rpartition("_")
            if app == self._app_id and number != f"{keep:06d}":
                self._try(lambda p=folder.path: self._fs(p).delete(p, recursive=True))  # type: ignore[misc]
        if self._is_empty(root):
            self._try(lambda: self._fs(root).delete(root))

    def _is_empty(self, folder: str) -> bool:
        fs = self._fs(folder)
        return self._try(lambda: exists(fs, folder)) and not self._children(folder)

    # ---- small steps ----------------------------------------------------------------------------

    def _read_intent(self, folder: str) -> Intent | None:
        path = join(folder, _INTENT)
        try:
            text = self._try(lambda: jsonfile.content(self._fs(path), path, _INTENT_LIMIT))
        except FileNotFoundError:
            return None
        try:
            intent = jsonfile.record(Intent, text)
        except ValueError as error:
            raise StorageError(f"{path} is damaged: {error}") from error
        check(intent, path, self._app_id, self._remotes)
        return intent

    def _children(self, folder: str) -> list[FileStatus]:
        try:
            return self._try(lambda: self._fs(folder).list(folder))
        except FileNotFoundError:
            return []

    def _folder(self, kind: str, attempt: int) -> str:
        return join(self._staging, f"{kind}-{attempt}")

    def _fs(self, uri: str) -> FileSystem:
        return self._storage.of(uri)

    def _make(self, folder: str, remote: str) -> None:
        """A folder in the output ``remote``."""
        try:
            self._try(lambda: self._fs(folder).mkdirs(folder))
        except XLearningError:
            raise
        except OSError as error:
            why = error.strerror or str(error)
            raise StorageError(
                f"{remote} cannot be made, or not be written to: {why[:1].lower()}{why[1:]}",
                hint="choose another folder, or ask its owner for the right to write",
            ) from error

    def _try(self, step: Callable[[], T]) -> T:
        """One step, repeated while the file system is unavailable."""
        return keep_trying(step, retry_time=self._retry_time)
