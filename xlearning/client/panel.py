"""Several lines at the bottom of a terminal that are redrawn in place. Loads rich."""

from __future__ import annotations

from rich.console import Console
from rich.live import Live
from rich.text import Text

_STYLES = {"RUNNING": "bold green", "SUBMITTED": "bold cyan"}


class Panel:
    """Shows text until it is closed, and leaves nothing behind. It draws only when it is told to.

    Longer lines end with an ellipsis, and so does the panel where the terminal is too low.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None

    def show(self, text: str, trouble: str = "") -> None:
        """Replace what is shown. ``trouble`` comes last, in red."""
        drawn = self._drawn(text, trouble)
        if self._live is None:
            self._live = Live(drawn, console=self._console, auto_refresh=False, transient=True)
            self._live.start()
            self._console.show_cursor(True)  # who stops this process wants to see where they type
        self._live.update(drawn, refresh=True)

    def close(self) -> None:
        """Take it away."""
        live, self._live = self._live, None
        if live is not None:
            live.stop()

    def _drawn(self, text: str, trouble: str) -> Text:
        drawn = Text(text, no_wrap=True, overflow="ellipsis")
        first = text.partition("\n")[0]
        for word, style in _STYLES.items():
            at = first.find(word)
            if at >= 0:
                drawn.stylize(style, at, at + len(word))
        if trouble:
            drawn.append(f"\n{trouble}", "red")
        return drawn
