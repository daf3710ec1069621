"""One module per application type: cluster map -> environment. Pure."""

from __future__ import annotations

from xlearning.am.frameworks.base import Framework
from xlearning.am.frameworks.generic import Generic
from xlearning.am.frameworks.tensorflow import TensorFlow

_TYPES: dict[str, type[Framework]] = {"TENSORFLOW": TensorFlow}


def framework(app_type: str) -> Framework:
    """The rules of an application type; any unknown name runs as independent copies."""
    return _TYPES.get(app_type.upper(), Generic)()
