"""The door to Java: the only module that loads JPype, and only inside of the helper process."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jpype  # type: ignore[import-untyped]

_BATCH = 1 << 20  # bytes
_RECORDS = 8192  # of a batch
_FRAMES = 3  # of a Java error's stack
_SPECIAL = str.maketrans({letter: f"\\{letter}" for letter in "\\*?[]{}"})  # FileInputFormat expands patterns


class Refused(Exception):
    """Java's answer is no; the message is for the user."""


def start(classpath: Sequence[str], options: Sequence[str]) -> None:
    """Start the JVM of this process.

    Raises
    ------
    Refused
        There is no Java.
    """
    try:
        jpype.startJVM(*options, classpath=list(classpath), convertStrings=False)
    except jpype.JVMNotFoundException as error:
        raise Refused(f"there is no Java on this machine: set JAVA_HOME ({error})") from error


def words(error: BaseException) -> str:
    """An error for people: Java's class, message and first frames."""
    if not isinstance(error, jpype.JException):
        return str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"
    frames = "".join(f"\n    at {frame}" for frame in list(error.getStackTrace())[:_FRAMES])
    return f"{error.toString()}{frames}"


def class_(name: str) -> Any:
    """A class that is there, for calls."""
    return jpype.JClass(name)


def array(data: bytes) -> Any:
    """A copy of ``data`` as Java's ``byte[]``."""
    return jpype.JArray(jpype.JByte)(data)


def configuration(properties: Mapping[str, str]) -> Any:
    """Hadoop's configuration with ``properties`` above those of its files."""
    conf = jpype.JClass("org.apache.hadoop.mapred.JobConf")()
    conf.setClassLoader(jpype.JClass("java.lang.ClassLoader").getSystemClassLoader())
    for key, value in properties.items():
        conf.set(key, value)
    return conf


def made(name: str, kind: str, conf: Any) -> tuple[Any, bool]:
    """An object of the class ``name``, and whether it belongs to the older of Hadoop's two interfaces.

    Parameters
    ----------
    kind : str
        ``InputFormat`` or ``OutputFormat``.

    Raises
    ------
    Refused
        There is no such class, or it is not one that can be used.
    """
    try:
        java = jpype.JClass(name).class_
    except TypeError as error:
        raise Refused(f"there is no Java class {name} on the class path") from error
    for api in ("mapred", "mapreduce"):
        if jpype.JClass(f"org.apache.hadoop.{api}.{kind}").class_.isAssignableFrom(java):
            break
    else:
        raise Refused(f"{name} is not an {kind}, neither of mapred nor of mapreduce")
    if jpype.JClass("java.lang.reflect.Modifier").isAbstract(java.getModifiers()):
        raise Refused(f"{name} is abstract")
    try:
        java.getDeclaredConstructor()
    except jpype.JException as error:
        raise Refused(f"{name} has no constructor without arguments") from error
    made = jpype.JClass("org.apache.hadoop.util.ReflectionUtils").newInstance(java, conf)
    return made, api == "mapred"


