"""What verbs tell programs, held against the documented schemas."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import jsonschema

from xlearning.job import to_dict

SCHEMAS = Path(__file__).resolve().parents[1] / "docs" / "schemas"


def conforming(verb: str, answer: Any) -> Any:
    """The answer, or the JSON of a record, if it is as ``docs/schemas`` says, with not a field more."""
    data = json.loads(json.dumps(to_dict(answer)))
    _validator(verb).validate(data)
    return data


@functools.cache
def _validator(verb: str) -> Any:
    schema = json.loads((SCHEMAS / f"{verb}.json").read_text(encoding="utf-8"))
    for part in (schema, *schema["$defs"].values()):
        if part.get("type") == "object" and "properties" in part:
            part["additionalProperties"] = False
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)
