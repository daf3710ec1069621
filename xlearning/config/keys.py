"""The one table of all properties: name, type, default, meaning, aliases, option."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

PREFIX = "xlearning."
HBOX_PREFIX = "hbox."


class Kind(Enum):
    """How the text of a property is read, and the Python type that comes out."""

    STRING = "text"  # str
    INT = "int"  # int
    FLOAT = "float"  # float
    BOOL = "bool"  # bool
    MEMORY = "memory"  # int, MB; a plain number is MB
    DURATION_MS = "duration (ms)"  # float seconds; a plain number is milliseconds
    DURATION_S = "duration (s)"  # float seconds; a plain number is seconds
    SIZE = "size"  # int, bytes
    ENUM = "enum"  # str, one of `Key.values`
    PATH = "path"  # str; a leading ~ is the home folder
    LIST = "list"  # tuple of str, separated by commas


class Key(NamedTuple):
    """One property.

    Attributes
    ----------
    default : str or None
        Text form; None means "not set".
    aliases : tuple of str
        Other full names that mean the same property.
    option : str
        The option of ``xl-submit`` that sets it, or "".
    values : tuple of str
        Allowed values of an ``ENUM``.
    minimum, maximum : float or None
        Inclusive bounds, in the unit of the typed value.
    """

    name: str
    kind: Kind
    default: str | None
    doc: str
    aliases: tuple[str, ...] = ()
    option: str = ""
    values: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None


class Family(NamedTuple):
    """Properties that share a prefix; the rest of the name is the user's (kept as written)."""

    prefix: str
    doc: str
    aliases: tuple[str, ...] = ()


def _key(
    short: str,
    kind: Kind,
    default: str | None,
    doc: str,
    *,
    option: str = "",
    hbox: str = "",
    values: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
) -> Key:
    """A key named ``xlearning.<short>``, known to Hbox as ``hbox.<hbox or short>``."""
    alias = HBOX_PREFIX + (hbox or short)
    return Key(PREFIX + short, kind, default, doc, (alias,), option, values, low, high)


_K = Kind

