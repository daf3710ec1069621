"""Where each value comes from: default < packaged file < site file < given files < --conf < option."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from xlearning.config import values
from xlearning.config.files import ConfFile, find_conf_dir
from xlearning.config.files import conf_files as list_files
from xlearning.config.keys import KEYS, canonical, lookup
from xlearning.config.merge import Entry, Fault, Merger
from xlearning.errors import ConfigError

__all__ = ["DEFAULT", "Config", "find_conf_dir", "load"]

DEFAULT = "default"


class Config:
    """Effective properties, each with its source.

    Build one with `load` (on the gateway) or `from_properties` (from a staged job).

    Attributes
    ----------
    warnings : tuple of str
        Unknown names, final values that were not changed: what a person should read once.
    files : tuple of ConfFile
        The files that were looked at, the lowest first.
    bad : mapping
        Property -> what is wrong with its value, in words; its default counts in its place. Empty unless
        bad values are tolerated.
    fault : ConfigError or None
        All of that as the error that it is elsewhere.
    """

    def __init__(self, merged: Merger, files: Iterable[ConfFile] = (), *, tolerant: bool = False) -> None:
        self._entries = dict(merged.entries)
        self.warnings = merged.told()
        self.files = tuple(files)
        if merged.unread:
            # what the other files say may be overridden there, so it is not judged
            raise ConfigError("\n  ".join(merged.unread), warnings=self.warnings)
        self._values, found = _parse_all(self._entries)
        faults = [*merged.problems, *found]
        self.bad = {name: fault.why for fault in reversed(faults) for name in fault.names}
        self.fault = _error(faults, self.warnings)
        if self.fault is not None and not tolerant:
            raise self.fault

    @classmethod
    def from_properties(cls, properties: Mapping[str, str]) -> Config:
        """A configuration from what `explicit` returned elsewhere; values are not expanded again.

        Raises
        ------
        ConfigError
            Naming every bad value.
        """
        merger = Merger()
        merger.add(properties.items(), "job properties")
        return cls(merger)

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

    def entry(self, name: str) -> Entry | None:
        """The value that somebody gave, with its source and spelling; None when nobody did."""
        return self._entries.get(canonical(name))

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
    cluster_files: Sequence[Path] = (),
    conf_files: Sequence[Path] = (),
    properties_files: Sequence[Path] = (),
    overrides: Sequence[tuple[str, str]] = (),
    options: Mapping[str, tuple[str, str]] | None = None,
    tolerant: bool = False,
) -> Config:
    """Merge all layers.

    Parameters
    ----------
    environ : mapping
        Variables for ``${env.X}``: `os.environ`.
    conf_dir : Path or None
        Folder of the site file; see `find_conf_dir`.
    cluster_files : sequence of Path
        The files of ``--cluster``, later ones win.
    conf_files : sequence of Path
        ``--conf-file``, above those; later ones win.
    properties_files : sequence of Path
        ``--properties-file``, above those; later ones win.
    overrides : sequence of (name, text)
        ``--conf``, later ones win.
    options : mapping
        Name -> (text, option as the user wrote it).
    tolerant : bool
        Keep bad values for who wants to see them, instead of raising; see `Config.bad`.

    Raises
    ------
    ConfigError
        A file that cannot be read, or bad values: all of them, with their sources. It carries what
        there is to warn of.
    """
    merger = Merger()
    files = list_files(conf_dir, conf_files, properties_files, cluster_files)
    merger.add_files(files[:1])
    merger.drop_defaults()
    merger.add_files(files[1:])
    merger.add(overrides, "--conf")
    for name, (text, spelling) in (options or {}).items():
        merger.add([(name, text)], spelling)
    merger.expand(environ)
    return Config(merger, files, tolerant=tolerant)


def _known(name: str) -> str:
    key = lookup(name)
    if key is None:
        raise KeyError(f"{name} is not in the table xlearning.config.keys")
    return key.name


def _parse_all(entries: Mapping[str, Entry]) -> tuple[dict[str, Any], list[Fault]]:
    result: dict[str, Any] = {}
    faults: list[Fault] = []
    for key in KEYS:
        entry = entries.get(key.name)
        text = entry.text if entry else key.default
        try:
            result[key.name] = None if text is None else values.parse(key, text)
        except ValueError as error:
            assert entry is not None, f"the default of {key.name} is bad: {error}"
            faults.append(Fault((key.name,), f"accepted: {error}", f"{entry}: accepted: {error}"))
    faults += [Fault(names, why, why) for names, why in values.contradictions(result)]
    for fault in faults:
        for name in fault.names:
            result.setdefault(name, _default(name))
    return result, faults


def _default(name: str) -> Any:
    key = lookup(name)
    return None if key is None or key.default is None else values.parse(key, key.default)


def _error(faults: Sequence[Fault], warnings: Sequence[str]) -> ConfigError | None:
    if len(faults) == 1:
        return ConfigError(f"bad property {faults[0].told}", warnings=warnings)
    lines = "\n  ".join([f"{len(faults)} bad properties:", *(fault.told for fault in faults)])
    return ConfigError(lines, warnings=warnings) if faults else None
