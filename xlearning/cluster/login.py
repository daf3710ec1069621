"""Logging in to a secure cluster on the gateway: by ticket cache, or by keytab and principal.

Everything that speaks to the cluster from this process (hdfs-native, the web service's client) takes
the credential that GSSAPI finds by itself, so logging in means to let it find one, and to look at it
before anything else is tried.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path

from xlearning.cluster import gssapi, keytab
from xlearning.cluster.background import Background
from xlearning.cluster.gssapi import Credential, GssError
from xlearning.errors import ClusterUnavailable, CredentialsError
from xlearning.fs.tokens import LOCATION

KEYTAB, PRINCIPAL = "xlearning.kerberos.keytab", "xlearning.kerberos.principal"

_PATIENCE = 15.0  # seconds for the KDC
_CACHE, _CLIENT_KEYTAB = "KRB5CCNAME", "KRB5_CLIENT_KTNAME"
_CACHE_NAMED = re.compile(r"\(default cache: (.*)\)")
_OWN_CACHE = "MEMORY:xlearning-"  # and the principal; dies with this process


@dataclass(frozen=True)
class Login:
    """Who we are on a secure cluster.

    Attributes
    ----------
    principal : str
        ``name@REALM``.
    keytab : str
        Path of the keytab; empty where a ticket cache is used.
    """

    principal: str
    keytab: str = ""

    @property
    def user(self) -> str:
        """The name that Hadoop's default rule makes of the principal."""
        return self.principal.partition("@")[0].partition("/")[0]


def log_in(environ: MutableMapping[str, str], keytab_path: str = "", principal: str = "") -> Login:
    """Check, within seconds, that there is a usable credential.

    Parameters
    ----------
    environ : mapping
        `os.environ`. With a keytab it is changed so that this process gets, and renews, tickets of its
        own in memory. ``HADOOP_USER_NAME`` is removed: it has no meaning on a secure cluster. So are the
        delegation tokens of a job in whose container this is: who has them is given no new ones.
    keytab_path, principal : str
        Both or neither; a keytab alone stands for its first principal.

    Raises
    ------
    CredentialsError
        No ticket, an expired one, a keytab that cannot be read or is another's, or no answer of a KDC.
    """
    environ.pop("HADOOP_USER_NAME", None)
    if not gssapi.available():
        raise CredentialsError(
            "the cluster asks for Kerberos, but the library libgssapi_krb5.so.2 is not on this machine",
            hint="install the Kerberos client (packages krb5-user or krb5-workstation), or use --local",
        )
    if principal and not keytab_path:
        raise CredentialsError(
            f"{PRINCIPAL}={principal} comes without a keytab",
            hint=f"set {KEYTAB} too, or neither and run kinit",
        )
    path = Path(keytab_path).expanduser()
    found = _by_keytab(environ, path, principal) if keytab_path else _by_cache(environ)
    environ.pop(LOCATION, None)
    return found


def lifetime(login: Login) -> int | None:
    """Seconds for which the ticket is still good; None with a keytab, which gives new ones.

    Raises
    ------
    CredentialsError
        No answer of GSSAPI.
    """
    if login.keytab:
        return None
    try:
        return _ask("").lifetime
    except GssError:
        return 0


def _by_cache(environ: MutableMapping[str, str]) -> Login:
    cache = environ.get(_CACHE) or "the default one"
    fix = "run kinit and try again, or set xlearning.kerberos.keytab and xlearning.kerberos.principal"
    if environ.get(LOCATION):
        fix = (
            "the delegation tokens of a container give no right to submit: submit from a gateway, or ship a "
            "keytab with --files and name it with --keytab and --principal"
        )
    try:
        found = _ask("")
    except GssError as error:
        if error.expired:
            raise CredentialsError(f"the Kerberos ticket has expired (cache: {cache})", hint=fix) from error
        named = _CACHE_NAMED.search(str(error))
        words = "" if named else f": {error}"
        raise CredentialsError(
            f"there is no Kerberos ticket (cache: {named[1] if named else cache}){words}", hint=fix
        ) from error
    if not found.lifetime:
        raise CredentialsError(
            f"the Kerberos ticket of {found.principal} has expired (cache: {cache})", hint=fix
        )
    return Login(found.principal)


def _by_keytab(environ: MutableMapping[str, str], path: Path, principal: str) -> Login:
    fix = f"correct {KEYTAB}, or leave it out and run kinit"
    try:
        known = keytab.principals(path.read_bytes())
    except OSError as error:
        raise CredentialsError(f"the keytab {path} cannot be read: {error.strerror}", hint=fix) from error
    except ValueError as error:
        raise CredentialsError(f"the keytab {path} cannot be used: {error}", hint=fix) from error
    fitting = [each for each in known if not principal or principal in (each, each.rpartition("@")[0])]
    if not fitting:
        raise CredentialsError(
            f"the keytab {path} holds no key of {principal or 'anybody'}"
            + (f"; it holds those of {', '.join(known)}" if known else ""),
            hint=f"correct {PRINCIPAL} or {KEYTAB}",
        )
    environ[_CACHE], environ[_CLIENT_KEYTAB] = _OWN_CACHE + fitting[0], f"FILE:{path.absolute()}"
    try:
        found = _ask(fitting[0])
    except GssError as error:
        raise CredentialsError(
            f"the keytab {path} gives no ticket for {fitting[0]}: {_cause(path, fitting[0]) or error}",
            hint=f"try kinit -kt {path} {fitting[0]}; its key may be older than that of the KDC",
        ) from error
    return Login(found.principal, str(path.absolute()))


def _cause(path: Path, principal: str) -> str:
    """What kinit says about a keytab: GSSAPI keeps the KDC's words to itself. Empty where it says nothing."""
    words = ["kinit", "-c", "MEMORY:", "-k", "-t", str(path), principal]
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = done.stderr.strip().splitlines()
    return said[-1].removeprefix("kinit: ") if said else ""


def _ask(principal: str) -> Credential:
    try:
        return Background("the KDC", lambda: gssapi.credential(principal)).result(_PATIENCE)
    except ClusterUnavailable as error:
        conf = os.environ.get("KRB5_CONFIG", "/etc/krb5.conf")
        raise CredentialsError(
            f"no Kerberos ticket within {_PATIENCE:g} s",
            hint=f"look whether a KDC named in {conf} can be reached",
        ) from error
