"""A job as skein's specification: one service per role, all of its containers asked for at once.

Where memory grows with the attempt, one more service per role and later attempt, see `attempts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xlearning.cluster import attempts, docker
from xlearning.cluster.gpus import gpus
from xlearning.cluster.resource_manager import tags
from xlearning.cluster.yarn_resources import node_label
from xlearning.cluster.yarn_script import (
    EXTRAS_LIBRARY,
    LIBRARY,
    MASTER_LIBRARY,
    Launch,
    NodePackage,
    agent_script,
    am_script,
)
from xlearning.config import Config
from xlearning.fs.base import split_uri
from xlearning.job import JobSpec, RoleSpec

AM_EXTRA_MB = 256  # for skein's own JVM, which shares the ApplicationMaster's container
DEFAULT_QUEUE = "default"
# Without the first, skein's overview page fails on Java 16 and newer as soon as it has a link to show.
_AM_JAVA = "--add-opens=java.base/java.util=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1"


def specification(
    skein: Any,
    job: JobSpec,
    sources: Mapping[str, str],
    package: NodePackage,
    launch: Launch,
    security: Any,
) -> Any:
    """The skein application of a job.

    Parameters
    ----------
    skein : module
        Given, so that `xlearning.cluster.skein` stays the one place that imports it.
    sources : mapping
        Resource name -> URI that skein takes it from.
    package : NodePackage
        Ours for the nodes.
    security : skein.Security
        Credential of the application.
    """
    config = Config.from_properties(job.properties)
    library, master_library = _libraries(skein, package)
    files = {
        r.name: skein.File(
            sources[r.name], type=r.kind.value, visibility="PRIVATE" if r.kept else "APPLICATION"
        )
        for r in job.resources
    }

    def service(role: RoleSpec, instances: int) -> Any:
        return skein.Service(
            resources=skein.Resources(memory=role.memory_mb, vcores=role.vcores, gpus=gpus(role, config)),
            node_label=node_label(role.name, config),
            script=agent_script(launch, role.name),
            instances=instances,
            files={**files, **library},
            env=docker.variables(config),
            max_restarts=0,
            allow_failures=True,
        )

    services = {role.name: service(role, role.instances) for role in job.roles}
    for attempt in attempts.later(job.roles, config):
        for role in job.roles:
            services[attempts.service(role.name, attempt)] = service(attempts.grow(role, config, attempt), 0)
    master = skein.Master(
        resources=skein.Resources(
            memory=config.get("xlearning.am.memory") + AM_EXTRA_MB, vcores=config.get("xlearning.am.cores")
        ),
        script=am_script(launch, config.family("xlearning.am.env.")),
        files={**library, **master_library},
        env={"JDK_JAVA_OPTIONS": _AM_JAVA},
        security=security,
        log_level="WARN",
    )
    return skein.ApplicationSpec(
        services=services,
        master=master,
        name=job.app_name,
        queue=config.get("xlearning.app.queue") or DEFAULT_QUEUE,
        tags=tags(job.app_type),
        node_label=node_label("am", config),
        max_attempts=config.get("xlearning.app.max.attempts"),
        file_systems=list(launch.file_systems),
        acls=_acls(skein, launch.viewers),
    )


def _libraries(skein: Any, package: NodePackage) -> tuple[dict[str, Any], dict[str, Any]]:
    """Our archives for all containers, and those that only the ApplicationMaster gets on top."""
    visibility = "PUBLIC" if package.public else "PRIVATE"
    base = {LIBRARY: skein.File(package.base, type="ARCHIVE", visibility=visibility)}
    if package.extras:
        base[EXTRAS_LIBRARY] = skein.File(package.extras, type="ARCHIVE", visibility="PRIVATE")
    if not package.master:
        return base, {}
    return base, {MASTER_LIBRARY: skein.File(package.master, type="ARCHIVE", visibility=visibility)}


def _acls(skein: Any, viewers: Sequence[str]) -> Any:
    """Who may see the application. skein itself lets in whom its JVM runs as, who need not be the owner."""
    if not viewers:
        return skein.ACLs()
    return skein.ACLs(enable=True, ui_users=list(viewers), view_users=list(viewers))


def local_bytes(job: JobSpec) -> int:
    """Bytes of this machine's files, which the driver uploads before it submits."""
    paths = [path for scheme, _, path in (split_uri(r.uri) for r in job.resources) if scheme == "file"]
    return sum(Path(path).stat().st_size for path in paths)


def readable(spec: Any) -> str:
    """A specification as YAML for people: scripts line by line, nothing that is empty."""
    import yaml  # type: ignore[import-untyped]

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        """Writes long texts as blocks."""

    def text(dumper: Any, value: str) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    Dumper.add_representer(str, text)
    return str(yaml.dump(_without_empty(spec.to_dict()), Dumper=Dumper, sort_keys=False))


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_empty(part) for key, part in value.items() if part not in ("", [], {}, None)}
    return value
