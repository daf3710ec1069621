"""Files on local disks and on HDFS behind one protocol."""

from xlearning.fs.base import FileStatus, FileSystem, exists, join, parent, split_uri
from xlearning.fs.registry import FileSystems, default_uri_from_conf

__all__ = [
    "FileStatus",
    "FileSystem",
    "FileSystems",
    "default_uri_from_conf",
    "exists",
    "join",
    "parent",
    "split_uri",
]
