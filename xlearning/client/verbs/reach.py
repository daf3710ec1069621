"""The way to the ApplicationMaster of a job that runs: by what its staging folder holds."""

from __future__ import annotations

from xlearning.client.session import AmConnection, find_am
from xlearning.client.verbs.applications import Found
from xlearning.errors import ClusterError, ClusterUnavailable, StorageError
from xlearning.fs.owners import NotBelieved


class Unreachable(ClusterUnavailable):
    """The ApplicationMaster cannot be asked, for a reason that is told."""


def connect(found: Found) -> AmConnection:
    """A connection to the ApplicationMaster; it has not been tried yet.

    Raises
    ------
    Unreachable
        The staging folder cannot be read or is somebody else's, or there is no ApplicationMaster yet.
    """
    app_id, user = found.app_id, found.report.user
    try:
        staging = found.place.staging(app_id)
        target = find_am(found.place.fss, staging, user)
        if target is not None:
            return AmConnection.open(found.place.fss, staging, target)
    except PermissionError as error:
        raise Unreachable(
            f"{app_id} is a job of {user}: its staging folder, which holds the key to it, is private"
        ) from error
    except NotBelieved as error:
        raise Unreachable(error.message) from error
    except FileNotFoundError as error:
        raise Unreachable(f"{app_id} is starting or ending: {error}") from error
    except (StorageError, ClusterError) as error:
        raise Unreachable(f"the staging folder of {app_id} cannot be read: {error.message}") from error
    raise Unreachable(
        f"the ApplicationMaster of {app_id} cannot be reached yet: there is no address in {staging}",
        hint="try again; a job submitted with another xlearning.staging.dir needs the same --conf here",
    )
