"""Tell which sentences that `xl-submit` says to people have no translation, and which share has one."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

from xlearning.client.language.catalogue import catalogue
from xlearning.client.language.speaker import Speaker

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    *(f"xlearning/{room}" for room in ("client", "cluster", "config", "formats", "frameworks", "fs")),
    *("am", "container"),
)
# What takes sentences for people: errors, problems, consoles, notes, and why a container or a job has failed.
_SAYS = re.compile(
    r"Problem|\w*Error|\w*Unavailable|ApplicationNotFound|WaitTimeout|info|warn|error|ask|say|_problem|append"
    r"|\w+(?:Failed|Fault|Taken|Lost)|Fenced|Unreadable|Unwritable|damaged|_?refuse|fail|lose|spoil|end"
)
_LISTS = re.compile(r".*(notes|problems|told|found|failures)")
_GAP = "…"


def sentences(room: str) -> Iterator[tuple[Path, int, str]]:
    """File, line and sentence, with ``…`` for what differs, of a folder of the code."""
    for path in sorted((ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _speaks(node.func):
                for value in (*node.args[:3], *(one.value for one in node.keywords if one.arg == "hint")):
                    yield from ((path, node.lineno, text) for text in _texts(value) if " " in text)


def translated(text: str, speaker: Speaker) -> bool:
    """Whether a sentence has a translation, with something plain in its gaps."""
    return any(
        speaker.sentence(made) != made for made in (text.replace(_GAP, "x"), text.replace(_GAP, "--x"))
    )


def _speaks(called: ast.expr) -> bool:
    if isinstance(called, ast.Attribute):
        owner = called.value
        name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
        if name == "log":  # read by whoever looks into a log, in English
            return False
        fits = called.attr != "append" or bool(_LISTS.fullmatch(name))
        return fits and bool(_SAYS.fullmatch(called.attr))
    return isinstance(called, ast.Name) and called.id != "append" and bool(_SAYS.fullmatch(called.id))


def _texts(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.JoinedStr):
        parts = [str(one.value) if isinstance(one, ast.Constant) else _GAP for one in value.values]
        yield re.sub(f"{_GAP}+", _GAP, "".join(parts))
    elif isinstance(value, ast.IfExp):
        yield from (*_texts(value.body), *_texts(value.orelse))
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        yield from (f"{one}{two}" for one in _texts(value.left) for two in _texts(value.right))


def main() -> None:
    """Print what is missing and the share of each room."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--language", default="zh")
    speaker = Speaker(catalogue(arguments.parse_args().language), "utf-8")
    for room in ROOMS:
        found = dict.fromkeys(sentences(room))
        missing = [one for one in found if not translated(one[2], speaker)]
        for path, line, text in missing:
            print(f"{path.relative_to(ROOT)}:{line}: {text}")
        print(f"== {room}: {len(found) - len(missing)} of {len(found)} sentences are translated")


if __name__ == "__main__":
    main()
