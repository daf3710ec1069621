"""Names and states: roles, strategies, what applications, containers and saves can be."""

from __future__ import annotations

import enum

WORKER, PS, CHIEF, EVALUATOR, SCHEDULER = "worker", "ps", "chief", "evaluator", "scheduler"


class InputStrategy(str, enum.Enum):
    """How input files reach the program."""

    DOWNLOAD = "DOWNLOAD"
    PLACEHOLDER = "PLACEHOLDER"
    STREAM = "STREAM"

    @classmethod
    def _missing_(cls, value: object) -> InputStrategy | None:
        return cls.STREAM if value == "INPUTFORMAT" else None  # its older name


class OutputStrategy(str, enum.Enum):
    """How output leaves the container."""

    UPLOAD = "UPLOAD"
    STREAM = "STREAM"

    @classmethod
    def _missing_(cls, value: object) -> OutputStrategy | None:
        return cls.STREAM if value == "OUTPUTFORMAT" else None  # its older name


class ResourceKind(str, enum.Enum):
    """What a localized resource is: a file, or an archive that is unpacked into a folder."""

    FILE = "FILE"
    ARCHIVE = "ARCHIVE"


class AppState(str, enum.Enum):
    """State of an application, in YARN's words."""

    SUBMITTED = "SUBMITTED"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    KILLED = "KILLED"

    @property
    def final(self) -> bool:
        return self in (AppState.SUCCEEDED, AppState.FAILED, AppState.KILLED)


class ContainerState(str, enum.Enum):
    """State of one container, in the order in which a healthy one passes them."""

    GRANTED = "GRANTED"  # YARN gave it; its agent has not called yet
    REGISTERED = "REGISTERED"  # its agent is connected
    PREPARING = "PREPARING"  # it has a role and an index and reserves its ports
    LAUNCHING = "LAUNCHING"  # it fetches its input
    RUNNING = "RUNNING"  # the user process runs
    STOPPING = "STOPPING"  # the user process was told to stop
    UPLOADING = "UPLOADING"  # the process has ended, its output is on the way
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    STOPPED = "STOPPED"  # ended by us because nobody needs it any more
    LOST = "LOST"  # died or fell silent before its work was done

    @property
    def final(self) -> bool:
        return self in _FINAL


_FINAL = frozenset(
    (ContainerState.SUCCEEDED, ContainerState.FAILED, ContainerState.STOPPED, ContainerState.LOST)
)


class SaveState(str, enum.Enum):
    """How one "Save Model" stands."""

    QUEUED = "QUEUED"  # waits for the end of the one that runs
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"  # the parts of all containers are there
    PARTIAL = "PARTIAL"  # those of some are
    FAILED = "FAILED"

    @property
    def final(self) -> bool:
        return self not in (SaveState.QUEUED, SaveState.RUNNING)


class SaveTrigger(str, enum.Enum):
    """What made a "Save Model" begin."""

    COMMAND = "command"  # xl-submit save, or the Python API
    PAGE = "page"
    INTERVAL = "interval"  # xlearning.interresult.upload.interval
