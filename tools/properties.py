"""Write ``docs/properties.md`` from the table of all properties; ``--check`` only compares."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from xlearning.config import FAMILIES, KEYS, Key, Kind

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "properties.md"

_INTRO = """\
# Properties

This file is made by `python tools/properties.py` from `xlearning/config/keys.py`. Do not edit it by hand.

A property may stand in `xlearning-site.xml`, in a file given by `--conf-file`, in `--conf NAME=VALUE`, or be
set by an option. Later ones of this list win:

1. the default of the table below;
2. `xlearning-default.xml`, which is part of the package (empty);
3. `xlearning-site.xml` in the folder `$XLEARNING_CONF_DIR`, else in `/etc/xlearning/conf`;
4. `--conf-file FILE`, later files above earlier ones;
5. `--conf NAME=VALUE`, later ones above earlier ones;
6. the option of the property.

A `<final>true</final>` in a file of (2) to (4) holds against later files, not against `--conf` and options.
`${other.property}`, `${env.NAME}`, `${env.NAME-text}` and `${env.NAME:-text}` in values are replaced.
`xl-submit --local --verbose ...` and `--dry-run` show every property that is not a default, with its source.

An unknown `xlearning.*` or `hbox.*` name is a warning with the most similar known name. A value that cannot
be read is an error; all such errors are reported together.
"""

_TYPES = {
    Kind.STRING: "text",
    Kind.INT: "whole number",
    Kind.FLOAT: "number",
    Kind.BOOL: "`true` or `false`; `yes`, `no`, `1`, `0` count too",
    Kind.MEMORY: "megabytes (`1024`), or with a unit (`512m`, `2g`, `1.5g`)",
    Kind.DURATION_MS: "milliseconds, or with a unit (`250ms`, `10s`, `5m`, `1h`, `1d`)",
    Kind.DURATION_S: "seconds, or with a unit (`250ms`, `10s`, `5m`, `1h`, `1d`)",
    Kind.SIZE: "bytes, or with a unit (`64k`, `10M`, `1.5G`)",
    Kind.ENUM: "one of the named values, in any case",
    Kind.PATH: "path or URI; `~` is the home folder",
    Kind.LIST: "names separated by commas",
}


def render() -> str:
    """The whole file."""
    used = [kind for kind in Kind if any(key.kind is kind for key in KEYS)]
    lines = [_INTRO, "## Types", "", *_table(("Type", "Written as"), ((k.value, _TYPES[k]) for k in used))]
    lines += ["", "## All properties", ""]
    head = ("Name", "Type", "Default", "Meaning", "Option", "Name in Hbox")
    lines += _table(head, map(_row, KEYS))
    lines += ["", "## Families", "", "The rest of such a name is the name of a variable, as written.", ""]
    families = ((f"`{f.prefix}NAME`", f.doc, f"`{f.aliases[0]}NAME`") for f in FAMILIES)
    lines += _table(("Name", "Meaning", "Name in Hbox"), families)
    return "\n".join(lines) + "\n"


def _row(key: Key) -> tuple[str, ...]:
    kind = " or ".join(key.values) if key.kind is Kind.ENUM else key.kind.value
    default = "not set" if key.default is None else f"`{key.default}`"
    option = f"`{key.option}`" if key.option else ""
    return f"`{key.name}`", kind, default, key.doc, option, " ".join(f"`{alias}`" for alias in key.aliases)


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]] | map[tuple[str, ...]]) -> Iterator[str]:
    for row in (head, ("---",) * len(head), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def main() -> int:
    """Write the file, or say whether it is up to date; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail when the file is out of date"
    )
    options = parser.parse_args()
    text = render()
    if not options.check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TARGET.relative_to(ROOT)} is out of date; run: python tools/properties.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
