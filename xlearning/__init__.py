"""XLearning: run any training command, unchanged, in many containers."""

__version__ = "0.1.0"
