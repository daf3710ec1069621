"""Several splits read at the same time and handed over one after the other."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence

_SPLITS = 256  # that are read ahead at most, for they may be empty


class Stopped(Exception):
    """Nobody wants the rest."""


class Lanes:
    """Reader threads that stay within a number of bytes ahead of whoever takes what they read.

    Parameters
    ----------
    read : callable
        The pieces of a split, by its number; called in a reader thread.
    threads : int
        Splits that are read at the same time.
    limit : int
        Bytes that wait at most, give or take a piece for each thread.
    """

    def __init__(self, read: Callable[[int], Iterator[bytes]], threads: int, limit: int) -> None:
        self._read, self._threads, self._limit = read, threads, limit
        self._changed = threading.Condition()
        self._lanes: deque[_Lane] = deque()
        self._held = 0
        self._stopped = False

    def splits(self, numbers: Sequence[int]) -> Iterator[tuple[int, Iterator[bytes]]]:
        """Number and pieces of each split, in their order; the pieces are to be taken before the next split.

        Raises
        ------
        Stopped
            By `stop`.
        Exception
            What ``read`` raised, once everything before it was taken.
        """
        left = deque(numbers)
        for number in range(min(self._threads, len(left))):
            threading.Thread(target=self._work, args=(left,), name=f"reader-{number}", daemon=True).start()
        for number in numbers:
            lane = self._head()
            yield number, self._taken(lane)
            with self._changed:
                self._lanes.popleft()
                self._changed.notify_all()

    def stop(self) -> None:
        """End the threads as soon as they no longer wait for a file system."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _head(self) -> _Lane:
        with self._changed:
            self._changed.wait_for(lambda: self._lanes or self._stopped)
            if self._stopped:
                raise Stopped
            return self._lanes[0]

    def _taken(self, lane: _Lane) -> Iterator[bytes]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: lane.pieces or lane.done or self._stopped)
                if self._stopped:
                    raise Stopped
                if not lane.pieces:
                    break
                piece = lane.pieces.popleft()
                self._held -= len(piece)
                self._changed.notify_all()
            yield piece
        if lane.error is not None:
            raise lane.error

    def _work(self, left: deque[int]) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: len(self._lanes) < _SPLITS or self._stopped)
                if self._stopped or not left:
                    return
                number, lane = left.popleft(), _Lane()
                self._lanes.append(lane)
                self._changed.notify_all()
            error = self._fill(number, lane)
            with self._changed:
                lane.done, lane.error = True, error
                self._changed.notify_all()

    def _fill(self, number: int, lane: _Lane) -> BaseException | None:
        pieces = self._read(number)
        try:
            for piece in pieces:
                with self._changed:
                    self._changed.wait_for(lambda p=piece: self._stopped or self._fits(lane, len(p)))  # type: ignore[misc]
                    if self._stopped:
                        return Stopped()
                    lane.pieces.append(piece)
                    self._held += len(piece)
                    self._changed.notify_all()
        except BaseException as error:  # noqa: BLE001 - raised again by whoever takes the pieces
            return error
        return None

    def _fits(self, lane: _Lane, size: int) -> bool:
        if lane is self._lanes[0]:  # it must move on, whatever the others hold
            return not lane.pieces or self._held + size <= self._limit
        return self._held + size <= self._limit // 2


class _Lane:
    def __init__(self) -> None:
        self.pieces: deque[bytes] = deque()
        self.done = False
        self.error: BaseException | None = None
