"""The one table of ``xl-submit`` options: names, help groups and configuration keys.

Parsing, help text and tests are all made from it. Every option answers to its dashed and its
camelCase names, with one dash or two, as in XLearning 1.4 and Hbox 1.8.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property


class Takes(enum.Enum):
    """What follows the name of an option."""

    NOTHING = "nothing"
    ONE = "one"  # a value; the first of several given counts, as in XLearning
    MANY = "many"  # a value; may be given again and again
    SWITCH = "switch"  # true or false, true when the value is left out
    INLINE = "inline"  # a value after =, or none


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes
    ----------
    name : str
        Canonical name, without dashes in front; also the name under which its values are found.
    help : str
        One sentence for ``--help``.
    group : str
        Heading under which ``--help`` shows it.
    takes : Takes
        Whether and how often a value follows.
    key : str
        Configuration property that a value sets; empty for options that are no property.
    metavar : str
        Stands for the value in ``--help``.
    aliases : tuple of str
        Further spellings; the camelCase form of each spelling is added by itself.
    short : str
        One-letter name, or empty.
    """

    name: str
    help: str
    group: str
    takes: Takes = Takes.ONE
    key: str = ""
    metavar: str = "TEXT"
    aliases: tuple[str, ...] = ()
    short: str = ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every spelling without dashes in front, the canonical one first."""
        spellings = dict.fromkeys((self.name, *self.aliases))
        return tuple(dict.fromkeys((*spellings, *map(camel, spellings))))

    @property
    def flag(self) -> str:
        """The spelling that messages use, such as ``--worker-num``."""
        return f"--{self.name}"


def camel(name: str) -> str:
    """``worker-num`` as ``workerNum``; names without a dash stay as they are."""
    first, *rest = name.split("-")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


JOB, ROLES, DATA, FILES = "The job", "Containers", "Data", "Files and archives"
BOARD, CONFIG, RUN = "TensorBoard", "Configuration", "How it runs"

OPTIONS: tuple[Option, ...] = (
    Option("app-name", "Name of the application (default: XLearning-<milliseconds>).", JOB, metavar="NAME"),
    Option(
        "app-type",
        "Kind of program: TENSORFLOW gets a cluster of workers and parameter servers; any other "
        "word runs independent workers (default: XLEARNING).",
        JOB,
        metavar="TYPE",
    ),
    Option(
        "launch-cmd",
        "The command in one string, split as a shell would but run without one. Words at the end "
        "of the line, or after --, are the better way.",
        JOB,
        metavar="COMMAND",
        aliases=("hbox-cmd",),
    ),
    Option(
        "queue",
        "Queue of the application; has an effect on YARN.",
        JOB,
        key="xlearning.app.queue",
        metavar="NAME",
    ),
    Option(
        "priority",
        "Priority of the application on YARN: a number from 0, or a name such as NORMAL.",
        JOB,
        key="xlearning.app.priority",
        metavar="LEVEL",
    ),
    Option(
        "keytab",
        "On a secure cluster: keytab to log in with, instead of the ticket of kinit.",
        JOB,
        key="xlearning.kerberos.keytab",
        metavar="FILE",
    ),
    Option(
        "principal",
        "Principal of the keytab.",
        JOB,
        key="xlearning.kerberos.principal",
        metavar="NAME",
    ),
    Option("worker-num", "Number of workers.", ROLES, key="xlearning.worker.num", metavar="N"),
    Option(
        "worker-memory",
        "Memory of a worker, in MB or as 4g.",
        ROLES,
        key="xlearning.worker.memory",
        metavar="SIZE",
    ),
    Option("worker-cores", "Cores of a worker.", ROLES, key="xlearning.worker.cores", metavar="N"),
    Option(
        "worker-gpus",
        "GPUs of a worker; has an effect on YARN.",
        ROLES,
        key="xlearning.worker.gpus",
        metavar="N",
        aliases=("worker-gcores",),
    ),
    Option("ps-num", "Number of parameter servers.", ROLES, key="xlearning.ps.num", metavar="N"),
    Option(
        "ps-memory",
        "Memory of a parameter server, in MB or as 4g.",
        ROLES,
        key="xlearning.ps.memory",
        metavar="SIZE",
    ),
    Option("ps-cores", "Cores of a parameter server.", ROLES, key="xlearning.ps.cores", metavar="N"),
    Option(
        "ps-gpus",
        "GPUs of a parameter server; has an effect on YARN.",
        ROLES,
        key="xlearning.ps.gpus",
        metavar="N",
        aliases=("ps-gcores",),
    ),
    Option(
        "chief-worker-memory",
        "Memory of worker 0, where it differs from that of the others (TENSORFLOW).",
        ROLES,
        key="xlearning.chief.worker.memory",
        metavar="SIZE",
        aliases=("chiefworker-memory",),
    ),
    Option(
        "evaluator-worker-memory",
        "Memory of the evaluator, where it differs from that of the workers (TENSORFLOW).",
        ROLES,
        key="xlearning.evaluator.worker.memory",
        metavar="SIZE",
        aliases=("evaluatorworker-memory",),
    ),
    Option(
        "tf-evaluator",
        "Make the last worker an evaluator (TENSORFLOW).",
        ROLES,
        Takes.SWITCH,
        key="xlearning.tf.evaluator",
    ),
    Option(
        "am-memory",
        "Memory of the ApplicationMaster; has an effect on YARN.",
        ROLES,
        key="xlearning.am.memory",
        metavar="SIZE",
        aliases=("driver-memory",),
    ),
    Option(
        "am-cores",
        "Cores of the ApplicationMaster; has an effect on YARN.",
        ROLES,
        key="xlearning.am.cores",
        metavar="N",
        aliases=("driver-cores",),
    ),
    Option(
        "input",
        "Files, folders or globs to read, and the name of the folder in the containers.",
        DATA,
        Takes.MANY,
        metavar="PATH[,PATH...][#NAME]",
    ),
    Option(
        "output",
        "Folder to publish, and the name of the folder in the containers that goes there.",
        DATA,
        Takes.MANY,
        metavar="PATH[#NAME]",
    ),
    Option(
        "input-strategy",
        "DOWNLOAD copies the files into the container; PLACEHOLDER hands over their addresses in "
        "INPUT_FILE_LIST; STREAM feeds their lines to the program's standard input.",
        DATA,
        key="xlearning.input.strategy",
        metavar="STRATEGY",
    ),
    Option(
        "inputformat",
        "With STREAM: format of the files, text or the name of Hadoop's class for it.",
        DATA,
        key="xlearning.inputformat.class",
        metavar="FORMAT",
        aliases=("input-format-class",),
    ),
    Option(
        "inputformat-shuffle",
        "With STREAM: deal split i to worker i mod W, instead of neighbouring splits to each worker.",
        DATA,
        Takes.SWITCH,
        key="xlearning.input.stream.shuffle",
    ),
    Option(
        "stream-epoch",
        "With STREAM: how often the input is fed to the program.",
        DATA,
        key="xlearning.stream.epoch",
        metavar="N",
    ),
    Option(
        "output-strategy",
        "UPLOAD publishes the output folders when the job has succeeded.",
        DATA,
        key="xlearning.output.strategy",
        metavar="STRATEGY",
    ),
    Option("output-index", "Publish the output of this worker alone.", DATA, metavar="INDEX"),
    Option(
        "create-containerid-dir",
        "Publish into one folder per container, named by its id, even with one worker.",
        DATA,
        Takes.SWITCH,
        key="xlearning.createcontainerid.dir",
    ),
    Option(
        "isRenameInputFile",
        "Give every downloaded file a name of its own, so that equal names do not collide.",
        DATA,
        Takes.SWITCH,
        key="xlearning.inputfile.rename",
        aliases=("is-rename-input-file", "inRenameInputFile"),
    ),
    Option(
        "allow-empty-input",
        "Accept input folders that hold no file.",
        DATA,
        Takes.NOTHING,
        key="xlearning.input.allow.empty",
    ),
    Option(
        "files",
        "Files of this machine for the working folder of every container.",
        FILES,
        Takes.MANY,
        metavar="FILE,...",
    ),
    Option(
        "cacheFile",
        "Files of a remote file system (with --local: of this machine) for every container.",
        FILES,
        Takes.MANY,
        metavar="PATH[#NAME],...",
        aliases=("cache-file",),
    ),
    Option(
        "cacheArchive",
        "Archives of a remote file system (with --local: of this machine), unpacked into a folder.",
        FILES,
        Takes.MANY,
        metavar="PATH[#NAME],...",
        aliases=("cache-archive",),
    ),
    Option(
        "archiveFiles",
        "Archives of this machine, unpacked into a folder of every container.",
        FILES,
        Takes.MANY,
        metavar="PATH[#NAME],...",
        aliases=("archive-files",),
    ),
    Option(
        "board-enable",
        "Run TensorBoard beside one worker.",
        BOARD,
        Takes.SWITCH,
        key="xlearning.tf.board.enable",
    ),
    Option(
        "board-index",
        "Worker beside which it runs.",
        BOARD,
        key="xlearning.tf.board.worker.index",
        metavar="INDEX",
    ),
    Option(
        "board-reloadinterval",
        "Seconds between two looks at the folder.",
        BOARD,
        key="xlearning.tf.board.reload.interval",
        metavar="SECONDS",
        aliases=("board-reload-interval",),
    ),
    Option(
        "board-logdir",
        "Folder that it shows.",
        BOARD,
        key="xlearning.tf.board.log.dir",
        metavar="FOLDER",
        aliases=("board-log-dir",),
    ),
    Option(
        "conf",
        "One property; the value may hold further = signs.",
        CONFIG,
        Takes.MANY,
        metavar="KEY=VALUE",
        short="c",
    ),
    Option(
        "conf-file",
        "File of properties in Hadoop's XML; below --conf, above the site file.",
        CONFIG,
        Takes.MANY,
        metavar="FILE",
    ),
    Option("local", "Run on this machine: no Hadoop, no Java; containers are processes.", RUN, Takes.NOTHING),
    Option(
        "local-slots",
        "With --local: how many containers run at a time (0: no limit).",
        RUN,
        key="xlearning.local.slots",
        metavar="N",
    ),
    Option("dry-run", "Show what would run, with sizes and splits, and stop.", RUN, Takes.NOTHING),
    Option(
        "verbose",
        "Show all properties that are set, with their sources, and tracebacks.",
        RUN,
        Takes.NOTHING,
    ),
    Option(
        "detach",
        "Leave when the job is submitted, with exit code 0; it goes on by itself.",
        RUN,
        Takes.NOTHING,
        aliases=("no-wait",),
    ),
    Option(
        "logs",
        "Show what the programs write, while it is followed: all of them, or as in --logs=worker or "
        "--logs=worker:0.",
        RUN,
        Takes.INLINE,
        metavar="ROLE[:INDEX]",
    ),
    Option(
        "kill-on-exit",
        "Whatever ends xl-submit (Ctrl-C, TERM, a closed terminal) kills the job too, and its end is "
        "waited for.",
        RUN,
        Takes.NOTHING,
    ),
    Option(
        "format",
        "text: standard output holds the application id; json: a JSON document about the end instead "
        "(default: text).",
        RUN,
        metavar="FORMAT",
    ),
    Option("quiet", "Say only what is wrong.", RUN, Takes.NOTHING, short="q"),
    Option("no-color", "No colours on a terminal, as with the variable NO_COLOR.", RUN, Takes.NOTHING),
    Option("version", "Show the version and stop.", RUN, Takes.NOTHING),
    Option("help", "Show this text and stop.", RUN, Takes.NOTHING, short="h"),
)


def spellings(options: tuple[Option, ...] = OPTIONS) -> dict[str, Option]:
    """Every token that names an option (``--worker-num``, ``-workerNum``, ...) and the option."""
    found: dict[str, Option] = {}
    for option in options:
        tokens = [dashes + name for name in option.names for dashes in ("--", "-")]
        tokens += [f"-{option.short}"] if option.short else []
        for token in tokens:
            if found.setdefault(token, option) is not option:
                raise ValueError(f"{token} names both {found[token].flag} and {option.flag}")
    return found
