"""Compression: which codec a file has, its content in pieces, and compressors for output."""
