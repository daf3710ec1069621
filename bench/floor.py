"""The same job with skein alone, as lean as it can be: what YARN and skein cost whatever one adds.

`submit` starts skein's driver with the flags that `xl-submit` gives it, submits an application with
declared containers, and waits for its end. The ApplicationMaster script (`am`) listens and puts its
address into skein's key-value store; each container's script (`worker`) looks it up there, connects,
notes the time and ends. When all connections have ended the application is shut down. Nothing is
shipped but what skein itself ships.
"""

from __future__ import annotations

import os
import shlex
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from processes import started

_POLL = 0.1  # seconds between two questions to YARN


def note(folder: str, name: str, when: float | None = None) -> None:
    """Leave a time for the one who measures."""
    Path(folder, name).write_text(f"{time.time() if when is None else when:.3f}")


def submit(folder: str, workers: int) -> int:
    """Run the whole application; 0 when it has succeeded."""
    import skein

    from xlearning.cluster.skein_driver import JAVA
    from xlearning.cluster.skein_spec import _AM_JAVA

    os.environ["no_grpc_proxy"] = "127.0.0.1,localhost"  # noqa: SIM112 - grpc reads it in lower case
    security = skein.Security.new_credentials()
    client = skein.Client(security=security, log=False, log_level="WARN", java_options=JAVA)
    worker = skein.Service(
        resources=skein.Resources(memory=512, vcores=1),
        script=_script("worker", folder),
        instances=workers,
        max_restarts=0,
        allow_failures=True,
    )
    master = skein.Master(
        resources=skein.Resources(memory=768, vcores=1),
        script=_script("am", folder, str(workers)),
        env={"JDK_JAVA_OPTIONS": _AM_JAVA},
        security=security,
        log_level="WARN",
    )
    spec = skein.ApplicationSpec(services={"worker": worker}, master=master, name="floor")
    app_id = client.submit(spec)
    note(folder, "submitted")
    while (report := client.application_report(app_id)).final_status == "UNDEFINED":
        time.sleep(_POLL)
    client.close()
    return 0 if report.final_status == "SUCCEEDED" else 1


def am(folder: str, workers: int) -> int:
    """The ApplicationMaster script."""
    note(folder, "am-script", started(os.getpid()))
    import skein

    with socket.create_server((os.environ["NM_HOST"], 0)) as server:
        app = skein.ApplicationClient.from_current()
        app.kv["am"] = f"{os.environ['NM_HOST']}:{server.getsockname()[1]}".encode()
        note(folder, "am-running")
        connections = [server.accept()[0] for _ in range(workers)]
    for connection in connections:
        with connection:
            connection.recv(1)
    app.shutdown("SUCCEEDED")
    return 0


def worker(folder: str) -> int:
    """A container's script."""
    name = os.environ["SKEIN_CONTAINER_ID"]
    note(folder, f"container.{name}", started(os.getpid()))
    import skein

    host, _, port = skein.ApplicationClient.from_current().kv.wait("am").decode().rpartition(":")
    with socket.create_connection((host, int(port))):
        note(folder, f"first.{name}")
        note(folder, f"last.{name}")
    return 0


def _script(*words: str) -> str:
    command = shlex.join([sys.executable, str(Path(__file__).resolve()), *words])
    return f"unset JDK_JAVA_OPTIONS\nexec {command}\n"


def main() -> int:
    """One of the three."""
    part, folder, *rest = sys.argv[1:]
    if part == "submit":
        return submit(folder, int(rest[0]))
    return am(folder, int(rest[0])) if part == "am" else worker(folder)


if __name__ == "__main__":
    sys.exit(main())
