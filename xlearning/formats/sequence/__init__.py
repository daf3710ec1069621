"""Hadoop's SequenceFile: its layout, its codecs, and what its keys and values are as text."""
