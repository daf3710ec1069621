"""What the agent says: facts that every new stream carries again, and states that may get lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xlearning.proto import xlearning_pb2 as pb

_LONGEST_REASON = 4096
_SAVE = ("save_done", "save_failed")
Tell = Callable[[pb.AgentMessage], None]


class Voice:
    """Makes the agent's messages and remembers those that must not be missed.

    Parameters
    ----------
    tell, tell_newest : callable
        See `xlearning.container.session.Session`.

    Attributes
    ----------
    generation : int
        The one the ApplicationMaster gave; 0 before that.
    """

    def __init__(self, tell: Tell, tell_newest: Tell) -> None:
        self.generation = 0
        self._tell = tell
        self._tell_newest = tell_newest
        self._facts: list[pb.AgentMessage] = []

    def begin(self, generation: int) -> None:
        """Forget everything: the container has become somebody else."""
        self.generation = generation
        self._facts.clear()

    def say(self, **body: Any) -> None:
        """Say something that must be known, now and on every new stream."""
        if "board_started" in body:  # a newer word about the board replaces the older one
            self._facts = [fact for fact in self._facts if not fact.HasField("board_started")]
        if not body.keys().isdisjoint(_SAVE):  # saves come one after the other, only the last one counts
            self._facts = [fact for fact in self._facts if fact.WhichOneof("body") not in _SAVE]
        message = pb.AgentMessage(generation=self.generation, **body)
        self._facts.append(message)
        self._tell(message)

    def say_again(self, *kinds: str, save_id: str = "") -> None:
        """Repeat facts of some kinds (names of the protocol's fields): an order was repeated."""
        for fact in self._facts:
            body = fact.WhichOneof("body")
            if body in kinds and (not save_id or getattr(fact, str(body)).save_id == save_id):
                self._tell(fact)

    def mention(self, **body: Any) -> None:
        """Say a state of which only the newest matters; without a stream it is dropped."""
        self._tell_newest(pb.AgentMessage(generation=self.generation, **body))

    def farewell(self) -> None:
        """Say goodbye; nothing is remembered of it."""
        self._tell(pb.AgentMessage(generation=self.generation, goodbye=pb.Goodbye()))

    def facts(self) -> Sequence[pb.AgentMessage]:
        """Every fact, oldest first."""
        return list(self._facts)


def clean(text: object) -> str:
    """Text that the protocol can carry: names with bytes outside UTF-8 get ``?``, length is bounded."""
    return str(text).encode("utf-8", "replace").decode()[:_LONGEST_REASON]


def clean_all(texts: Iterable[str]) -> list[str]:
    """`clean` for each."""
    return [clean(text) for text in texts]


def words(error: BaseException) -> str:
    """An error as a reason, never empty.

    Errors that only name a key or a value, or nothing, are introduced by their kind.
    """
    named = isinstance(error, (KeyError, ValueError)) or not str(error)
    return clean(f"{type(error).__name__}: {error}" if named else error)
