"""A real one-host Hadoop on loopback for tests and demonstrations.

NameNode, DataNode, ResourceManager and any number of NodeManagers run as separate processes.
Standard library only, so that ``python tools/minihadoop up`` works before anything is installed.
"""

from .cluster import MiniHadoop, missing_tools
from .errors import MiniHadoopError

__all__ = ["MiniHadoop", "MiniHadoopError", "missing_tools"]
