"""What a secure cluster needs: a login, tokens for file systems, and who may see the job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping

from xlearning.cluster import login
from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.cluster.login import Login
from xlearning.config import Config
from xlearning.errors import ClusterUnavailable
from xlearning.fs.base import split_uri
from xlearning.job import JobSpec

_WITH_TOKENS = ("hdfs", "viewfs", "webhdfs", "swebhdfs")


def log_in(site: HadoopSite, environ: MutableMapping[str, str], config: Config) -> Login | None:
    """Who we are on a cluster; None where it does not ask for Kerberos.

    Parameters
    ----------
    environ : mapping
        `os.environ`. It is made to name the site's configuration: hdfs-native looks nowhere else, and
        without one hangs on a secure cluster.

    Raises
    ------
    xlearning.errors.CredentialsError
        See `xlearning.cluster.login.log_in`.
    """
    environ["HADOOP_CONF_DIR"] = str(site.folder)
    if not site.secure:
        return None
    return login.log_in(environ, config.get(login.KEYTAB) or "", config.get(login.PRINCIPAL) or "")


def file_systems(job: JobSpec, *roots: str) -> tuple[str, ...]:
    """``scheme://authority`` of all file systems with tokens of a job, and of ``roots``, which come first."""
    bases = dict.fromkeys(
        f"{scheme}://{authority}"
        for scheme, authority, _ in map(split_uri, (*roots, *_uris(job)))
        if scheme in _WITH_TOKENS and authority
    )
    return tuple(bases)


def _uris(job: JobSpec) -> Iterator[str]:
    for spec in job.inputs:
        yield from spec.patterns
    for output in job.outputs:
        yield output.remote
    for resource in job.resources:
        yield resource.uri
    yield job.board.log_dir


def viewers(config: Config, owner: str, asks_who: Callable[[], bool]) -> tuple[str, ...]:
    """Whom YARN is to let see the job's page; empty: everybody whom it lets through.

    Parameters
    ----------
    owner : str
        Named explicitly: YARN knows the user of the processes on the nodes, who may be another one.
    asks_who : callable
        Whether YARN's web pages ask for a login. Where they do not, no viewer has a name, and a list
        would lock everybody out.
    """
    rule = config.get("xlearning.webui.acl")
    if rule == "OPEN":
        return ()
    if rule == "AUTO":
        try:
            if not asks_who():
                return ()
        except ClusterUnavailable:
            pass  # better a page that nobody can open than one that everybody can
    return tuple(dict.fromkeys((owner, *(config.get("xlearning.webui.acl.users") or ()))))
