"""The application as a whole: who, where, how often; what the nodes need."""

from __future__ import annotations

from xlearning.config.schema import Group, Kind, ignored, key, missing

_K = Kind
_OWN = ignored("XLearning finds it by itself")

APPLICATION = Group(
    "The application",
    (
        key("staging.dir", _K.PATH, "/tmp/XLearning/staging",
            "Folder that holds one staging folder per application."),
        key("cleanup.enable", _K.BOOL, "true", "Delete the application's staging folder at the end."),
        key("app.max.attempts", _K.INT, "1", "How often the whole job is tried.", low=1),
        key("app.queue", _K.STRING, None,
            "Queue of the application on YARN; unset, or DEFAULT: the cluster's default. A queue whose name "
            "is DEFAULT is root.DEFAULT.", defaults=("DEFAULT",)),
        key("app.priority", _K.STRING, None,
            "Priority of the application on YARN: a number from 0, or a name such as NORMAL, which is 3."),
        key("job.exec.timeout", _K.DURATION_MS, "0", "A job that runs longer fails; 0: no limit.", low=0),
        key("app.type.timeout", _K.DURATION_S, "30s",
            "How long an application type of your own may take for all of its answers, on the gateway and in "
            "the ApplicationMaster.", low=0.1),
        key("log.pull.interval", _K.DURATION_MS, "1000", "How often xl-submit asks for news.", low=0.01),
        key("client.heartbeat.interval", _K.DURATION_S, "30s",
            "How often xl-submit says how a job stands when nothing changes and no terminal shows it.",
            low=0.1),
        key("messages.len.max", _K.INT, "1000", "Messages of the ApplicationMaster that wait for the client.",
            defaults=("10000",), effect=ignored("no message waits in a queue, so none is dropped")),
        key("report.container.status", _K.BOOL, "true", "Tell the client when containers change.",
            effect=ignored("xl-submit always tells when containers change")),
        key("history.log.dir", _K.PATH, "/tmp/XLearning/history", "Folder of the history records."),
        key("cluster.name", _K.STRING, None,
            "The cluster, among several: the property NAME.conf.path lists the Hadoop configuration files "
            "that are read on top of HADOOP_CONF_DIR."),
        key("remote.defaultFS", _K.STRING, None, "Hbox: file system of the resources' addresses.",
            effect=missing("put another file system into addresses",
                           "write full addresses, such as hdfs://other/path")),
        key("append.defaultfs.enable", _K.BOOL, "true",
            "Hbox: put the default file system before paths without a scheme.",
            effect=ignored("a path without a scheme is always one of the default file system")),
        key("commom.cache.archive.hdfs", _K.STRING, None,
            "Hbox: file system that archives are fetched from instead of their own.",
            also=("common.cache.archive.hdfs",),
            effect=ignored("archives are fetched from where their addresses say")),
        key("commom.cache.archive.hdfs.convert.enable", _K.BOOL, "false",
            "Hbox: whether archives are fetched from another file system.",
            also=("common.cache.archive.hdfs.convert.enable",),
            effect=missing("fetch archives from another file system than their own",
                           "write the addresses that are meant in --cacheArchive")),
        key("cachefile.check.enable", _K.BOOL, "true",
            "Hbox: look whether the files of --cacheFile and --cacheArchive are there.",
            effect=ignored("files of a job are looked at in any case, as YARN asks for their size and time")),
        key("local.resource.visibility", _K.STRING, "PUBLIC", "Hbox: who shares files on the nodes.",
            defaults=("public",),
            effect=ignored("files of a job are for its user alone, XLearning's package is for all who can "
                           "read it")),
        key("user.classpath.first", _K.BOOL, "true",
            "Whether --jars come before the rest of the programs' CLASSPATH, or after it."),
        key("am.cmd.enable", _K.BOOL, "false", "Hbox: start a program beside the ApplicationMaster.",
            effect=missing("start a program beside the ApplicationMaster",
                           "start it in the command of a worker, or on the gateway")),
        key("am.cmd", _K.STRING, None, "Hbox: the program to start beside the ApplicationMaster.",
            effect=ignored("no program is started beside the ApplicationMaster")),
        key("client.hostname", _K.STRING, None, "Hbox: set by the client itself.", effect=_OWN),
        key("app.id", _K.STRING, None, "Hbox: set by the client itself.", effect=_OWN),
        key("client.log.collect", _K.STRING, None, "Hbox: declared, and never read.",
            effect=ignored("Hbox did not read it either")),
    ),
)  # fmt: skip

NODES = Group(
    "What the nodes need",
    (
        key("python", _K.STRING, None,
            "Python of the ApplicationMaster and the agents; unset: the one that runs xl-submit."),
        key("nodes.python", _K.STRING, None,
            "Python version of the nodes, such as 3.10; unset: that in the name of xlearning.python, else "
            "that of xl-submit."),
        key("nodes.glibc", _K.STRING, None,
            "Version of the nodes' C library, such as 2.28; unset: that of the machine of xl-submit."),
        key("yarn.archive", _K.PATH, None,
            "XLearning's package for the nodes, on HDFS, made by xl-submit package; unset: xl-submit makes "
            "and uploads one."),
    ),
)  # fmt: skip

SECURITY = Group(
    "Secure clusters",
    (
        key("kerberos.keytab", _K.PATH, None,
            "Keytab of the one who submits; unset: the ticket cache of kinit."),
        key("kerberos.principal", _K.STRING, None, "Principal of the keytab; unset: its first one."),
        key("kerberos.min.lifetime", _K.DURATION_S, "60s",
            "A ticket that ends sooner is refused at submission; a job that runs does not need it.", low=0),
    ),
)  # fmt: skip

LOCAL = Group(
    "On this machine (--local)",
    (
        key("local.dir", _K.PATH, "~/.xlearning", "Folder of the jobs that run with --local."),
        key("local.slots", _K.INT, "0", "Containers that run at the same time with --local; 0: no limit.",
            low=0),
    ),
)  # fmt: skip
