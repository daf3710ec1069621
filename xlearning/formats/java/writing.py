"""What Java's output formats do inside of the helper process: one task that is a job of its own."""

from __future__ import annotations

from typing import Any

from xlearning.formats.java import jvm

_JOB = "xlearning"
_PART = "part-00000"
_COMPRESSED = "mapreduce.output.fileoutputformat.compress.codec"
_DEFAULTS = {
    "mapreduce.fileoutputcommitter.algorithm.version": "1",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}


class Output:
    """A class that is an OutputFormat of one of Hadoop's two interfaces.

    Raises
    ------
    xlearning.formats.java.jvm.Refused
        There is no such class, or it is not one that can be used.
    """

    def __init__(self, name: str, properties: dict[str, str]) -> None:
        self._name, self._properties = name, {**_DEFAULTS, **properties}
        conf = self._configuration()
        if codec := conf.get(_COMPRESSED):
            factory = jvm.class_("org.apache.hadoop.io.compress.CompressionCodecFactory")(conf)
            found = factory.getCodecClassByName(codec)
            if found is None:
                raise jvm.Refused(f"Hadoop has no codec {codec}")
            self._properties[_COMPRESSED] = str(found.getName())
        jvm.made(name, "OutputFormat", conf)
        self._task: _OldTask | _NewTask | None = None

    def open(self, folder: str) -> None:
        """Begin a task whose files go to ``folder``, a URI; it must not be there."""
        conf = self._configuration()
        format_, old = jvm.made(self._name, "OutputFormat", conf)
        self._task = (_OldTask if old else _NewTask)(format_, conf, folder)

    def write(self, data: bytes) -> None:
        """Write lines; there is no LF after the last one."""
        assert self._task is not None
        self._task.write(data)

    def commit(self) -> None:
        """End the task: everything is in its folder then."""
        assert self._task is not None
        self._task.commit()
        self._task = None

    def _configuration(self) -> Any:
        conf = jvm.configuration(self._properties)
        conf.setOutputKeyClass(jvm.class_("org.apache.hadoop.io.NullWritable").class_)
        conf.setOutputValueClass(jvm.class_("org.apache.hadoop.io.Text").class_)
        return conf


class _Task:
    def __init__(self, api: str, conf: Any, folder: str) -> None:
        self._package = f"org.apache.hadoop.{api}"
        job = self._class("JobID")(_JOB, 0)
        kind = jvm.class_("org.apache.hadoop.mapreduce.TaskType").REDUCE
        self._attempt = self._class("TaskAttemptID")(_JOB, 0, kind, 0, 0)
        self._job_id, self._conf = job, conf
        for name, text in {
            "mapreduce.job.id": job,
            "mapreduce.task.id": self._attempt.getTaskID(),
            "mapreduce.task.attempt.id": self._attempt,
            "mapreduce.task.ismap": "false",
            "mapreduce.task.partition": "0",
            "mapreduce.output.fileoutputformat.outputdir": folder,
        }.items():
            conf.set(name, str(text))
        self._key = jvm.class_("org.apache.hadoop.io.NullWritable").get()
        self._text = jvm.class_("org.apache.hadoop.io.Text")()
        self._job: Any = None
        self._context: Any = None
        self._committer: Any = None
        self._writer: Any = None

    def _class(self, name: str) -> Any:
        return jvm.class_(f"{self._package}.{name}")

    def _set_up(self) -> None:
        self._committer.setupJob(self._job)
        self._committer.setupTask(self._context)

    def write(self, data: bytes) -> None:
        array = jvm.array(data)
        text, key, writer = self._text, self._key, self._writer
        put = self._class("RecordWriter").write
        at = 0
        for line in data.split(b"\n"):
            text.set(array, at, len(line))
            put(writer, key, text)
            at += len(line) + 1

    def _commit(self) -> None:
        if self._committer.needsTaskCommit(self._context):
            self._committer.commitTask(self._context)
        self._committer.commitJob(self._job)


class _OldTask(_Task):
    """Of a class of ``mapred``."""

    def __init__(self, format_: Any, conf: Any, folder: str) -> None:
        super().__init__("mapred", conf, folder)
        self._job = self._class("JobContextImpl")(conf, self._job_id)
        self._context = self._class("TaskAttemptContextImpl")(conf, self._attempt)
        self._committer = conf.getOutputCommitter()
        files = jvm.class_("org.apache.hadoop.fs.FileSystem").get(conf)
        format_.checkOutputSpecs(files, conf)
        self._set_up()
        self._nothing = self._class("Reporter").NULL
        self._writer = format_.getRecordWriter(files, conf, _PART, self._nothing)

    def commit(self) -> None:
        self._writer.close(self._nothing)
        self._commit()


class _NewTask(_Task):
    """Of a class of ``mapreduce``."""

    def __init__(self, format_: Any, conf: Any, folder: str) -> None:
        super().__init__("mapreduce", conf, folder)
        self._job = self._class("task.JobContextImpl")(conf, self._job_id)
        self._context = self._class("task.TaskAttemptContextImpl")(conf, self._attempt)
        format_.checkOutputSpecs(self._job)
        self._committer = format_.getOutputCommitter(self._context)
        self._set_up()
        self._writer = format_.getRecordWriter(self._context)

    def commit(self) -> None:
        self._writer.close(self._context)
        self._commit()
