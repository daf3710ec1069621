"""The one error of this tool."""


class MiniHadoopError(Exception):
    """What is wrong and what to do about it, in words for a person."""
