"""skein can be loaded where there is no distutils."""

from __future__ import annotations

import subprocess
import sys

from xlearning.cluster.distutils import LooseVersion


def test_versions_compare() -> None:
    assert LooseVersion("1.85.3") > LooseVersion("1.9.0") > "1.8"
    assert LooseVersion("1.18.0") == "1.18.0"
    assert not LooseVersion("1.18.0") < "1.18.0"


def test_skein_loads_without_it() -> None:
    program = (
        "import sys\n"
        "class Nowhere:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'distutils': raise ModuleNotFoundError(name)\n"
        "import importlib.util; found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda n, p=None: None if n == 'distutils' else found(n, p)\n"
        "sys.meta_path.insert(0, Nowhere())\n"
        "from xlearning.cluster.skein import _skein\n"
        "print(_skein().__name__, sys.modules['distutils.version'].LooseVersion.__module__)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["skein", "xlearning.cluster.distutils"], done.stderr
