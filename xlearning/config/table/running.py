"""Containers while they run: failures, time-outs, ports, logs, agents, Docker."""

from __future__ import annotations

from xlearning.config.schema import Group, Kind, ignored, key

_K = Kind
_BEAT = ignored("agents report every xlearning.agent.beat.interval")
_PUSHED = ignored("what happens is told at once, nobody asks for it at intervals")
_CARRIER = ignored("the original set it itself; variables are given by xlearning.container.env.NAME")

CONTAINERS = Group(
    "Running containers",
    (
        key("container.maxFailures.rate", _K.FLOAT, "0.5",
            "A job of independent workers fails when this share of them has failed.", low=0, high=1),
        key("container.start.retry", _K.INT, "2",
            "Replacements, per role, of containers that die before they register.", low=0),
        key("container.stop.grace", _K.DURATION_S, "2s", "Time between TERM and KILL.", low=0),
        key("evaluator.stop.grace", _K.DURATION_S, "60s",
            "Time that an evaluator gets to finish once the workers are done.", low=0),
        key("localresource.timeout", _K.DURATION_MS, "300000",
            "A container must register within this time, and then reserve its ports.", low=0.1),
        key("allocate.timeout", _K.DURATION_S, "0", "Longest wait for all containers; 0: no limit.", low=0),
        key("allocate.interval", _K.DURATION_MS, "1000", "Time between two requests to YARN.",
            effect=ignored("all containers are asked for at once")),
        key("status.update.interval", _K.DURATION_MS, "1000", "Time between two looks at the containers.",
            effect=_PUSHED),
        key("container.update.appstatus.interval", _K.DURATION_MS, "3000",
            "Time between two looks of a container at the job.", effect=_PUSHED),
        key("container.update.appstatus.retry", _K.INT, None, "Hbox: declared, and never read.",
            effect=ignored("Hbox did not read it either")),
        key("container.mem.usage.warn.fraction", _K.FLOAT, "0.7",
            "Share of the memory below which the page warned of a request too large.", low=0,
            effect=ignored("pages show the memory in use, without a warning")),
        key("container.running.log.enable", _K.BOOL, "false", "Hbox: keep output of programs for the page.",
            effect=ignored("the page and xl-submit logs show what programs write in any case")),
        key("log.max.size", _K.SIZE, "0", "Largest log file of a program; 0: no limit.", low=0),
        key("log.sampling", _K.BOOL, "true",
            "Hbox: false makes successful containers exit with an error, so that YARN keeps their logs.",
            effect=ignored("exit codes are the programs' own, and xl-submit logs finds all logs that YARN "
                           "keeps")),
        key("env.maxlength", _K.INT, "102400",
            "Characters; beyond it the program's file list goes to a file instead of a variable.", low=1),
        key("container.extraEnv", _K.STRING, None, "Set by the original itself: variables of the programs.",
            also=("container.env",), effect=_CARRIER),
        key("reserve.port.begin", _K.INT, "20000", "First port that may be reserved for a program.", low=1,
            high=65535),
        key("reserve.port.end", _K.INT, "30000", "End of the port range; not part of it.", low=2, high=65536),
    ),
)  # fmt: skip

AGENTS = Group(
    "Agents",
    (
        key("agent.timeout", _K.DURATION_S, "10s", "An agent silent for longer counts as lost.", low=0.1),
        key("task.timeout", _K.DURATION_MS, None,
            "xlearning.agent.timeout by its old name, and then in its place. 300000, as in the original's "
            "own files, means not set.", low=0.1, defaults=("300000",)),
        key("task.timeout.check.interval", _K.DURATION_MS, "3000", "Time between two looks for silence.",
            effect=ignored("silence is noticed within a second")),
        key("agent.beat.interval", _K.DURATION_S, "1s", "How often an agent reports.", low=0.05),
        key("container.heartbeat.interval", _K.DURATION_MS, "10000", "How often a container reported.",
            effect=_BEAT),
        key("container.heartbeat.retry", _K.INT, "3", "How often a failed report was repeated.",
            effect=ignored("an agent tries for xlearning.agent.reconnect.timeout")),
        key("agent.reconnect.window", _K.DURATION_S, "1s",
            "An agent whose connection broke has this time to come back.", low=0),
        key("agent.reconnect.timeout", _K.DURATION_S, "60s",
            "An agent without an ApplicationMaster gives up after this time.", low=0),
    ),
)  # fmt: skip

DOCKER = Group(
    "Docker",
    (
        key("container.type", _K.ENUM, "YARN", "yarn, or docker for programs in Docker containers.",
            also=("container.mode", "yarn.nodemanager.container-executor.type"), values=("YARN", "DOCKER"),
            defaults=("default", "")),
        key("docker.image", _K.STRING, None, "Image of the Docker containers.",
            also=("docker.image.name", "yarn.nodemanager.docker-container-executor.image-name")),
        key("docker.runtime", _K.ENUM, "AGENT",
            "Who starts Docker containers: AGENT, each agent by docker run, for its program alone; or YARN, "
            "whose NodeManagers then run whole containers in the image.", values=("AGENT", "YARN")),
        key("docker.registry.host", _K.STRING, None, "Host that the Docker image comes from."),
        key("docker.registry.port", _K.INT, None, "Port of the host that the Docker image comes from.",
            low=1, high=65535),
        key("docker.pull", _K.BOOL, "true",
            "Pull the image before each start; false: it is on every node already."),
        key("docker.command", _K.STRING, "docker", "Docker's command on the nodes: a name or a path.",
            also=("yarn.nodemanager.docker-container-executor.exec-name",)),
        key("docker.run.args", _K.STRING, None,
            "Further arguments of docker run, split as a shell would; they win over those of XLearning."),
        key("docker.mounts", _K.LIST, None,
            "What else containers see of their nodes: SOURCE:TARGET:ro or SOURCE:TARGET:rw, as for YARN."),
        key("docker.worker.dir", _K.STRING, "work", "Working folder in a Docker container.",
            also=("docker.work.dir",), defaults=("/work",)),
        key("docker.num.per.worker", _K.INT, "0", "Hbox: most Docker containers of one host.",
            effect=ignored("YARN places containers by their memory and cores, those with Docker too")),
        key("nodemanager.webapp.port", _K.INT, "8042",
            "Hbox: port of the NodeManagers' page, asked for GPUs.",
            effect=ignored("agents ask the GPUs themselves")),
    ),
)  # fmt: skip
