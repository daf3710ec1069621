"""Write what follows from the table of all properties; ``--check`` only compares.

That is ``docs/properties.md``, ``conf/xlearning-default.xml`` and ``conf/xlearning-site.xml.template``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import properties_template
from properties_text import FAMILY, INTRO, KINDS

from xlearning.client.options import OPTIONS
from xlearning.config.keys import FAMILIES, GROUPS, KEYS, PREFIX, Family, Key, Kind
from xlearning.config.schema import HBOX_PREFIX, Effect

ROOT = Path(__file__).resolve().parents[1]
_OPTIONS = {option.key: option.flag for option in OPTIONS if option.key}
_HEAD = ("Name", "Type", "Default", "Meaning", "Option")


def render() -> str:
    """The text of ``docs/properties.md``."""
    used = [kind for kind in Kind if any(key.kind is kind for key in KEYS)]
    lines = [INTRO, "## Types", "", *_table(("Type", "Written as"), ((k.value, KINDS[k]) for k in used))]
    for group in GROUPS:
        lines += ["", f"## {group.title}", "", *_table(_HEAD, map(_row, group.keys))]
    lines += ["", FAMILY, *_table(("Name", "Meaning", "Other name"), map(_family, FAMILIES))]
    return "\n".join(lines) + "\n"


def targets() -> dict[Path, str]:
    """The files that are written, and their texts."""
    return {
        ROOT / "docs" / "properties.md": render(),
        ROOT / "conf" / "xlearning-default.xml": properties_template.defaults(),
        ROOT / "conf" / "xlearning-site.xml.template": properties_template.site(),
    }


def _row(key: Key) -> tuple[str, ...]:
    kind = " or ".join(key.values) if key.kind is Kind.ENUM else key.kind.value
    default = "not set" if key.default is None else f"`{key.default}`"
    option = f"`{_OPTIONS[key.name]}`" if key.name in _OPTIONS else ""
    names = "<br>".join(f"`{name}`" for name in (key.name, *_other_names(key)))
    types = f" Read by {', '.join(key.types)}." if key.types else ""
    return names, kind, default, key.doc + types + _said(key.effect), option


def _said(effect: Effect) -> str:
    if effect.missing:
        return f" **Not yet**: an error; instead, {effect.instead}."
    return f" **No effect**: {effect.ignored}." if effect.ignored else ""


def _other_names(key: Key) -> Iterator[str]:
    """Aliases that do not follow from the rule that both prefixes mean the same."""
    plain = key.name.removeprefix(PREFIX)
    for alias in key.aliases:
        if (alias.startswith(HBOX_PREFIX) and alias != HBOX_PREFIX + plain) or not alias.startswith(
            (PREFIX, HBOX_PREFIX)
        ):
            yield alias


def _family(family: Family) -> tuple[str, ...]:
    name, other = (f"`{prefix}NAME{family.suffix}`" for prefix in (family.prefix, family.aliases[0]))
    return name, family.doc + _said(family.effect), other


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for row in (head, ("---",) * len(head), *rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def main() -> int:
    """Write the files, or say whether they are up to date; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is out of date")
    options = parser.parse_args()
    old = [path for path, text in targets().items() if not _is(path, text)]
    for path in old:
        if options.check:
            name = path.relative_to(ROOT)
            print(f"{name} is out of date; run: python tools/properties.py", file=sys.stderr)
        else:
            path.write_text(targets()[path], encoding="utf-8")
    return int(options.check and bool(old))


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
