"""Use of the container's GPUs, by nvidia-ml-py (``pynvml``), which is optional: without it, no figures."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from xlearning.cluster.gpus import VISIBLE
from xlearning.formats import libraries
from xlearning.job import GpuView

log = logging.getLogger(__name__)


def find(variables: Mapping[str, str]) -> GpuMeter | None:
    """The meter of the GPUs that a program with these variables may use; None: nobody can tell. Blocks."""
    if not libraries.available("nvidia-ml-py"):
        log.info("no figures of GPUs: nvidia-ml-py is not there")
        return None
    nvml = libraries.load("nvidia-ml-py")
    try:
        nvml.nvmlInit()
        return GpuMeter(nvml, variables.get(VISIBLE))
    except nvml.NVMLError as error:
        log.warning("no figures of GPUs: %s", error)
        return None


class GpuMeter:
    """Samples GPUs.

    Parameters
    ----------
    nvml : module
        ``pynvml``, initialized.
    visible : str or None
        CUDA_VISIBLE_DEVICES of the program; None: all that this container can open.

    Attributes
    ----------
    ids : tuple of str
        NVIDIA's names (UUIDs) of the GPUs.
    """

    def __init__(self, nvml: Any, visible: str | None) -> None:
        self._nvml = nvml
        every = [found for number in range(nvml.nvmlDeviceGetCount()) if (found := self._open(number))]
        chosen = [one for one in every if _is_visible(one, visible)]
        self._handles = {(number, uuid): handle for number, uuid, handle in chosen}
        self.ids: Sequence[str] = tuple(uuid for _, uuid, _ in chosen)

    def sample(self) -> tuple[GpuView, ...]:
        """Measure now; one that does not answer is left out."""
        found = []
        for (number, uuid), handle in self._handles.items():
            try:
                memory = self._nvml.nvmlDeviceGetMemoryInfo(handle)
                busy = self._nvml.nvmlDeviceGetUtilizationRates(handle).gpu
            except self._nvml.NVMLError as error:
                log.debug("GPU %d does not answer: %s", number, error)
                continue
            found.append(GpuView(uuid, number, float(busy), int(memory.used), int(memory.total)))
        return tuple(found)

    def _open(self, number: int) -> tuple[int, str, Any] | None:
        """One of the machine's; None where YARN keeps it from this container."""
        try:
            handle = self._nvml.nvmlDeviceGetHandleByIndex(number)
            uuid = self._nvml.nvmlDeviceGetUUID(handle)
        except self._nvml.NVMLError:
            return None
        return number, uuid.decode() if isinstance(uuid, bytes) else str(uuid), handle


def _is_visible(device: tuple[int, str, Any], visible: str | None) -> bool:
    if visible is None:
        return True
    number, uuid, _ = device
    names = [part.strip() for part in visible.split(",") if part.strip()]
    return any(name == str(number) or (not name.isdigit() and uuid.startswith(name)) for name in names)
