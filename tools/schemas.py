"""Write ``docs/schemas/`` from the records that the verbs answer with; ``--check`` only compares."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
import textwrap
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from xlearning.client.doctor.model import DoctorAnswer
from xlearning.client.following.outcome_json import SubmitAnswer
from xlearning.client.verbs import records
from xlearning.client.verbs.property_answers import ConfigAnswer

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "schemas"
ANSWERS: Mapping[str, type] = {
    "config": ConfigAnswer,
    "describe": records.JobDescription,
    "doctor": DoctorAnswer,
    "history": records.JobHistory,
    "kill": records.KillAnswer,
    "list": records.JobList,
    "open": records.OpenAnswer,
    "save": records.SaveAnswer,
    "status": records.JobStatus,
    "submit": SubmitAnswer,
}
_COMMANDS = {"submit": "xl-submit --format json"}
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_FIELDS = re.compile(r"^(\w[\w, ]*) : .+\n((?:    .+\n?)+)", re.MULTILINE)


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a verb's answer."""
    kind = ANSWERS[name]
    (reference,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    kinds = _records(kind, {})
    for title, part in parts.items():
        if title in kinds:
            _complete(part, kinds[title])
    own = parts.pop(reference["$ref"].rpartition("/")[2])
    return {
        "$schema": _DIALECT,
        **own,
        "title": _COMMANDS.get(name, f"xl-submit {name} --output json"),
        "$defs": parts,
    }


def _complete(part: dict[str, Any], kind: type) -> None:
    """What a record's type does not say: every field is always there; what its docstring tells."""
    part["required"] = list(part["properties"])
    summary, documented = _documented(kind)
    part["description"] = summary
    for name, about in part["properties"].items():
        about.pop("default", None)
        if name in documented:
            about["description"] = documented[name]


def _documented(kind: type) -> tuple[str, Mapping[str, str]]:
    """The first paragraph of a docstring, and what it says of its attributes, base classes' included."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        text = textwrap.dedent("    " + (base.__doc__ or "")).partition("----------\n")[2]
        for names, body in _FIELDS.findall(text):
            found |= dict.fromkeys(re.split(r", *", names), " ".join(body.split()))
    return " ".join((kind.__doc__ or "").partition("\n\n")[0].split()), found


def _records(kind: Any, found: dict[str, type]) -> dict[str, type]:
    """Name -> type of every record that is part of one."""
    for inner in getattr(kind, "__args__", ()):
        _records(inner, found)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__name__ not in found:
        found[kind.__name__] = kind
        for inner in typing.get_type_hints(kind).values():
            _records(inner, found)
    return found


def render(name: str) -> str:
    """The text of a verb's schema file."""
    return json.dumps(schema(name), indent=2).replace("``", "`") + "\n"


def main() -> int:
    """Write the files, or say whether they are up to date; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is out of date")
    options = parser.parse_args()
    stale = []
    for name in ANSWERS:
        path, text = TARGET / f"{name}.json", render(name)
        if not options.check:
            TARGET.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        print(f"schemas of {', '.join(stale)} are out of date; run: python tools/schemas.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
