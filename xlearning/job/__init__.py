"""What a job is and how it stands: plain frozen records that every room understands.

``JobSpec`` is what the client plans and stages as ``job.json``; ``Snapshot`` is what the
ApplicationMaster publishes for the page, the API, the client and the history.
All records turn into JSON-ready dictionaries with `to_dict` and back with `from_dict`.
"""

from __future__ import annotations

from xlearning.job.kinds import (
    CHIEF,
    EVALUATOR,
    PS,
    SCHEDULER,
    WORKER,
    AppState,
    ContainerState,
    InputStrategy,
    OutputStrategy,
    ResourceKind,
    SaveState,
    SaveTrigger,
)
from xlearning.job.launch import (
    FetchItem,
    InputSplit,
    LaunchSpec,
    SinkSpec,
    StreamSpec,
)
from xlearning.job.records import (
    from_dict,
    to_dict,
)
from xlearning.job.spec import (
    TENSORBOARD,
    VISUALDL,
    BoardSpec,
    InputSpec,
    JobSpec,
    LocalResource,
    OutputSpec,
    RoleSpec,
    SearchPaths,
)
from xlearning.job.tasks import ClusterMap, Member, Task
from xlearning.job.views import (
    BoardView,
    ContainerView,
    GpuView,
    InputView,
    SaveView,
    Snapshot,
    TransferView,
)

__all__ = [
    "CHIEF",
    "EVALUATOR",
    "PS",
    "SCHEDULER",
    "TENSORBOARD",
    "VISUALDL",
    "WORKER",
    "AppState",
    "BoardSpec",
    "BoardView",
    "ClusterMap",
    "ContainerState",
    "ContainerView",
    "FetchItem",
    "GpuView",
    "InputSpec",
    "InputSplit",
    "InputStrategy",
    "InputView",
    "JobSpec",
    "LaunchSpec",
    "LocalResource",
    "Member",
    "OutputSpec",
    "OutputStrategy",
    "ResourceKind",
    "RoleSpec",
    "SaveState",
    "SaveTrigger",
    "SaveView",
    "SearchPaths",
    "SinkSpec",
    "Snapshot",
    "StreamSpec",
    "Task",
    "TransferView",
    "from_dict",
    "to_dict",
]
