"""The demo job on the versions of Hadoop that the other tests do not run on."""

from __future__ import annotations

from pathlib import Path

import demo_hadoop
import numpy as np
import pytest
from minihadoop import jars


@pytest.mark.large
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("hadoop_tools")
@pytest.mark.parametrize("version", [each for each in jars.JACKSON if each != jars.DEFAULT_VERSION])
def test_the_demo_runs(version: str, tmp_path: Path) -> None:
    assert demo_hadoop.run(tmp_path, version) == 0
    weights = np.load(tmp_path / "hadoop-model" / "weights.npz")
    assert weights.files
    assert all(np.isfinite(weights[name]).all() for name in weights.files)
