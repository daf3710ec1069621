"""The part of a gateway's Hadoop configuration that a client of HDFS needs, for nodes that have none."""

from __future__ import annotations

import re

from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.config import hadoop_xml

# Where file systems are and how to speak with them. What else a gateway's files hold may be secret
# (keys of object stores, passwords of key stores), or true on the gateway only.
_NEEDED = re.compile(
    r"""
    fs\.(defaultFS | default\.name | viewfs\..* | AbstractFileSystem\..*)
    | dfs\.(nameservices | internal\.nameservices | ha\.namenodes\..* | client\..* | replication | blocksize)
    | dfs\.namenode\.((http|https|rpc)-address(\..*)? | kerberos\.principal(\..*)?)
    | dfs\.datanode\.kerberos\.principal
    | dfs\.user\.home\.dir\.prefix
    | dfs\.(data\.transfer\.protection | encrypt\.data\.transfer(\..*)? | block\.access\.token\.enable)
    | dfs\.(http\.policy | encryption\.key\.provider\.uri)
    | hadoop\.security\.(authentication | authorization | auth_to_local(\..*)? | key\.provider\.path)
    | hadoop\.security\.(token\.service\.use_ip | saslproperties\.resolver\.class)
    | fs\.s3a\.(bucket\..*\.)?(endpoint(\.region)? | path\.style\.access)
    | hadoop\.rpc\.protection
    | ipc\.client\..*
    """,
    re.VERBOSE,
)
_MOUNTS = "fs.viewfs.mounttable."
_SECRET = re.compile(r"password|passwd|secret|credential|access\.key|keystore", re.IGNORECASE)


def client_files(site: HadoopSite) -> dict[str, str]:
    """``core-site.xml`` and ``hdfs-site.xml`` with what a client needs, as texts by name."""
    values = {name: site.get(name) for name in site.names if is_needed(name)}
    hdfs = {name: value for name, value in values.items() if name.startswith("dfs.")}
    core = {name: value for name, value in values.items() if name not in hdfs}
    return {"core-site.xml": hadoop_xml.render(core), "hdfs-site.xml": hadoop_xml.render(hdfs)}


def is_needed(name: str) -> bool:
    """Whether a property goes to the nodes."""
    hidden = _SECRET.search(name) and not name.startswith(_MOUNTS)  # a mount's name holds the user's path
    return bool(_NEEDED.fullmatch(name)) and not hidden
