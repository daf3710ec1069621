"""Starting a helper process for one Java class, with what a job says to it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from xlearning.config import Config
from xlearning.formats import libraries
from xlearning.formats.java import classpath
from xlearning.formats.java.process import Helper


def start(
    title: str,
    config: Config,
    order: Mapping[str, object],
    *,
    fetch: Callable[[str], bytes] | None = None,
    place: Path | None = None,
) -> Helper:
    """A helper with a running JVM that has carried out its first order.

    Parameters
    ----------
    title : str
        What errors begin with.
    order : mapping
        What it is to do; see `xlearning.formats.java.helper`. Its ``properties`` go to Hadoop's classes,
        above those of the job.
    fetch : callable, optional
        The bytes of a jar that is not on this machine.
    place : Path, optional
        See `Helper`.

    Raises
    ------
    UsageError
        JPype, Java, Hadoop's jars or the class cannot be used.
    """
    libraries.check({"jpype1": [title]})
    node = classpath.of_node(config.get("xlearning.java.classpath"))
    helper = Helper(title, place)
    try:
        jars = [_local(jar, helper.folder / f"{n}.jar", fetch) for n, jar in enumerate(classpath.offered())]
        options = shlex.split(config.get("xlearning.java.options"))
        helper.ask(do="start", classpath=[*jars, *node], options=options)
        properties = order.get("properties")
        given = {**_hadoop(config), **(properties if isinstance(properties, Mapping) else {})}
        helper.ask(**{**order, "properties": given})
    except BaseException:
        helper.close()
        raise
    return helper


def _hadoop(config: Config) -> dict[str, str]:
    """What the job says to Hadoop's classes: all properties that are not ours."""
    given = config.explicit().items()
    return {name: text for name, text in given if not name.startswith(("xlearning.", "hbox."))}


def _local(jar: str, target: Path, fetch: Callable[[str], bytes] | None) -> str:
    if fetch is None or "://" not in jar or jar.startswith("file:///"):
        return jar.removeprefix("file://")
    target.write_bytes(fetch(jar))
    return str(target)
