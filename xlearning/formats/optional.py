"""Libraries that only some formats need; they are not installed with XLearning itself."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from xlearning.errors import StorageError


def load(module: str, package: str, extra: str) -> Any:
    """The module ``module`` of the library ``package``, which the extra ``extra`` of XLearning brings.

    Raises
    ------
    StorageError
        It is not installed where the program is fed.
    """
    if sys.modules.get("ssl", sys) is None:
        del sys.modules["ssl"]  # agents do without it, but libraries may look for it while they load
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise StorageError(
            f"this format needs the Python package {package}, which cannot be loaded here: {error}",
            hint=f"pip install 'xlearning[{extra}]'",
        ) from error
