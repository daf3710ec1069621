"""The page's own files: scripts, styles and icon, under an address that changes with their content."""

from __future__ import annotations

import hashlib
from pathlib import Path

FOLDER = Path(__file__).parent / "static"

# The host's own table may call scripts text/plain, which a browser refuses to run as a module.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


class Assets:
    """Every file of a folder, held in memory.

    Attributes
    ----------
    digest : str
        Changes when any file does; part of the address, so that browsers may keep files for ever.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        found = sorted(path for path in folder.rglob("*") if path.suffix in _TYPES and path.is_file())
        self._files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
        hasher = hashlib.sha256()
        for name, content in self._files.items():
            hasher.update(f"{name}\0{len(content)}\0".encode() + content)
        self.digest = hasher.hexdigest()[:16]

    def read(self, name: str) -> tuple[bytes, str]:
        """Content and content type of a file; `KeyError` for a name that is not among them."""
        return self._files[name], _TYPES[Path(name).suffix]
