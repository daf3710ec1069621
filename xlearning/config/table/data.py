"""Input, output, Save Model, file systems."""

from __future__ import annotations

from xlearning.config.schema import Group, Kind, ignored, key, missing

_K = Kind
# the two originals' defaults, which ask for nothing
_TEXT_OUT = (
    "net.qihoo.xlearning.common.TextMultiOutputFormat",
    "org.apache.hadoop.mapred.TextOutputFormat",
    "TextMultiOutputFormat",
    "TextOutputFormat",
)

INPUT = Group(
    "Input",
    (
        key("input.strategy", _K.ENUM, "DOWNLOAD",
            "DOWNLOAD copies files into the container, PLACEHOLDER hands over their addresses, STREAM (or "
            "INPUTFORMAT) feeds their records to standard input.",
            values=("DOWNLOAD", "PLACEHOLDER", "STREAM", "INPUTFORMAT")),
        key("input.stream", _K.BOOL, "false", "Hbox: true is an older spelling of input strategy STREAM.",
            stands_for=("xlearning.input.strategy", "STREAM")),
        key("inputfile.rename", _K.BOOL, "false",
            "Give downloaded files generated names, so that equal base names do not collide."),
        key("input.allow.empty", _K.BOOL, "false", "Accept an input that matches no file."),
        key("workers.match.files", _K.BOOL, "true",
            "Lower the number of workers to the number of files of the smallest input."),
        key("placeholder.whole.enable", _K.BOOL, "false",
            "PLACEHOLDER: hand every worker the whole list of files, instead of its share."),
        key("chief.worker.minimum.data", _K.BOOL, "false",
            "Give worker 0 the first files of each input only, the others share the rest; for DOWNLOAD and "
            "PLACEHOLDER."),
        key("chief.worker.minimum.file.num", _K.INT, "1",
            "With xlearning.chief.worker.minimum.data: how many files worker 0 gets, empty ones not counted.",
            low=1),
        key("tf.input.ps.enable", _K.BOOL, "false", "Hbox: let parameter servers read input too.",
            effect=missing("give input to parameter servers", "leave it out: the workers read all input")),
        key("download.file.retry", _K.INT, "3", "How often the original repeated a transfer.", low=0,
            effect=ignored("transfers are repeated for xlearning.fs.retry.time")),
        key("download.file.thread.nums", _K.INT, "10", "Files downloaded at the same time.", low=1,
            high=1000),
    ),
)  # fmt: skip

STREAM = Group(
    "Input strategy STREAM",
    (
        key("inputformat.class", _K.STRING, "text",
            "Format of the files: text, keyvalue, nline, combine, fixed, wholefile, sequencefile, "
            "sequencefile-text, avro, parquet, orc, tfrecord, the Java class for one of them, module:Class "
            "of your own, or any other Java class."),
        key("inputformat.columns", _K.LIST, None,
            "Parquet and ORC: the columns that are read, in this order; unset: all."),
        key("inputformat.java", _K.BOOL, "false",
            "Let Java also read formats that XLearning reads itself, given by a full Java name."),
        key("java.classpath", _K.STRING, None,
            "Class path of Java formats beside the job's own jars, as java -cp has it; unset: what "
            "hadoop classpath says, or HADOOP_CLASSPATH and CLASSPATH."),
        key("java.options", _K.STRING, "-Xmx256m",
            "Options of the JVM of Java formats. Its memory is part of the container's."),
        key("stream.epoch", _K.INT, "1", "How often a worker's input is fed to its program.", low=1),
        key("input.stream.shuffle", _K.BOOL, "false",
            "Deal split i to worker i mod W, instead of neighbours to each worker."),
        key("input.stream.order", _K.ENUM, None,
            "How splits are dealt: CONTIGUOUS (neighbours to each worker), ROUNDROBIN (split i to worker i "
            "mod W), RANDOM (shuffled by xlearning.input.stream.seed, and each worker reads its splits in "
            "another order in every epoch), LOCAL (to workers on the hosts that hold them, where HDFS "
            "tells it, and about the same number of bytes to each); unset: as "
            "xlearning.input.stream.shuffle says.",
            values=("CONTIGUOUS", "ROUNDROBIN", "RANDOM", "LOCAL")),
        key("input.stream.seed", _K.INT, "0",
            "Seed of the order RANDOM; the same seed gives the same order."),
        key("input.prefetch", _K.SIZE, "16M",
            "Memory for what is read ahead of the program; 0: nothing is read ahead.", low=0),
        key("input.reader.threads", _K.INT, "2", "Splits that are read at the same time.", low=1, high=64),
        key("input.split.number", _K.INT, "0",
            "About so many splits of all inputs together, of equal size and at most a block each; 0: what "
            "the sizes give.", low=0),
        key("input.split.minsize", _K.SIZE, "1", "Smallest size of a split.", low=0,
            also=("mapreduce.input.fileinputformat.split.minsize", "mapred.min.split.size")),
        key("input.split.maxsize", _K.SIZE, "0",
            "Largest size of a split; 0: a block of the file (128 MiB on local disks).", low=0,
            also=("mapreduce.input.fileinputformat.split.maxsize", "mapred.max.split.size")),
        key("inputformat.cache", _K.BOOL, "false",
            "Keep what the first epoch reads on the worker's disk, and feed the later ones from there.",
            also=("inputmat.cache",)),
        key("inputformat.cachefile.name", _K.STRING, "inputformatCache",
            "Name of the file with the first epoch; it holds the bytes as they are fed, not compressed."),
        key("inputformat.cachesize.limit", _K.INT, "102400",
            "Largest size of the file with the first epoch, in MB; a larger input is read again.", low=0),
    ),
)  # fmt: skip