KEYS: tuple[Key, ...] = (
    # resources
    _key("am.memory", _K.MEMORY, "1024", "Memory of the ApplicationMaster's container.",
         option="--am-memory", hbox="driver.memory", low=1),
    _key("am.cores", _K.INT, "1", "Virtual cores of the ApplicationMaster's container.",
         option="--am-cores", hbox="driver.cores", low=1),
    _key("worker.memory", _K.MEMORY, "1024", "Memory of each worker.", option="--worker-memory", low=1),
    _key("worker.cores", _K.INT, "1", "Virtual cores of each worker.", option="--worker-cores", low=1),
    _key("worker.num", _K.INT, "1", "Number of workers, chief and evaluator included.",
         option="--worker-num", low=1, high=10_000),
    _key("ps.memory", _K.MEMORY, "1024", "Memory of each parameter server.", option="--ps-memory", low=1),
    _key("ps.cores", _K.INT, "1", "Virtual cores of each parameter server.", option="--ps-cores", low=1),
    _key("ps.num", _K.INT, "0", "Number of parameter servers.", option="--ps-num",
         low=0, high=10_000),
    _key("worker.gpus", _K.INT, "0", "GPUs (yarn.io/gpu) of each worker; has an effect on YARN.",
         option="--worker-gpus", low=0)._replace(aliases=("hbox.worker.gpus", "xlearning.worker.gcores")),
    _key("ps.gpus", _K.INT, "0", "GPUs (yarn.io/gpu) of each parameter server; has an effect on YARN.",
         option="--ps-gpus", low=0)._replace(aliases=("hbox.ps.gpus", "xlearning.ps.gcores")),
    _key("chief.worker.memory", _K.MEMORY, None, "Memory of worker 0; unset: as the other workers.",
         option="--chiefworker-memory", low=1),
    _key("evaluator.worker.memory", _K.MEMORY, None, "Memory of the evaluator; unset: as the workers.",
         option="--evaluatorworker-memory", low=1),
    _key("worker.mem.autoscale", _K.FLOAT, "0.5",
         "Attempt n gives each worker (n-1) times this share of its memory on top.", low=0),
    _key("ps.mem.autoscale", _K.FLOAT, "0.2",
         "Attempt n gives each parameter server (n-1) times this share of its memory on top.", low=0),
    _key("am.nodeLabelExpression", _K.STRING, None,
         "Label of the nodes that the ApplicationMaster may run on; has an effect on YARN."),
    _key("worker.nodeLabelExpression", _K.STRING, None,
         "The same for workers, chief and evaluator included."),
    _key("ps.nodeLabelExpression", _K.STRING, None, "The same for parameter servers."),
    # the application
    _key("staging.dir", _K.PATH, "/tmp/XLearning/staging",
         "Folder that holds one staging folder per application."),
    _key("cleanup.enable", _K.BOOL, "true", "Delete the application's staging folder at the end."),
    _key("app.max.attempts", _K.INT, "1", "How often the whole job is tried.", low=1),
    _key("app.queue", _K.STRING, None, "Queue of the application on YARN; unset: the cluster's default.",
         option="--queue"),
    _key("app.priority", _K.STRING, None,
         "Priority of the application on YARN: a number from 0, or a name such as NORMAL, which is 3.",
         option="--priority"),
    _key("job.exec.timeout", _K.DURATION_MS, "0", "A job that runs longer fails; 0: no limit.", low=0),
    _key("log.pull.interval", _K.DURATION_MS, "1000", "How often xl-submit asks for news.", low=0.01),
    _key("history.log.dir", _K.PATH, "/tmp/XLearning/history", "Folder of the history records."),
    _key("python", _K.STRING, None,
         "Python interpreter of the ApplicationMaster and the agents; unset: the one that runs xl-submit."),
    _key("nodes.python", _K.STRING, None,
         "Python version of the nodes, such as 3.10; unset: that in the name of xlearning.python, else that "
         "of xl-submit."),
    _key("nodes.glibc", _K.STRING, None,
         "Version of the nodes' C library, such as 2.28; unset: that of the machine of xl-submit."),
    _key("yarn.archive", _K.PATH, None,
         "XLearning's package for the nodes, on HDFS, made by xl-submit package; unset: xl-submit makes and "
         "uploads one."),
    # secure clusters
    _key("kerberos.keytab", _K.PATH, None,
         "Keytab of the one who submits; unset: the ticket cache of kinit.", option="--keytab"),
    _key("kerberos.principal", _K.STRING, None, "Principal of the keytab; unset: its first one.",
         option="--principal"),
    _key("kerberos.min.lifetime", _K.DURATION_S, "60s",
         "A ticket that ends sooner is refused at submission; a job that runs does not need it.", low=0),
    # TensorFlow
    _key("tf.evaluator", _K.BOOL, "false", "The last worker becomes the evaluator.", option="--tf-evaluator"),
    _key("tf.distribution.strategy", _K.BOOL, "false",
         "Give workers a cluster definition even without parameter servers."),
    # input and output
    _key("input.strategy", _K.ENUM, "DOWNLOAD",
         "DOWNLOAD copies files into the container, PLACEHOLDER hands over their addresses, STREAM (or "
         "INPUTFORMAT) feeds their records to standard input.",
         option="--input-strategy", values=("DOWNLOAD", "PLACEHOLDER", "STREAM", "INPUTFORMAT")),
    _key("output.strategy", _K.ENUM, "UPLOAD", "UPLOAD copies local folders to the output at the end.",
         option="--output-strategy", values=("UPLOAD",)),
    _key("inputfile.rename", _K.BOOL, "false",
         "Give downloaded files generated names, so that equal base names do not collide.",
         option="--isRenameInputFile"),
    _key("input.allow.empty", _K.BOOL, "false", "Accept an input that matches no file.",
         option="--allow-empty-input"),
    _key("inputformat.class", _K.STRING, "text",
         "STREAM: format of the files, text or the name of Hadoop's class for it.", option="--inputformat"),
    _key("stream.epoch", _K.INT, "1", "STREAM: how often a worker's input is fed to its program.",
         option="--stream-epoch", low=1),
    _key("input.stream.shuffle", _K.BOOL, "false",
         "STREAM: deal split i to worker i mod W, instead of neighbours to each worker.",
         option="--inputformat-shuffle"),
    Key("xlearning.input.split.minsize", _K.SIZE, "1", "STREAM: smallest size of a split.",
        ("hbox.input.split.minsize", "mapreduce.input.fileinputformat.split.minsize",
         "mapred.min.split.size"), minimum=0),
    Key("xlearning.input.split.maxsize", _K.SIZE, "0",
        "STREAM: largest size of a split; 0: a block of the file (128 MiB on local disks).",
        ("hbox.input.split.maxsize", "mapreduce.input.fileinputformat.split.maxsize",
         "mapred.max.split.size"), minimum=0),
    _key("workers.match.files", _K.BOOL, "true",
         "Lower the number of workers to the number of files of the smallest input."),
    _key("output.local.dir", _K.STRING, "output", "Local name of an --output without #local."),
    _key("container.auto.create.output.dir", _K.BOOL, "true",
         "Make the local output folders before the program starts."),
    _key("createcontainerid.dir", _K.BOOL, None,
         "Put each container's output into a folder named by its id; unset: yes with several workers, "
         "no with one.", option="--create-containerid-dir"),
    _key("interresult.dir", _K.STRING, "/interResult_",
         "Start of the name of the folder that Save Model makes below an output."),
    _key("interresult.upload.timeout", _K.DURATION_MS, "1800000",
         "A Save Model that takes longer fails for the containers that are not done; 0: no limit.", low=0),
    _key("download.file.retry", _K.INT, "3",
         "No effect: transfers are repeated for xlearning.fs.retry.time.", low=0),
    _key("download.file.thread.nums", _K.INT, "10", "Files downloaded at the same time.",
         low=1, high=1000),
    _key("upload.output.thread.nums", _K.INT, "10", "Files uploaded at the same time.",
         hbox="upload.file.thread.nums", low=1, high=1000),
    _key("fs.timeout", _K.DURATION_S, "15s", "Longest wait for a file system's first answer.", low=0.1),
    _key("fs.retry.time", _K.DURATION_S, "120s",
         "Transfers and commits keep trying so long while a file system is away.", low=0),
    # TensorBoard
    _key("tf.board.enable", _K.BOOL, "true", "Run TensorBoard beside one worker.", option="--board-enable"),
    _key("tf.board.worker.index", _K.INT, "0", "Index of that worker.", option="--board-index", low=0),
    _key("tf.board.reload.interval", _K.INT, "1", "Seconds between two looks at the event files.",
         option="--board-reloadinterval", low=0),
    _key("tf.board.log.dir", _K.STRING, "eventLog", "Folder of the event files.", option="--board-logdir"),
    _key("tf.board.path", _K.STRING, "tensorboard", "The TensorBoard program."),
    # containers
    _key("container.maxFailures.rate", _K.FLOAT, "0.5",
         "A job of independent workers fails when this share of them has failed.", low=0, high=1),
    _key("container.start.retry", _K.INT, "2",
         "Replacements, per role, of containers that die before they register.", low=0),
    _key("container.stop.grace", _K.DURATION_S, "2s", "Time between TERM and KILL.", low=0),
    _key("evaluator.stop.grace", _K.DURATION_S, "60s",
         "Time that an evaluator gets to finish once the workers are done.", low=0),
    _key("localresource.timeout", _K.DURATION_MS, "300000",
         "A container that was allocated must register within this time.", low=0.1),
    _key("allocate.timeout", _K.DURATION_S, "0", "Longest wait for all containers; 0: no limit.", low=0),
    _key("env.maxlength", _K.INT, "102400",
         "Characters; beyond it the program's file list goes to a file instead of a variable.", low=1),
    _key("reserve.port.begin", _K.INT, "20000", "First port that may be reserved for a program.",
         low=1, high=65535),
    _key("reserve.port.end", _K.INT, "30000", "End of the port range; not part of it.", low=2, high=65536),
    _key("log.max.size", _K.SIZE, "0", "Largest log file of a program; 0: no limit.", low=0),
    # agents
    _key("agent.timeout", _K.DURATION_S, "10s", "An agent silent for longer counts as lost.", low=0.1),
    _key("agent.beat.interval", _K.DURATION_S, "1s", "How often an agent reports.", low=0.05),
    _key("agent.reconnect.window", _K.DURATION_S, "1s",
         "An agent whose connection broke has this time to come back.", low=0),
    _key("agent.reconnect.timeout", _K.DURATION_S, "60s",
         "An agent without an ApplicationMaster gives up after this time.", low=0),
    # local mode
    _key("local.dir", _K.PATH, "~/.xlearning", "Folder of the jobs that run with --local."),
    _key("local.slots", _K.INT, "0", "Containers that run at the same time with --local; 0: no limit.",
         option="--local-slots", low=0),
    # page
    _key("webui.enable", _K.BOOL, "true", "Serve the job's page."),
    _key("webui.acl", _K.ENUM, "AUTO",
         "Who may open the page on YARN. OWNER: the user and xlearning.webui.acl.users; OPEN: everybody whom "
         "YARN lets through; AUTO: OWNER where YARN's web pages ask for a login, else OPEN.",
         values=("AUTO", "OWNER", "OPEN")),
    _key("webui.acl.users", _K.LIST, None, "Who may open the page besides the owner; * is everybody."),
)  # fmt: skip

