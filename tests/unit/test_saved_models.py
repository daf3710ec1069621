"""What is told at the submission of models that earlier jobs saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.client.planning.inputs import Listing
from xlearning.client.planning.saved_models import tell_deleted, tell_read
from xlearning.fs import FileSystems
from xlearning.fs.listing import files_of
from xlearning.job import InputSpec

FIRST, SECOND = "interResult_2026_11_29_20_39_31", "interResult_2026_11_29_20_40_00"
NAMES = ("model/a", f"{FIRST}/c1/a", f"{FIRST}/c2/b", f"{SECOND}/c1/a", f"{SECOND}/_SUCCESS")
DEFAULT = "/interResult_"


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


@pytest.fixture(autouse=True)
def out(tmp_path: Path) -> Path:
    write(tmp_path / "out", *NAMES)
    return tmp_path / "out"


def read(*patterns: Path | str, saves: str = DEFAULT) -> list[str]:
    spec = InputSpec("in", tuple(f"file://{pattern}" for pattern in patterns))
    storage, notes = FileSystems("file://"), list[str]()
    found = [files_of(storage.of(pattern), pattern) or [] for pattern in spec.patterns]
    tell_read([Listing(spec, tuple(status for one in found for status in one))], saves, notes)
    return notes


def deleted(out: Path, saves: str = DEFAULT) -> list[str]:
    notes: list[str] = []
    tell_deleted(f"file://{out}", saves, FileSystems("file://"), notes)
    return notes


def test_saved_models_in_an_input_are_told(out: Path) -> None:
    told = (
        f"input in holds 3 files of 2 saved models, such as file://{out}/{FIRST}, read like the rest; "
        f"a pattern such as file://{out}/[!i]* leaves them out"
    )
    for pattern in (out, f"{out}/*", f"{out.parent}/*", f"{out.parent}/[o]*/*"):
        assert read(pattern) == [told]


def test_what_the_pattern_leads_to_is_not_told(out: Path) -> None:
    assert read(f"{out}/[!i]*") == read(f"{out}/model") == []
    for meant in (f"{out}/{FIRST}", f"{out}/inter*", f"{out}/{{model,{FIRST},{SECOND}}}", f"{out}/i*/*/a"):
        assert read(meant) == []


def test_saves_of_other_names(out: Path) -> None:
    write(out, "model-2026_11_29_20_39_31/a", "log_2026_11_29_20_39_31/a", "model-2026/a")
    (only,) = read(f"{out}/[!i]*", saves="/saved/model-")
    assert f"1 file of 1 saved model, such as file://{out}/model-2026_11_29_20_39_31, read" in only
    assert "2 saved models" in read(out)[0]


def test_saved_models_that_are_replaced_are_counted(out: Path) -> None:
    assert deleted(out) == [f"2 saved models in file://{out} will be deleted once the job has succeeded"]
    assert deleted(out, "model-") == deleted(out, "/saved/x") == []
    write(out, "saved/x2026_11_29_20_39_31/a", "saved/x2026_11_29_20_39_3z/a", "saved/y")
    assert deleted(out, "/saved/x") == [
        f"1 saved model in file://{out}/saved will be deleted once the job has succeeded"
    ]
