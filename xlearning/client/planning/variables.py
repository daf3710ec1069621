"""``--env``, ``--env-file`` and what is added to search paths: the environment that the user asks for."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from xlearning.client.planning.names import file_name, split_list
from xlearning.client.planning.request import Request
from xlearning.client.problems import Problem
from xlearning.config import Config, bounded
from xlearning.job import SearchPaths
from xlearning.template import placeholders

_BAD_NAME = re.compile(r"[\s=\0]")
FAMILY = "xlearning.container.env."


def variables(
    request: Request,
    config: Config,
    problems: list[Problem],
    environ: Mapping[str, str] = os.environ,
) -> dict[str, str]:
    """The user's own variables: the family of properties, below ``--env-file``, below ``--env``.

    Values of the two options are taken byte for byte: unlike properties they are not expanded.

    Parameters
    ----------
    environ : mapping
        Where ``--env NAME`` takes its value from.
    """
    found: dict[str, str] = {}
    for key, text in config.family(FAMILY).items():
        _add(found, f"--conf {FAMILY}{key}", key, text, environ, problems)
    for text in request.env_files:
        for name, value in _read(Path(text), problems):
            _add(found, f"--env-file {text}", name, value, environ, problems)
    for text in request.env:
        name, sep, value = text.partition("=")
        _add(found, "--env", name, value if sep else None, environ, problems)
    return found


def _add(
    found: dict[str, str],
    option: str,
    name: str,
    value: str | None,
    environ: Mapping[str, str],
    problems: list[Problem],
) -> None:
    if not name or _BAD_NAME.search(name):
        problems.append(Problem(f"{option}: {name!r} is no name of a variable", "write NAME=VALUE"))
    elif value is not None:
        found[name] = value
    elif name in environ:
        found[name] = environ[name]
    else:
        fix = f"write {name}=VALUE, or export it first"
        problems.append(Problem(f"{option} {name}: there is no such variable in this shell to pass on", fix))


def _read(path: Path, problems: list[Problem]) -> Iterator[tuple[str, str | None]]:
    """Names and values of a ``.env`` file; the value is None where a name stands alone."""
    from dotenv.parser import parse_stream

    try:
        text = bounded.read(path).decode("utf-8", "surrogateescape")
    except OSError as error:
        denied = isinstance(error, PermissionError)
        fix = "ask its owner for read permission (chmod +r)" if denied else "correct the path"
        problems.append(Problem(f"--env-file {path} cannot be read: {error.strerror}", fix))
        return
    except ValueError as error:
        problems.append(Problem(f"--env-file {path} cannot be read: {error}", "correct the path"))
        return
    bindings = list(parse_stream(io.StringIO(text, newline="")))
    for binding in bindings:
        if binding.error:
            text = binding.original.string.strip()
            problems.append(
                Problem(
                    f"--env-file {path}, line {binding.original.line}: {text!r} cannot be read",
                    "write NAME=VALUE, with balanced quotes or none",
                )
            )
        elif binding.key is not None:
            yield binding.key, binding.value


def search_paths(request: Request, config: Config, problems: list[Problem]) -> SearchPaths:
    """What ``--jars``, ``--user-path`` and ``--user-ldlibrarypath`` add."""
    parts = [part for text in request.jars for part in split_list(text)]
    names = tuple(dict.fromkeys(file_name(part.replace("\\,", ",")) for part in parts))
    for name in names:
        if ":" in name:
            problems.append(
                Problem(f"--jars: {name} cannot be on a CLASSPATH: it holds a colon", "rename it")
            )
    return SearchPaths(
        jars=names,
        jars_first=bool(config.get("xlearning.user.classpath.first")),
        path=request.path,
        library_path=request.library_path,
    )


def tell_placeholders(request: Request, notes: list[str]) -> None:
    """Placeholders that stay as they are: they look like an oversight, but may be the shell's own."""
    if request.template is not None:
        return
    found = dict.fromkeys(name for text in (*request.command, *request.env) for name in placeholders(text))
    if found:
        stay = "stays as it is" if len(found) == 1 else "stay as they are"
        notes.append(f"{', '.join(found)} {stay}; --template fills in, --template=false says nothing")
