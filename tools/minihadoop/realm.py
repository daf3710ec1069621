"""The Kerberos realm of a secure cluster: a KDC of MIT krb5, principals, keytabs, tickets."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from .errors import MiniHadoopError
from .layout import Layout, State

REALM = "MINI.TEST"
USERS = ("alice", "bob")
"""Whom a secure cluster knows; each has a keytab and a home in HDFS that is closed to others."""

SERVICES = ("nn", "dn", "rm", "nm", "HTTP")
INSTALL = "apt-get install krb5-kdc krb5-admin-server krb5-user (or your system's MIT Kerberos)"

_HOST = "localhost"
_PROGRAMS = ("krb5kdc", "kdb5_util", "kadmin.local", "kinit")
_PATIENCE = 120.0
_TICKET = 24 * 3600  # seconds

_KRB5_CONF = """\
[libdefaults]
 default_realm = {realm}
 dns_lookup_kdc = false
 dns_lookup_realm = false
 dns_canonicalize_hostname = false
 rdns = false
 udp_preference_limit = 1
 ticket_lifetime = {ticket}s
 renew_lifetime = 7d
 forwardable = true
[realms]
 {realm} = {{
  kdc = 127.0.0.1:{port}
 }}
[domain_realm]
 {host} = {realm}
"""

_KDC_CONF = """\
[kdcdefaults]
 kdc_listen = 127.0.0.1:{port}
 kdc_tcp_listen = 127.0.0.1:{port}
[realms]
 {realm} = {{
  database_name = {folder}/principal
  key_stash_file = {folder}/stash
  acl_file = {folder}/kadm5.acl
  max_life = {ticket}s
  max_renewable_life = 7d
  supported_enctypes = aes256-cts:normal aes128-cts:normal
 }}
[logging]
 kdc = STDERR
"""


def missing() -> str:
    """The programs that a KDC needs and that are not there, in a sentence; empty if none."""
    absent = [name for name in _PROGRAMS if _which(name) is None]
    return f"no {', '.join(absent)} on this machine: {INSTALL}" if absent else ""


def principal(service: str) -> str:
    """Principal of one of `SERVICES`, as it stands in Hadoop's configuration."""
    return f"{service}/{_HOST}@{REALM}"


def prepare(layout: Layout, state: State) -> None:
    """Write the configuration, make database, principals and keytabs unless they are there.

    Raises
    ------
    MiniHadoopError
        A program is missing or failed; with its last words.
    """
    absent = missing()
    if absent:
        raise MiniHadoopError(absent)
    for folder in (layout.kdc, layout.keytabs, layout.caches):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
    values = {
        "realm": REALM,
        "host": _HOST,
        "port": state.ports["kdc.kdc"],
        "folder": layout.kdc,
        "ticket": _TICKET,
    }
    layout.krb5_conf.write_text(_KRB5_CONF.format(**values))
    (layout.kdc / "kdc.conf").write_text(_KDC_CONF.format(**values))
    _make_secret(layout.http_secret)
    done = layout.kdc / "complete"
    if done.exists():
        return
    for leftover in (*layout.kdc.glob("principal*"), *layout.keytabs.glob("*.keytab")):
        leftover.unlink()
    _run(layout, "kdb5_util", "create", "-s", "-r", REALM, "-P", secrets.token_hex(16))
    wanted = {f"{name}/{_HOST}": name for name in SERVICES} | {name: name for name in USERS}
    lines = []
    for who, file in wanted.items():
        lines += [f"addprinc -randkey {who}", f"ktadd -q -k {layout.keytabs / file}.keytab {who}"]
    _run(layout, "kadmin.local", "-r", REALM, said="\n".join(lines) + "\n")
    absent = ", ".join(name for name in wanted.values() if not (layout.keytabs / f"{name}.keytab").exists())
    if absent:
        raise MiniHadoopError(f"kadmin.local made no keytab for {absent}: remove {layout.root} and try again")
    done.touch()


def command(layout: Layout) -> list[str]:
    """Command line of the KDC in the foreground."""
    return [_program("krb5kdc"), "-n", "-r", REALM, "-P", pid_argument(layout)]


def pid_argument(layout: Layout) -> str:
    """Argument on the KDC's command line by which it is found again."""
    return str(layout.kdc / "pid")


def environment(layout: Layout) -> dict[str, str]:
    """What the programs of MIT krb5 must know of this realm."""
    return {"KRB5_CONFIG": str(layout.krb5_conf), "KRB5_KDC_PROFILE": str(layout.kdc / "kdc.conf")}


def log_in(layout: Layout, user: str) -> dict[str, str]:
    """Get a ticket for one of `USERS` by keytab; the variables that lead to it.

    Raises
    ------
    MiniHadoopError
        Nobody is called so, or the KDC gave no ticket.
    """
    if user not in USERS:
        raise MiniHadoopError(f"a secure cluster has no user {user!r}: choose one of {', '.join(USERS)}")
    cache = f"FILE:{layout.caches / user}"
    keytab = str(layout.keytabs / f"{user}.keytab")
    _run(layout, "kinit", "-c", cache, "-k", "-t", keytab, user)
    return {"KRB5_CONFIG": str(layout.krb5_conf), "KRB5CCNAME": cache}


def web_cookie(secret_file: str, user: str, kind: str = "kerberos") -> str:
    """The cookie that Hadoop's web services give after SPNEGO, signed here with their own secret.

    Parameters
    ----------
    kind : str
        ``kerberos``, or ``kerberos-dt`` for the ResourceManager.
    """
    until = int((time.time() + 3600) * 1000)
    token = f"u={user}&p={user}@{REALM}&t={kind}&e={until}"
    secret = Path(secret_file).read_bytes()
    signature = base64.b64encode(hmac.new(secret, token.encode(), hashlib.sha256).digest()).decode()
    return f'hadoop.auth="{token}&s={signature}"'


def _make_secret(path: Path) -> None:
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(32))


def _run(layout: Layout, name: str, *arguments: str, said: str = "") -> None:
    words: Sequence[str] = [_program(name), *arguments]
    env: Mapping[str, str] = {**os.environ, **environment(layout), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(words, env=env, input=said, capture_output=True, text=True, timeout=_PATIENCE)
    if done.returncode != 0:
        last = " ".join((done.stderr or done.stdout).split())[-300:]
        raise MiniHadoopError(f"{name} {arguments[0]} failed (exit {done.returncode}): {last}")


def _program(name: str) -> str:
    found = _which(name)
    if found is None:
        raise MiniHadoopError(f"no {name} on this machine: {INSTALL}")
    return found


def _which(name: str) -> str | None:
    path = os.pathsep.join(filter(None, (os.environ.get("PATH"), "/usr/sbin", "/sbin")))
    return shutil.which(name, path=path)
