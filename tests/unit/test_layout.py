"""The four top-level code folders are sub-packages of ``xlearning``; setup.cfg must name each of them."""

import configparser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def declared() -> tuple[set[str], dict[str, str]]:
    cfg = configparser.ConfigParser()
    cfg.read(ROOT / "setup.cfg")
    opt = cfg["options"]
    pairs = (line.partition("=") for line in opt["package_dir"].strip().splitlines())
    dirs = {name.strip(): folder.strip() for name, _, folder in pairs}
    return set(opt["packages"].split()), dirs


def test_every_package_on_disk_is_declared() -> None:
    packages, dirs = declared()
    found = set()
    for dotted, folder in dirs.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            rel = init.parent.relative_to(ROOT / folder).parts
            found.add(".".join((dotted, *rel)))
    assert found == packages


def test_modules_come_from_this_checkout() -> None:
    import xlearning
    import xlearning.am

    assert Path(xlearning.__file__).resolve().parent == ROOT / "xlearning"
    assert Path(xlearning.am.__file__).resolve().parent == ROOT / "am"