OUTPUT = Group(
    "Output",
    (
        key("output.strategy", _K.ENUM, "UPLOAD",
            "UPLOAD copies local folders to the output at the end; STREAM (or OUTPUTFORMAT) writes what "
            "programs print to standard output into files there.",
            values=("UPLOAD", "STREAM", "OUTPUTFORMAT")),
        key("out.stream", _K.BOOL, "false", "Hbox: true is an older spelling of output strategy STREAM.",
            also=("output.stream",), stands_for=("xlearning.output.strategy", "STREAM")),
        key("outputformat.class", _K.STRING, "text",
            "STREAM: format of the output: text, sequencefile, parquet, the Java class for one of them, "
            "module:Class of your own, or any other Java class.", defaults=_TEXT_OUT),
        key("outputformat.codec", _K.STRING, "none",
            "STREAM: how text is compressed: none, gzip, bzip2, zstd, deflate, snappy, lz4, or the "
            "name of Hadoop's class.",
            also=("mapreduce.output.fileoutputformat.compress.codec", "mapred.output.compression.codec")),
        key("outputformat.java", _K.BOOL, "false",
            "STREAM: let Java also write formats that XLearning writes itself, given by a full Java name."),
        key("outputformat.compress", _K.BOOL, "false", "Hadoop's word for xlearning.outputformat.codec=gzip.",
            also=("mapreduce.output.fileoutputformat.compress", "mapred.output.compress"),
            stands_for=("xlearning.outputformat.codec", "gzip")),
        key("outputformat.compress.type", _K.ENUM, "RECORD",
            "STREAM: whether a SequenceFile is compressed by RECORD or by BLOCK of many.",
            values=("RECORD", "BLOCK"),
            also=("mapreduce.output.fileoutputformat.compress.type", "mapred.output.compression.type")),
        key("outputformat.part.size", _K.SIZE, "512M",
            "STREAM: size at which a file of the output ends, with the next line, and another one begins.",
            also=("mapred.reduce.max.size.per.file",), low=1),
        key("outputformat.line.maxsize", _K.SIZE, "64M",
            "STREAM: longest line of the output; has no effect on text.", low=1),
        key("output.local.dir", _K.STRING, "output", "Local name of an --output without #local."),
        key("container.auto.create.output.dir", _K.BOOL, "true",
            "Make the local output folders before the program starts."),
        key("createcontainerid.dir", _K.BOOL, None,
            "Put each container's output into a folder named by its id; unset: yes with several workers, no "
            "with one."),
        key("upload.output.thread.nums", _K.INT, "10", "Files uploaded at the same time.",
            also=("upload.file.thread.nums",), low=1, high=1000),
        key("output.existing", _K.ENUM, "ERROR",
            "What becomes of an output that is not empty: ERROR refuses it; OVERWRITE replaces all of it, "
            "and MERGE the files of equal names, at the end of a job that succeeds.",
            values=("ERROR", "OVERWRITE", "MERGE")),
        key("failed.upload", _K.BOOL, "false",
            "Publish the output of containers that failed too, and, without _SUCCESS, that of a job that "
            "failed."),
    ),
)  # fmt: skip

SAVES = Group(
    "Save Model",
    (
        key("interresult.dir", _K.STRING, "/interResult_",
            "Start of the name of the folder that Save Model makes below an output."),
        key("interresult.upload.timeout", _K.DURATION_MS, "1800000",
            "A Save Model that takes longer fails for the containers that are not done; 0: no limit.", low=0),
        key("interresult.save.inc", _K.BOOL, "false",
            "Save files that changed since the last whole save only.", also=("interresult.upload.inc",)),
        key("interresult.keep", _K.INT, "0",
            "How many whole saves stay; older ones that none of these needs are deleted; 0: all.", low=0),
        key("interresult.notify", _K.ENUM, "NONE",
            "How a program is told that a save begins: FILE (a file appears), SIGNAL (and it gets a signal).",
            values=("NONE", "FILE", "SIGNAL")),
        key("interresult.notify.signal", _K.ENUM, "USR1",
            "The signal of SIGNAL; only a program that handles it gets it.", values=("USR1", "USR2", "HUP")),
        key("interresult.notify.wait", _K.DURATION_S, "60s",
            "How long a save waits for the program to say that its files are whole; without that word the "
            "part fails. 0: it does not wait.", low=0),
        key("interresult.upload.interval", _K.DURATION_MS, "0",
            "Time from one Save Model that begins by itself to the next; 0: none does. One that is due while "
            "another runs is left out.", low=0),
        key("file.list.level", _K.INT, "2", "Levels of folders that Save Model copies.", low=0,
            effect=ignored("Save Model copies all levels")),
    ),
)  # fmt: skip

FILE_SYSTEMS = Group(
    "File systems",
    (
        key("fs.timeout", _K.DURATION_S, "15s", "Longest wait for a file system's first answer.", low=0.1),
        key("fs.retry.time", _K.DURATION_S, "120s",
            "Transfers and commits keep trying so long while a file system is away, and downloads while the "
            "container's disk is full.", low=0),
        key("cache.min.size", _K.SIZE, "1M",
            "Files and archives of the gateway of at least this size are kept on the cluster, by their "
            "content, and uploaded once; has an effect on YARN.", low=1),
        key("cache.max.size", _K.SIZE, "20G",
            "What a user keeps there; beyond it goes what was used longest ago and is not in use.", low=0),
        key("cache.max.age", _K.DURATION_S, "30d", "What nobody used for so long goes anyway.", low=0),
    ),
)  # fmt: skip
