"""Where each value comes from: default < packaged file < site file < --conf-file < --conf < option."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import xlearning.conf
from xlearning.config import hadoop_xml, values
from xlearning.config.expand import Expander
from xlearning.config.keys import (
    HBOX_PREFIX,
    KEYS,
    PREFIX,
    canonical,
    is_known,
    lookup,
    suggestion,
)
from xlearning.errors import ConfigError

DEFAULT = "default"
SITE_FILE = "xlearning-site.xml"
_PACKAGED_FILE = "xlearning-default.xml"
_SYSTEM_CONF_DIR = Path("/etc/xlearning/conf")


class _Entry(NamedTuple):
    text: str
    source: str
    spelling: str  # the name as it was given


class Config:
    """Effective properties, each with its source.

    Build one with `load` (on the gateway) or `from_properties` (from a staged job).

    Attributes
    ----------
    warnings : tuple of str
        Unknown names, final values that were not changed: what a person should read once.
    """

    def __init__(
        self, entries: Mapping[str, _Entry], warnings: Iterable[str] = (), problems: Iterable[str] = ()
    ) -> None:
        self._entries = dict(entries)
        self._values = _parse_all(self._entries, list(problems))
        self.warnings = tuple(warnings)

    @classmethod
    def from_properties(cls, properties: Mapping[str, str]) -> Config:
        """A configuration from what `explicit` returned elsewhere; values are not expanded again.

        Raises
        ------
        ConfigError
            Naming every bad value.
        """
        merger = _Merger()
        merger.add(properties.items(), "job properties")
        return cls(merger.entries, merger.warnings, merger.problems)

    def get(self, name: str) -> Any:
        """The typed value of a property, see `xlearning.config.keys.Kind`; None when it is not set.

        Raises
        ------
        KeyError
            The table has no such property.
        """
        return self._values[_known(name)]

    def text(self, name: str) -> str | None:
        """The text of any property, also one that the table does not have; None when it is not set."""
        full = canonical(name)
        if full in self._entries:
            return self._entries[full].text
        key = lookup(full)
        return key.default if key else None

    def source(self, name: str) -> str:
        """Where the value comes from: ``default``, ``site file /etc/...``, ``--conf``, an option."""
        entry = self._entries.get(canonical(name))
        return entry.source if entry else DEFAULT

    def is_set(self, name: str) -> bool:
        """Whether somebody gave a value, be it equal to the default."""
        return canonical(name) in self._entries

    def family(self, prefix: str) -> dict[str, str]:
        """The rest of the name -> text, for all properties below ``prefix``, sorted."""
        full = canonical(prefix.rstrip(".") + ".")
        return {
            name[len(full) :]: self._entries[name].text
            for name in sorted(self._entries)
            if name.startswith(full) and name != full
        }

    def explicit(self) -> dict[str, str]:
        """Every value that is not a default, by canonical name, sorted: families and unknown names too."""
        return {name: self._entries[name].text for name in sorted(self._entries)}


def load(
    *,
    environ: Mapping[str, str],
    conf_dir: Path | None = None,
    conf_files: Sequence[Path] = (),
    overrides: Sequence[tuple[str, str]] = (),
    options: Mapping[str, tuple[str, str]] | None = None,
) -> Config:
    """Merge all layers.

    Parameters
    ----------
    environ : mapping
        Variables for ``${env.X}``: `os.environ`.
    conf_dir : Path or None
        Folder of the site file; see `find_conf_dir`.
    conf_files : sequence of Path
        ``--conf-file``, later ones win.
    overrides : sequence of (name, text)
        ``--conf``, later ones win.
    options : mapping
        Name -> (text, option as the user wrote it).

    Raises
    ------
    ConfigError
        A file that cannot be read, or bad values: all of them, with their sources.
    """
    merger = _Merger()
    for path, label in _files(conf_dir, conf_files):
        merger.add_file(path, f"{label} {path}")
    merger.add(overrides, "--conf")
    for name, (text, spelling) in (options or {}).items():
        merger.add([(name, text)], spelling)
    merger.expand(environ)
    return Config(merger.entries, merger.warnings, merger.problems)


def find_conf_dir(environ: Mapping[str, str]) -> Path | None:
    """``$XLEARNING_CONF_DIR``, else ``/etc/xlearning/conf`` where it exists, else None.

    Raises
    ------
    ConfigError
        The variable names something that is not a folder.
    """
    given = environ.get("XLEARNING_CONF_DIR")
    if given:
        folder = Path(given)
        if not folder.is_dir():
            raise ConfigError(
                f"XLEARNING_CONF_DIR={given} is not a folder",
                hint=f"point it to the folder that holds {SITE_FILE}, or unset it",
            )
        return folder
    return _SYSTEM_CONF_DIR if _SYSTEM_CONF_DIR.is_dir() else None


class _Merger:
    """Collects layers, lowest first, and everything that is wrong with them."""

    def __init__(self) -> None:
        self.entries: dict[str, _Entry] = {}
        self.warnings: list[str] = []
        self.problems: list[str] = []
        self._finals: dict[str, str] = {}

    def add_file(self, path: Path, source: str) -> None:
        """One file; what an earlier file declared final stays."""
        file = hadoop_xml.read(path)
        self.warnings += file.warnings
        kept = []
        for name, text in file.values.items():
            full = canonical(name)
            if full not in self._finals:
                kept.append((name, text))
            elif self._raw(full) != text:
                self.warnings.append(f"{name} of {source} is ignored: final in {self._finals[full]}")
        self.add(kept, source)
        for name in file.finals:
            self._finals.setdefault(canonical(name), source)

    def add(self, items: Iterable[tuple[str, str]], source: str) -> None:
        """One layer: (name, text) pairs; a later pair of the same spelling wins."""
        layer: dict[str, dict[str, str]] = {}
        for name, text in items:
            name = name.strip()
            layer.setdefault(canonical(name), {})[name] = text
            self._check_name(name, source)
        for full, given in layer.items():
            if len(set(given.values())) > 1:
                pairs = " and ".join(f"{name}={text}" for name, text in given.items())
                self.problems.append(f"{pairs} ({source}) are one property with two values: keep one")
            spelling, text = list(given.items())[-1]
            self.entries[full] = _Entry(text, source, spelling)

    def expand(self, environ: Mapping[str, str]) -> None:
        """Replace the references of every value, over the merged set."""
        expander = Expander(self._raw, environ)
        expanded = {}
        for full, entry in self.entries.items():
            try:
                expanded[full] = entry._replace(text=expander.expand(entry.text))
            except ValueError as error:
                self.problems.append(f"{entry.spelling}={entry.text} ({entry.source}): {error}")
                expanded[full] = entry
        self.entries = expanded

    def _raw(self, name: str) -> str | None:
        entry = self.entries.get(canonical(name))
        if entry is not None:
            return entry.text
        key = lookup(name)
        return key.default if key else None

    def _check_name(self, name: str, source: str) -> None:
        if name.startswith((PREFIX, HBOX_PREFIX)) and not is_known(name):
            near = suggestion(name)
            hint = f"; did you mean {near}?" if near else ""
            self.warnings.append(f"unknown property {name} ({source}){hint}")


def _files(conf_dir: Path | None, conf_files: Sequence[Path]) -> list[tuple[Path, str]]:
    files = [(Path(next(iter(xlearning.conf.__path__))) / _PACKAGED_FILE, "packaged file")]
    if conf_dir is not None and (conf_dir / SITE_FILE).exists():
        files.append((conf_dir / SITE_FILE, "site file"))
    return files + [(path, "--conf-file") for path in conf_files]


def _known(name: str) -> str:
    key = lookup(name)
    if key is None:
        raise KeyError(f"{name} is not in the table xlearning.config.keys")
    return key.name


def _parse_all(entries: Mapping[str, _Entry], problems: list[str]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key in KEYS:
        entry = entries.get(key.name)
        text = entry.text if entry else key.default
        try:
            result[key.name] = None if text is None else values.parse(key, text)
        except ValueError as error:
            assert entry is not None, f"the default of {key.name} is bad: {error}"
            problems.append(f"{entry.spelling}={entry.text} ({entry.source}): accepted: {error}")
    problems += values.contradictions(result)
    if len(problems) == 1:
        raise ConfigError(f"bad property {problems[0]}")
    if problems:
        raise ConfigError("\n  ".join([f"{len(problems)} bad properties:", *problems]))
    return result
