"""`import xlearning`, which the ApplicationMaster and the agents do too, loads nothing of the client."""

from __future__ import annotations

import subprocess
import sys

import pytest

import xlearning


def test_the_package_loads_what_is_named_and_nothing_before() -> None:
    program = (
        "import sys, xlearning\n"
        "ours = {name for name in sys.modules if name.startswith('xlearning.')}\n"
        "assert not ours, ours\n"
        "from xlearning import Job\n"
        "Job('python train.py')\n"
        "heavy = 'grpc google skein flask hdfs_native pyarrow tensorboard rich click '\n"
        "heavy += 'cryptography psutil asyncio'\n"
        "loaded = set(heavy.split()) & set(sys.modules)\n"
        "assert not loaded, loaded\n"
        "from xlearning import Client, submit\n"
        "Client(local=True)\n"
        "loaded = set(heavy.split()) & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_name_that_is_offered_is_there() -> None:
    assert sorted(xlearning.__all__) == xlearning.__all__
    for name in xlearning.__all__:
        assert getattr(xlearning, name) is not None
        assert name in dir(xlearning)
    with pytest.raises(AttributeError, match="no attribute 'Jobs'"):
        _ = xlearning.Jobs
