"""What a secure cluster's configuration has beyond that of a plain one."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from . import realm
from .errors import MiniHadoopError
from .layout import Layout, State

Values = Mapping[str, object]

# A secure NodeManager that aggregates logs needs libhadoop.so, which no jar carries, and ends itself with
# the first application without it. libhadoop would insist that log files belong to the application's user,
# whom containers of DefaultContainerExecutor do not run as. So NodeManagers get this class instead.
_STAND_IN = """\
package org.apache.hadoop.io;
import java.io.*;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.*;
/** For tests only: no owner is checked. */
public class SecureIOUtils {
  public static RandomAccessFile openForRandomRead(File f, String mode, String owner, String group)
      throws IOException { return new RandomAccessFile(f, mode); }
  public static FSDataInputStream openFSDataInputStream(File f, String owner, String group)
      throws IOException {
    return FileSystem.getLocal(new Configuration()).getRaw().open(new Path(f.getAbsolutePath())); }
  public static FileInputStream openForRead(File f, String owner, String group) throws IOException {
    return new FileInputStream(f); }
  public static FileOutputStream createForWrite(File f, int permissions) throws IOException {
    if (!f.createNewFile()) throw new AlreadyExistsException("File " + f + " already exists");
    return new FileOutputStream(f); }
  public static class AlreadyExistsException extends IOException {
    public AlreadyExistsException(String m) { super(m); }
    public AlreadyExistsException(Throwable c) { super(c); } }
}
"""


def core_site(layout: Layout) -> Values:
    """Additions to ``core-site.xml``."""
    groups = [f"{name}={'supergroup' if name == 'nn' else 'hadoop'}" for name in ("nn", "dn", "rm", "nm")]
    groups += ["HTTP=", *(f"{user}=users" for user in realm.USERS)]
    web = "hadoop.http.authentication"
    return {
        "hadoop.security.authentication": "kerberos",
        "hadoop.security.authorization": "true",
        "hadoop.security.auth_to_local": "DEFAULT",
        "hadoop.user.group.static.mapping.overrides": ";".join(groups),
        "hadoop.http.filter.initializers": "org.apache.hadoop.security.AuthenticationFilterInitializer",
        f"{web}.type": "kerberos",
        f"{web}.kerberos.principal": realm.principal("HTTP"),
        f"{web}.kerberos.keytab": layout.keytabs / "HTTP.keytab",
        f"{web}.signature.secret.file": layout.http_secret,
    }


def hdfs_site(layout: Layout) -> Values:
    """Additions to ``hdfs-site.xml``."""
    web = "dfs.web.authentication"
    return {
        "dfs.block.access.token.enable": "true",
        "dfs.data.transfer.protection": "authentication",
        # real clusters put DataNodes on ports below 1024 or on HTTPS
        "ignore.secure.ports.for.testing": "true",
        "dfs.namenode.kerberos.principal": realm.principal("nn"),
        "dfs.namenode.keytab.file": layout.keytabs / "nn.keytab",
        "dfs.datanode.kerberos.principal": realm.principal("dn"),
        "dfs.datanode.keytab.file": layout.keytabs / "dn.keytab",
        "dfs.namenode.kerberos.internal.spnego.principal": realm.principal("HTTP"),
        f"{web}.kerberos.principal": realm.principal("HTTP"),
        f"{web}.kerberos.keytab": layout.keytabs / "HTTP.keytab",
        f"{web}.signature.secret.file": layout.http_secret,
    }


def yarn_site(layout: Layout) -> Values:
    """Additions to ``yarn-site.xml``."""
    found: dict[str, object] = {
        "yarn.acl.enable": "true",
        "yarn.admin.acl": "rm",
        "yarn.web-proxy.principal": realm.principal("rm"),
        "yarn.web-proxy.keytab": layout.keytabs / "rm.keytab",
        # containers have no other way to this realm: it is not that of /etc/krb5.conf
        "yarn.nodemanager.admin-env": f"KRB5_CONFIG={layout.krb5_conf},"
        f"JAVA_TOOL_OPTIONS={java_option(layout)}",
    }
    for service, short in (("resourcemanager", "rm"), ("nodemanager", "nm")):
        found |= {
            f"yarn.{service}.principal": realm.principal(short),
            f"yarn.{service}.keytab": layout.keytabs / f"{short}.keytab",
            f"yarn.{service}.webapp.spnego-principal": realm.principal("HTTP"),
            f"yarn.{service}.webapp.spnego-keytab-file": layout.keytabs / "HTTP.keytab",
        }
    return found


def java_option(layout: Layout) -> str:
    """How a JVM is told of the realm: it does not look at KRB5_CONFIG."""
    return f"-Djava.security.krb5.conf={layout.krb5_conf}"


def compile_stand_in(layout: Layout, state: State) -> None:
    """Compile the class that NodeManagers take in place of Hadoop's.

    Raises
    ------
    MiniHadoopError
        There is no Java compiler, or it failed.
    """
    made = layout.stand_in / "org/apache/hadoop/io/SecureIOUtils.class"
    if made.exists():
        return
    compiler = Path(state.java_home) / "bin/javac"
    if not compiler.exists():
        raise MiniHadoopError(f"{state.java_home} has no javac, which a secure cluster needs: install a JDK")
    source = layout.stand_in / "SecureIOUtils.java"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(_STAND_IN)
    words = [str(compiler), "-nowarn", "-cp", f"{state.lib}/*", "-d", str(layout.stand_in), str(source)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise MiniHadoopError(f"javac failed on {source}: {done.stderr.strip()[-300:]}")
