"""One module per application type: roles, rules, and cluster map -> environment. Pure.

The gateway plans with them, the ApplicationMaster runs by them.
"""

from __future__ import annotations

import importlib

from xlearning.frameworks.base import Framework

# Type -> ``module:Class``. Loaded when a job names it.
_TYPES = {
    "DIGITS": "xlearning.frameworks.gone:Digits",
    "DISTLIGHTGBM": "xlearning.frameworks.lightgbm:DistLightGBM",
    "DISTLIGHTLDA": "xlearning.frameworks.lightlda:LightLDA",
    "DISTTORCH": "xlearning.frameworks.disttorch:DistTorch",
    "DISTXGBOOST": "xlearning.frameworks.distxgboost:DistXGBoost",
    "HOROVOD": "xlearning.frameworks.horovod:Horovod",
    "LIGHTLDA": "xlearning.frameworks.lightlda:LightLDA",
    "MPI": "xlearning.frameworks.mpi:Mpi",
    "MXNET": "xlearning.frameworks.mxnet:MXNet",
    "TENSOR2TENSOR": "xlearning.frameworks.tensor2tensor:Tensor2Tensor",
    "TENSORFLOW": "xlearning.frameworks.tensorflow:TensorFlow",
    "TENSORNET": "xlearning.frameworks.mpi:Mpi",
    "VPC": "xlearning.frameworks.gone:Vpc",
    "XDL": "xlearning.frameworks.gone:Xdl",
    "XFLOW": "xlearning.frameworks.xflow:XFlow",
}
_OTHERS = "xlearning.frameworks.base:Framework"


def known() -> tuple[str, ...]:
    """Names of the types that have rules of their own."""
    return tuple(_TYPES)


def framework(app_type: str, outside: str = "") -> Framework:
    """The rules of an application type; any unknown name runs as independent copies.

    Parameters
    ----------
    app_type : str
        Name in any case.
    outside : str
        ``module:Class`` of a type that is not ours, see `xlearning.frameworks.outside`.

    Raises
    ------
    xlearning.errors.UsageError
        The outside type cannot be loaded.
    """
    if outside:
        from xlearning.frameworks.outside import load  # not loaded by jobs without one

        return load(outside)
    module, _, name = _TYPES.get(app_type.upper(), _OTHERS).partition(":")
    made = getattr(importlib.import_module(module), name)()
    assert isinstance(made, Framework)
    return made
