"""The one table of ``xl-submit`` options: names, help groups and configuration keys.

Parsing, help text, docs/commands.md and tests are all made from it. Every option answers to its
dashed and its camelCase names, with one dash or two, as in XLearning 1.4 and Hbox 1.8.
"""

from __future__ import annotations

from xlearning.client.option import Option, Takes, camel

__all__ = ["OPTIONS", "Option", "Takes", "camel", "spellings"]

JOB, ROLES, DATA, FILES = "The job", "Containers", "Data", "Files and archives"
PROGRAM, BOARD, CONFIG, RUN = "The program's environment", "TensorBoard", "Configuration", "How it runs"
_MANY, _SWITCH, _NOTHING = Takes.MANY, Takes.SWITCH, Takes.NOTHING
_NO_S3 = "write --input s3a://BUCKET/PREFIX#NAME and --output s3a://BUCKET/PREFIX#NAME"

OPTIONS: tuple[Option, ...] = (
    Option("app-name", "Name of the application (default: XLearning-<milliseconds>).", JOB,
           metavar="NAME", aliases=("name",), common=True),
    Option("app-type",
           "What brings the containers together: TENSORFLOW, DISTTORCH, DISTXGBOOST, DISTLIGHTGBM, MXNET, "
           "XFLOW, LIGHTLDA, MPI, HOROVOD, TENSORNET, TENSOR2TENSOR, or module:Class of your own. Any other "
           "word, as PYTORCH, runs independent workers (default: XLEARNING). docs/types.md has each.",
           JOB, metavar="TYPE", common=True),
    Option("launch-cmd",
           "The command in one string, split as a shell would but run without one. Words at the end "
           "of the line, or after --, are the better way.",
           JOB, metavar="COMMAND", aliases=("hbox-cmd",)),
    Option("queue", "Queue of the application; has an effect on YARN.", JOB,
           key="xlearning.app.queue", metavar="NAME", common=True),
    Option("priority", "Priority of the application on YARN: a number from 0, or a name such as NORMAL.",
           JOB, key="xlearning.app.priority", metavar="LEVEL"),
    Option("keytab", "On a secure cluster: keytab to log in with, instead of the ticket of kinit.", JOB,
           key="xlearning.kerberos.keytab", metavar="FILE"),
    Option("principal", "Principal of the keytab.", JOB,
           key="xlearning.kerberos.principal", metavar="NAME"),
    Option("duration", "How long a VPC or DIGITS job lives.", JOB,
           key="xlearning.vpc.duration", metavar="TIME"),
    Option("worker-num", "Number of workers.", ROLES, key="xlearning.worker.num", metavar="N",
           aliases=("num-workers", "num-executors"), common=True),
    Option("worker-memory", "Memory of a worker, in MB or as 4g.", ROLES,
           key="xlearning.worker.memory", metavar="SIZE", aliases=("executor-memory",), common=True),
    Option("worker-cores", "Cores of a worker.", ROLES, key="xlearning.worker.cores", metavar="N",
           aliases=("executor-cores",), common=True),
    Option("worker-gpus", "GPUs of a worker.", ROLES,
           key="xlearning.worker.gpus", metavar="N", aliases=("worker-gcores",), common=True),
    Option("ps-num", "Number of parameter servers.", ROLES, key="xlearning.ps.num", metavar="N",
           aliases=("num-ps",), common=True),
    Option("ps-memory", "Memory of a parameter server, in MB or as 4g.", ROLES,
           key="xlearning.ps.memory", metavar="SIZE", common=True),
    Option("ps-cores", "Cores of a parameter server.", ROLES, key="xlearning.ps.cores", metavar="N"),
    Option("ps-gpus", "GPUs of a parameter server.", ROLES,
           key="xlearning.ps.gpus", metavar="N", aliases=("ps-gcores",)),
    Option("chief-worker-memory",
           "Memory of worker 0, where it differs from that of the others (TENSORFLOW).", ROLES,
           key="xlearning.chief.worker.memory", metavar="SIZE", aliases=("chiefworker-memory",)),
    Option("evaluator-worker-memory",
           "Memory of the evaluator, where it differs from that of the workers (TENSORFLOW).", ROLES,
           key="xlearning.evaluator.worker.memory", metavar="SIZE", aliases=("evaluatorworker-memory",)),
    Option("tf-evaluator", "Make the last worker an evaluator (TENSORFLOW).", ROLES, _SWITCH,
           key="xlearning.tf.evaluator", common=True),
    Option("am-memory", "Memory of the ApplicationMaster; has an effect on YARN.", ROLES,
           key="xlearning.am.memory", metavar="SIZE", aliases=("driver-memory",)),
    Option("am-cores", "Cores of the ApplicationMaster; has an effect on YARN.", ROLES,
           key="xlearning.am.cores", metavar="N", aliases=("driver-cores",)),
    Option("host-local-enable", "Ask for the nodes of the last run of the same name.", ROLES, _SWITCH,
           key="xlearning.host.local.enable"),
    Option("container-type", "yarn, or docker for programs in Docker containers.", ROLES,
           key="xlearning.container.type", metavar="TYPE"),
    Option("docker-image", "Image of the containers, with --container-type docker.", ROLES,
           key="xlearning.docker.image", metavar="IMAGE"),
    Option("input", "Files, folders or globs to read, and the name of the folder in the containers.", DATA,
           _MANY, metavar="PATH[,PATH...][#NAME]", common=True),
    Option("output", "Folder to publish, and the name of the folder in the containers that goes there.",
           DATA, _MANY, metavar="PATH[,PATH...][#NAME]", common=True),
    Option("input-strategy",
           "DOWNLOAD copies the files into the container; PLACEHOLDER hands over their addresses in "
           "INPUT_FILE_LIST; STREAM feeds their lines to the program's standard input.",
           DATA, key="xlearning.input.strategy", metavar="STRATEGY", common=True),
    Option("inputformat",
           "With STREAM: format of the files (text, parquet, ...), Hadoop's class, or module:Class of "
           "your own.",
           DATA, key="xlearning.inputformat.class", metavar="FORMAT", aliases=("input-format-class",)),
    Option("inputformat-enable", "Older spelling of --input-strategy STREAM.", DATA, _SWITCH,
           key="xlearning.input.stream", aliases=("input-format-enable",)),
    Option("inputformat-shuffle",
           "With STREAM: deal split i to worker i mod W, instead of neighbouring splits to each worker.",
           DATA, _SWITCH, key="xlearning.input.stream.shuffle"),
    Option("stream-epoch", "With STREAM: how often the input is fed to the program.", DATA,
           key="xlearning.stream.epoch", metavar="N"),
    Option("output-strategy",
           "UPLOAD publishes the output folders when the job has succeeded, STREAM what the programs wrote "
           "to standard output.",
           DATA, key="xlearning.output.strategy", metavar="STRATEGY"),
    Option("outputformat",
           "With the output strategy STREAM: format of the files, as text, sequencefile or parquet.",
           DATA, key="xlearning.outputformat.class", metavar="FORMAT", aliases=("output-format-class",)),
    Option("outputformat-enable", "Older spelling of --output-strategy STREAM.", DATA, _SWITCH,
           key="xlearning.out.stream", aliases=("output-format-enable",)),
    Option("output-existing",
           "What becomes of an output that is not empty: error, overwrite or merge.", DATA,
           key="xlearning.output.existing", metavar="MODE"),
    Option("output-index", "Publish the output of this worker alone.", DATA, metavar="INDEX"),
    Option("create-containerid-dir",
           "Publish into one folder per container, named by its id, even with one worker.", DATA, _SWITCH,
           key="xlearning.createcontainerid.dir", aliases=("create-container-id-dir",)),
    Option("rename-input-file",
           "Give every downloaded file a name of its own, so that equal names do not collide.", DATA, _SWITCH,
           key="xlearning.inputfile.rename",
           aliases=("isRenameInputFile", "is-rename-input-file", "inRenameInputFile")),
    Option("allow-empty-input", "Accept input folders that hold no file.", DATA, _NOTHING,
           key="xlearning.input.allow.empty"),
    Option("s3input", "Input from S3.", DATA, _MANY, metavar="BUCKET[/PREFIX]#NAME", instead=_NO_S3),
    Option("s3output", "Output to S3.", DATA, _MANY, metavar="BUCKET#NAME", instead=_NO_S3),
    Option("files", "Files of this machine for the working folder of every container.", FILES, _MANY,
           metavar="FILE,...", common=True),
    Option("archives", "Archives of this machine, unpacked into a folder of every container.", FILES, _MANY,
           metavar="PATH[#NAME],...", aliases=("archiveFiles", "archive-files"), common=True),
    Option("jars",
           "Jars of this machine, or of a remote file system (hdfs://...), for every container and on the "
           "CLASSPATH of the program.",
           FILES, _MANY, metavar="PATH,..."),
    Option("cache-file",
           "Files of a remote file system (with --local: of this machine) for every container.", FILES,
           _MANY, metavar="PATH[#NAME],...", common=True),
    Option("cache-archive",
           "Archives of a remote file system (with --local: of this machine), unpacked into a folder.",
           FILES, _MANY, metavar="PATH[#NAME],...", common=True),
    Option("env",
           "A variable of the program; the value may hold anything. NAME alone passes on the variable of "
           "this shell.",
           PROGRAM, _MANY, metavar="NAME=VALUE", common=True),
    Option("env-file", "File of variables of the program, one NAME=VALUE a line (a .env file).", PROGRAM,
           _MANY, metavar="FILE", common=True),
    Option("template",
           "Fill in ${app_id}, ${index}, ${role} and ${num_workers} in the command and in --env; "
           "$${index} stays ${index}. Without it they arrive as they are.",
           PROGRAM, _SWITCH, common=True),
    Option("user-path", "Folders appended to the PATH of the program.", PROGRAM, metavar="FOLDER[:...]"),
    Option("user-ldlibrarypath", "Folders appended to the LD_LIBRARY_PATH of the program.", PROGRAM,
           metavar="FOLDER[:...]", aliases=("userLDLIBRARYPATH", "user-ld-library-path")),
    Option("user-classpath-first", "Whether --jars stand before or after the rest of the CLASSPATH.", PROGRAM,
           _SWITCH, key="xlearning.user.classpath.first"),
    Option("board-enable", "Run TensorBoard beside one worker, or VisualDL.", BOARD, _SWITCH,
           key="xlearning.tf.board.enable", common=True),
    Option("board-index", "Worker beside which it runs.", BOARD,
           key="xlearning.tf.board.worker.index", metavar="INDEX"),
    Option("board-reloadinterval", "Seconds between two looks at the folder.", BOARD,
           key="xlearning.tf.board.reload.interval", metavar="SECONDS", aliases=("board-reload-interval",)),
    Option("board-logdir", "Folder that it shows, on HDFS too.", BOARD, key="xlearning.tf.board.log.dir",
           metavar="FOLDER", aliases=("board-log-dir",)),
    Option("board-historydir", "Where the folder is kept after the end, below the application id.", BOARD,
           key="xlearning.tf.board.history.dir", metavar="FOLDER", aliases=("board-history-dir",)),
    Option("board-modelpb", "Model file for VisualDL.", BOARD, key="xlearning.board.modelpb", metavar="FILE",
           aliases=("boardModelPB", "board-model-pb")),
    Option("board-cache-timeout", "Seconds that VisualDL keeps what it has read.", BOARD,
           key="xlearning.board.cache.timeout", metavar="SECONDS", aliases=("board-cacheTimeout",)),
    Option("conf", "One property; the value may hold further = signs.", CONFIG, _MANY, metavar="KEY=VALUE",
           short="c", common=True),
    Option("conf-file", "File of properties in Hadoop's XML; below --conf, above the site file.", CONFIG,
           _MANY, metavar="FILE", common=True),
    Option("properties-file", "File of properties in Java's form (key=value); above --conf-file.", CONFIG,
           _MANY, metavar="FILE"),
    Option("cluster",
           "Another Hadoop cluster: the files that the property NAME.conf.path lists are read on top of "
           "HADOOP_CONF_DIR.",
           CONFIG, key="xlearning.cluster.name", metavar="NAME"),
    Option("local", "Run on this machine: no Hadoop, no Java; containers are processes.", RUN, _NOTHING,
           common=True),
    Option("local-slots", "With --local: how many containers run at a time (0: no limit).", RUN,
           key="xlearning.local.slots", metavar="N"),
    Option("dry-run", "Show what would run, with sizes and splits, and stop.", RUN, _NOTHING, common=True),
    Option("detach", "Leave when the job is submitted, with exit code 0; it goes on by itself.", RUN,
           _NOTHING, aliases=("no-wait",), common=True),
    Option("logs",
           "Show what the programs write, while it is followed: all of them, or as in --logs=worker or "
           "--logs=worker:0.",
           RUN, Takes.INLINE, metavar="ROLE[:INDEX]", common=True),
    Option("kill-on-exit",
           "Whatever ends xl-submit (Ctrl-C, TERM, a closed terminal) kills the job too, and its end is "
           "waited for.",
           RUN, _NOTHING, common=True),
    Option("format",
           "text: standard output holds the application id; json: a JSON document about the end instead "
           "(default: text).",
           RUN, metavar="FORMAT"),
    Option("quiet", "Say only what is wrong.", RUN, _NOTHING, short="q"),
    Option("no-color", "No colours on a terminal, as with the variable NO_COLOR.", RUN, _NOTHING),
    Option("status", "The same as xl-submit status APP_ID.", RUN, metavar="APP_ID"),
    Option("kill", "The same as xl-submit kill APP_ID.", RUN, metavar="APP_ID"),
    Option("verbose",
           "Show all properties that are set, with their sources, and tracebacks; with --dry-run also what "
           "YARN would be sent.",
           RUN, _NOTHING, common=True),
    Option("version", "Show the version and stop.", RUN, _NOTHING, common=True),
    Option("help", "Show what most jobs need and stop.", RUN, _NOTHING, short="h", common=True),
    Option("help-all", "Show all options and stop.", RUN, _NOTHING, common=True),
)  # fmt: skip


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
