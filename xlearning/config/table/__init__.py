"""The properties, a file per theme; `xlearning.config.keys` puts them together."""

from __future__ import annotations
