"""How many containers, and what each gets."""

from __future__ import annotations

from xlearning.config.schema import Group, Kind, ignored, key, missing

_K = Kind
_TENSORFLOW = ("TENSORFLOW", "TENSOR2TENSOR")
_NO_JVM = ignored("there is no JVM in a container that would need a share of its memory")

RESOURCES = Group(
    "Containers and their resources",
    (
        key("am.memory", _K.MEMORY, "1024", "Memory of the ApplicationMaster's container.",
            also=("driver.memory",), low=1),
        key("am.cores", _K.INT, "1", "Virtual cores of the ApplicationMaster's container.",
            also=("driver.cores",), low=1),
        key("worker.memory", _K.MEMORY, "1024", "Memory of each worker.", low=1),
        key("worker.cores", _K.INT, "1", "Virtual cores of each worker.", low=1),
        key("worker.num", _K.INT, "1", "Number of workers, chief and evaluator included.", low=1,
            high=10_000),
        key("ps.memory", _K.MEMORY, "1024", "Memory of each parameter server.", low=1),
        key("ps.cores", _K.INT, "1", "Virtual cores of each parameter server.", low=1),
        key("ps.num", _K.INT, "0", "Number of parameter servers.", low=0, high=10_000),
        key("scheduler.memory", _K.MEMORY, "1024",
            "Memory of the container that brings the others together (scheduler, tracker).", low=1),
        key("scheduler.cores", _K.INT, "1", "Virtual cores of that container.", low=1),
        key("worker.gpus", _K.INT, "0", "GPUs (yarn.io/gpu) of each worker, chief and evaluator included.",
            also=("worker.gcores",), low=0),
        key("ps.gpus", _K.INT, "0", "GPUs (yarn.io/gpu) of each parameter server.",
            also=("ps.gcores",), low=0),
        key("chief.worker.memory", _K.MEMORY, None, "Memory of worker 0; unset: as the other workers.",
            low=1, types=_TENSORFLOW),
        key("evaluator.worker.memory", _K.MEMORY, None, "Memory of the evaluator; unset: as the workers.",
            low=1, types=_TENSORFLOW),
        key("execute.node.limit", _K.INT, None,
            "Most containers that a job may have, the ApplicationMaster not counted; unset: no limit.",
            low=1),
        key("worker.mem.autoscale", _K.FLOAT, "0.5",
            "Attempt n gives each worker (n-1) times this share of its memory on top.", low=0),
        key("ps.mem.autoscale", _K.FLOAT, "0.2",
            "Attempt n gives each parameter server (n-1) times this share of its memory on top.", low=0),
        key("memory.overhead.fraction", _K.FLOAT, "0.1",
            "Hbox: share of the memory that each request got on top for the JVM.", low=0, effect=_NO_JVM),
        key("memory.overhead.minimum", _K.MEMORY, "384", "Hbox: least memory on top for the JVM.",
            effect=_NO_JVM),
        key("container.jvm.memory.fraction", _K.FLOAT, "0.3", "Hbox: share of the memory for the JVM's heap.",
            low=0, effect=_NO_JVM),
        key("container.jvm.memory.minimum", _K.MEMORY, "10240", "Hbox: least memory for the JVM's heap.",
            effect=_NO_JVM),
        key("container.extra.java.opts", _K.STRING, None, "Options of the containers' JVMs.",
            effect=ignored("there is no JVM in the containers")),
    ),
)  # fmt: skip

PLACEMENT = Group(
    "Where containers run",
    (
        key("job.labelname", _K.STRING, None,
            "Label of the nodes for the ApplicationMaster and all containers; that of a role "
            "(nodeLabelExpression) wins over it. Has an effect on YARN."),
        key("am.nodeLabelExpression", _K.STRING, None,
            "Label of the nodes that the ApplicationMaster may run on; has an effect on YARN."),
        key("worker.nodeLabelExpression", _K.STRING, None,
            "Label of the nodes of workers, chief and evaluator included; has an effect on YARN."),
        key("ps.nodeLabelExpression", _K.STRING, None,
            "Label of the nodes of parameter servers; has an effect on YARN."),
        key("host.blacklist", _K.LIST, None, "Hbox: hosts that get no container.",
            effect=missing("keep containers off named hosts",
                           "choose nodes by a label: xlearning.worker.nodeLabelExpression")),
        key("host.local.enable", _K.BOOL, "false",
            "Ask for the hosts that the last run of the same user and name had.",
            effect=missing("ask for the hosts of the last run", "leave it out")),
    ),
)  # fmt: skip
