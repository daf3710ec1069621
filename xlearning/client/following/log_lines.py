"""Bytes of programs' logs -> lines with the name of their container. Pure."""

from __future__ import annotations

_LONG = 1 << 13  # bytes of a line that are waited for


class Lines:
    """Cuts what one program writes into one of its logs."""

    def __init__(self, name: str) -> None:
        self._prefix = f"{name} | "
        self._rest = b""

    def add(self, data: bytes) -> list[str]:
        """The lines that are whole now."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        lines = [self._shown(line) for line in whole]
        if len(self._rest) > _LONG:
            lines += self.end()
        return lines

    def end(self) -> list[str]:
        """What was begun."""
        rest, self._rest = self._rest, b""
        return [self._shown(rest)] if rest else []

    def left_out(self, count: str) -> list[str]:
        """A line about what is not shown."""
        return [*self.end(), f"{self._prefix}... {count} left out: xl-submit logs shows them"]

    def _shown(self, line: bytes) -> str:
        """A progress bar draws over itself by carriage returns: its last state is shown."""
        last = line.rstrip(b"\r").rpartition(b"\r")[2]
        return self._prefix + last.decode("utf-8", "backslashreplace")