class Input:
    """A class that is an InputFormat; see `made` for what is refused."""

    def __init__(self, name: str, properties: dict[str, str]) -> None:
        self._conf = configuration(properties)
        self._format, self.old = made(name, "InputFormat", self._conf)

    def splits(self, files: Sequence[str], number: int) -> list[dict[str, Any]]:
        """The splits of ``files`` (URIs), as JSON knows them."""
        path = jpype.JClass("org.apache.hadoop.fs.Path")
        paths = [path(file.translate(_SPECIAL)) for file in files]
        if self.old:
            jpype.JClass("org.apache.hadoop.mapred.FileInputFormat").setInputPaths(self._conf, paths)
            found = list(self._format.getSplits(self._conf, number))
        else:
            job = jpype.JClass("org.apache.hadoop.mapreduce.Job").getInstance(self._conf)
            jpype.JClass("org.apache.hadoop.mapreduce.lib.input.FileInputFormat").setInputPaths(job, paths)
            found = list(self._format.getSplits(job))
        return [self._told(split) for split in found]

    def _told(self, split: Any) -> dict[str, Any]:
        name = str(split.getClass().getName())
        if not isinstance(split, jpype.JClass("org.apache.hadoop.io.Writable")):
            raise Refused(f"its splits ({name}) are not Writable")
        buffer = jpype.JClass("org.apache.hadoop.io.DataOutputBuffer")()
        split.write(buffer)
        data = base64.b64encode(bytes(buffer.getData())[: buffer.getLength()]).decode("ascii")
        told = {"class": name, "data": data, "length": int(split.getLength()), "uri": "", "start": 0}
        api = "mapred" if self.old else "mapreduce.lib.input"
        if isinstance(split, jpype.JClass(f"org.apache.hadoop.{api}.FileSplit")):
            uri = split.getPath().toUri()
            told["uri"] = f"{uri.getScheme()}://{uri.getAuthority() or ''}{uri.getPath()}"
            told["start"] = int(split.getStart())
        told["hosts"] = [str(host) for host in split.getLocations() or ()]
        return told

    def read(self, class_: str, data: str) -> Iterator[bytes]:
        """The records of a split in batches: their number, the lengths of keys and values, all bytes."""
        split = jpype.JClass("org.apache.hadoop.util.ReflectionUtils").newInstance(
            jpype.JClass(class_).class_, self._conf
        )
        buffer = jpype.JClass("org.apache.hadoop.io.DataInputBuffer")()
        raw = base64.b64decode(data)
        buffer.reset(jpype.JArray(jpype.JByte)(raw), len(raw))
        split.readFields(buffer)
        return _batches(self._old_records(split) if self.old else self._new_records(split))

    def _old_records(self, split: Any) -> Iterator[tuple[Any, Any]]:
        nothing = jpype.JClass("org.apache.hadoop.mapred.Reporter").NULL
        reader = self._format.getRecordReader(split, self._conf, nothing)
        try:
            key, value = reader.createKey(), reader.createValue()
            more = reader.next
            while more(key, value):
                yield key, value
        finally:
            reader.close()

    def _new_records(self, split: Any) -> Iterator[tuple[Any, Any]]:
        attempt = jpype.JClass("org.apache.hadoop.mapreduce.TaskAttemptID")()
        context = jpype.JClass("org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl")(self._conf, attempt)
        reader = self._format.createRecordReader(split, context)
        try:
            reader.initialize(split, context)
            more, key, value = reader.nextKeyValue, reader.getCurrentKey, reader.getCurrentValue
            while more():
                yield key(), value()
        finally:
            reader.close()


def _batches(records: Iterator[tuple[Any, Any]]) -> Iterator[bytes]:
    put, take = _collector()
    lengths: list[int] = []
    size = 0
    for key, value in records:
        first, second = put(key), put(value)
        lengths += (first, second)
        size += first + second
        if size >= _BATCH or len(lengths) >= 2 * _RECORDS:
            yield _frame(lengths, take(size))
            lengths, size = [], 0
    if lengths:
        yield _frame(lengths, take(size))


def _frame(lengths: Sequence[int], data: bytes) -> bytes:
    return struct.pack(f"<I{len(lengths)}I", len(lengths) // 2, *lengths) + data


def _collector() -> tuple[Callable[[Any], int], Callable[[int], bytes]]:
    """A function that puts the bytes of an object to others inside of the JVM, and one that fetches them."""
    raw = (jpype.JClass("org.apache.hadoop.io.Text"), jpype.JClass("org.apache.hadoop.io.BytesWritable"))
    null = jpype.JClass("org.apache.hadoop.io.NullWritable")
    text = raw[0]
    kinds: dict[type, str] = {}  # to ask JPype what an object is takes longer than all the rest
    buffer = jpype.JClass("org.apache.hadoop.io.DataOutputBuffer")()
    write = buffer.write

    def kind_of(item: Any) -> str:
        if item is None or isinstance(item, null):
            return "nothing"
        return "raw" if isinstance(item, raw) else "other"

    def put(item: Any) -> int:
        kind = kinds.get(type(item)) or kinds.setdefault(type(item), kind_of(item))
        if kind == "nothing":
            return 0
        if kind == "other":
            item = text(item.toString())
        length = int(item.getLength())
        write(item.getBytes(), 0, length)
        return length

    def take(size: int) -> bytes:
        data = bytes(buffer.getData())[:size]
        buffer.reset()
        return data

    return put, take
