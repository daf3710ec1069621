"""What was measured, as records and as a table."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_LIMITS = {"": "", "beyond": " beyond", "times": " x or more"}


@dataclass(frozen=True)
class Figure:
    """One measured quantity over all runs.

    Attributes
    ----------
    goal : float or None
        Largest median that is wanted, in the unit of the figure; see ``limit``.
    base : float or None
        Median of what it is compared with.
    limit : str
        ``beyond`` where the goal is about the difference to ``base``, ``times`` where it is the least ratio
        to ``base``, empty where it is absolute.
    """

    name: str
    unit: str
    goal: float | None
    count: int
    minimum: float
    median: float
    maximum: float
    base: float | None = None
    limit: str = ""

    @property
    def ratio(self) -> float | None:
        """Median to the baseline's median."""
        return self.median / self.base if self.base else None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without one."""
        if self.goal is None:
            return None
        if self.limit == "times":
            return self.ratio is not None and self.ratio >= self.goal
        beyond = (self.base or 0.0) if self.limit else 0.0
        return self.median - beyond <= self.goal


def figure(
    name: str,
    unit: str,
    values: Sequence[float],
    *,
    goal: float | None = None,
    base: float | None = None,
    limit: str = "",
) -> Figure:
    """The figure of all runs."""
    return Figure(
        name, unit, goal, len(values), min(values), statistics.median(values), max(values), base, limit
    )


def table(figures: Sequence[Figure], base: str) -> str:
    """Markdown; ``base`` is the heading of the column of ratios."""
    rows: list[tuple[str, ...]] = [("quantity", "unit", "goal", "n", "min", "median", "max", base, "")]
    for f in figures:
        goal = "" if f.goal is None else f"{f.goal:.3g}{_LIMITS[f.limit]}"
        numbers = tuple(_number(value, f.unit) for value in (f.minimum, f.median, f.maximum))
        beyond = f", {f.median - f.base:+.2f}" if f.limit == "beyond" and f.base is not None else ""
        ratio = "" if f.ratio is None else f"{f.ratio:.2f}{beyond}"
        verdict = {None: "", True: "met", False: "**missed**"}[f.met]
        rows.append((f.name, f.unit, goal, str(f.count), *numbers, ratio, verdict))
    head = "| " + " | ".join(rows[0]) + " |"
    rule = "|" + "---|" * len(rows[0])
    return "\n".join([head, rule, *("| " + " | ".join(row) + " |" for row in rows[1:])])


def machine() -> dict[str, object]:
    """What was measured on."""
    load = os.getloadavg()[0]
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(load, 1),
    }


def _number(value: float, unit: str) -> str:
    return f"{value:.1f}" if unit == "MB" else f"{value:.2f}"
