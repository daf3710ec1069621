"""Hadoop's client on this machine: Java, programs, configuration, and who we are on the cluster."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from xlearning.client.doctor import machine
from xlearning.client.doctor.model import Finding, ok, problem, warning
from xlearning.client.secure import log_in
from xlearning.cluster import gssapi
from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.config import Config
from xlearning.units import format_duration

_VERSION = re.compile(r'version "([^"]+)"')
_RENEWABLE = re.compile(r"renew until (\S+ \S+)")
_OLDEST_JAVA = 8
_SHORT = 3600  # seconds
_OLD = re.compile(r"1\.(\d+)")


def java(environ: Mapping[str, str]) -> Finding:
    """Java, which skein needs to submit."""
    home = environ.get("JAVA_HOME")
    named = f"{home}/bin/java" if home else "java"
    found = shutil.which(named, path=environ.get("PATH"))
    if not found:
        where = (
            f"JAVA_HOME={home}: there is no {named}"
            if home
            else "JAVA_HOME is not set, and no java is on PATH"
        )
        return problem(where, "install Java 8 or newer and let JAVA_HOME name it; --local needs none")
    try:
        said = machine.run([found, "-version"], environ)
    except (OSError, subprocess.TimeoutExpired) as error:
        return problem(f"{found} does not run: {error}", "let JAVA_HOME name another Java")
    match = _VERSION.search(said.stderr + said.stdout)
    if said.returncode or not match:
        return problem(f"{found} -version tells no version", "let JAVA_HOME name another Java")
    words = f"{match[1]} ({found}; JAVA_HOME {'is ' + home if home else 'is not set'})"
    if major(match[1]) < _OLDEST_JAVA:
        return problem(words, f"let JAVA_HOME name Java {_OLDEST_JAVA} or newer")
    return ok(words)


def major(version: str) -> int:
    """17 of ``17.0.2``, 8 of ``1.8.0_392``."""
    match = _OLD.match(version) or re.match(r"(\d+)", version)
    return int(match[1]) if match else 0


def programs(environ: Mapping[str, str]) -> Finding:
    """Hadoop's own commands. Only ``yarn`` is needed: it tells skein the class path."""
    found = {name: shutil.which(name, path=environ.get("PATH")) for name in ("yarn", "hadoop", "hdfs")}
    if not found["yarn"]:
        return problem(
            "yarn is not on PATH", "add the bin folder of Hadoop's client to PATH; --local needs none"
        )
    missing = [name for name, path in found.items() if not path]
    words = f"yarn is {found['yarn']}"
    if missing:
        return warning(f"{words}; not on PATH: {', '.join(missing)}", "add Hadoop's bin folder to PATH")
    return ok(f"{words}; hadoop and hdfs are there too")


class Cluster:
    """The cluster of ``HADOOP_CONF_DIR``. What one check learns is there for those that need it.

    Parameters
    ----------
    environ : mapping
        `os.environ`; see `xlearning.client.secure.log_in` for what is changed in it.
    user : str
        Who we are where the cluster does not ask.
    """

    def __init__(self, environ: MutableMapping[str, str], config: Config, user: str) -> None:
        self.environ, self.config, self.user = environ, config, user
        self._site: HadoopSite | None = None

    @property
    def site(self) -> HadoopSite:
        """The configuration; read once.

        Raises
        ------
        xlearning.errors.ConfigError
            There is no usable one.
        """
        if self._site is None:
            self._site = HadoopSite.from_environ(self.environ)
        return self._site

    @property
    def secure(self) -> bool:
        """Whether there is a configuration that asks for Kerberos."""
        return self._site is not None and self._site.secure

    def configuration(self) -> Finding:
        """The files in ``HADOOP_CONF_DIR``, and where they lead."""
        site = self.site
        managers = ", ".join(manager.rpc for manager in site.resource_managers)
        available = " (highly available)" if len(site.resource_managers) > 1 else ""
        kerberos = "; asks for Kerberos" if site.secure else ""
        words = f"{site.folder}: HDFS is {site.default_fs}, YARN is {managers}{available}{kerberos}"
        missing = [
            name for name in ("hdfs-site.xml", "yarn-site.xml") if not Path(site.folder, name).exists()
        ]
        if missing:
            return warning(
                f"{words}; without {' and '.join(missing)}, so Hadoop's defaults hold",
                "copy the files of the cluster's client configuration there",
            )
        if "0.0.0.0:" in managers:
            return problem(
                f"{words}: no yarn.resourcemanager.hostname or address is set",
                f"set it in {site.folder}/yarn-site.xml",
            )
        return ok(words)

    def ticket(self) -> Finding:
        """Who we are, and for how long."""
        if not self.site.secure:
            log_in(self.site, self.environ, self.config)
            return ok(f"{self.user}; the cluster does not ask for Kerberos")
        login = log_in(self.site, self.environ, self.config)
        assert login is not None, "the site is secure"
        self.user = login.user
        left = gssapi.credential("").lifetime
        if login.keytab:
            return ok(f"{login.principal} by {login.keytab}, renewed from it")
        until = _renewable(self.environ)
        words = f"{login.principal}; the ticket lasts {format_duration(left)}, {until}"
        if left < _SHORT:
            return warning(words, "run kinit before long work; a job that runs keeps its own tokens")
        return ok(words)


def _renewable(environ: Mapping[str, str]) -> str:
    """What klist tells about renewal, which GSSAPI does not."""
    klist = shutil.which("klist", path=environ.get("PATH"))
    if not klist:
        return "klist is not there to tell whether it can be renewed"
    try:
        said = machine.run([klist], {**environ, "LC_ALL": "C"}).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "klist does not tell whether it can be renewed"
    match = _RENEWABLE.search(said)
    return f"renewable until {match[1]}" if match else "not renewable"