FAMILIES: tuple[Family, ...] = (
    Family("xlearning.container.env.", "Variables of the user's program.", ("hbox.container.env.",)),
    Family("xlearning.am.env.", "Variables of the ApplicationMaster.", ("hbox.am.env.",)),
)

_BY_NAME = {name: key for key in KEYS for name in (key.name, *key.aliases)}


def lookup(name: str) -> Key | None:
    """The key called ``name``, under its own name or an alias; None when there is none."""
    return _BY_NAME.get(name)


def canonical(name: str) -> str:
    """The name under which a property is kept: that of its key or family, else ``name`` itself."""
    key = _BY_NAME.get(name)
    if key is not None:
        return key.name
    for family in FAMILIES:
        for alias in family.aliases:
            if name.startswith(alias):
                return family.prefix + name[len(alias) :]
    return PREFIX + name[len(HBOX_PREFIX) :] if name.startswith(HBOX_PREFIX) else name


def is_known(name: str) -> bool:
    """Whether ``name`` is a key, an alias or a member of a family."""
    if name in _BY_NAME:
        return True
    full = canonical(name)
    return any(full.startswith(family.prefix) and full != family.prefix for family in FAMILIES)


def suggestion(name: str) -> str | None:
    """The known name most like an unknown one, or None."""
    import difflib

    names = [known for known in _BY_NAME if known.startswith(name.partition(".")[0] + ".")]
    matches = difflib.get_close_matches(name, names, n=1, cutoff=0.75)
    return matches[0] if matches else None
