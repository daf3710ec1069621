"""A job as Python users write it: one vocabulary with the command line, and the way there and back."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.client.api.job import FIELDS, NOT_OF_THE_JOB, Job
from xlearning.client.api.order import layers_of, request_of
from xlearning.client.api.values import Form, form_of
from xlearning.client.options import OPTIONS
from xlearning.client.settings import Layers
from xlearning.errors import UsageError


def refusal(*args: Any, **fields: Any) -> str:
    with pytest.raises(UsageError) as caught:
        Job(*args, **fields)
    return str(caught.value)


def test_every_option_about_the_job_is_a_field_and_the_other_way_round() -> None:
    fields = [field.name for field in dataclasses.fields(Job)]
    assert fields[0] == "command"
    assert set(fields[1:]) == set(FIELDS)
    assert {option.name for option in FIELDS.values()} | NOT_OF_THE_JOB == {option.name for option in OPTIONS}


# ---- there and back ------------------------------------------------------------------------------

TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12
) | st.sampled_from(["--", "-", "--ps-num", "a=b", "true", "1", "007", "", " ", "a,b#c", "\udcff"])
NAME = st.text(st.sampled_from("ab.-_ é"), min_size=1, max_size=5).filter(
    lambda name: name == name.strip() != ""
)
PATH = st.text(st.sampled_from("ab/,{}*? #="), min_size=1, max_size=8).filter(lambda p: p == p.strip() != "")
VALUE = TEXT | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
VALUES = {
    Form.TEXT: TEXT | st.integers(),
    Form.NUMBER: st.integers(-5, 10**6) | TEXT,
    Form.SWITCH: st.booleans(),
    Form.FLAG: st.booleans(),
    Form.PAIRS: st.dictionaries(NAME, VALUE, max_size=3),
    Form.NAMED: st.lists(TEXT, max_size=3) | st.dictionaries(PATH, NAME, max_size=2),
    Form.PATHS: st.lists(
        PATH | PATH.map(Path).filter(lambda path: str(path) == str(path).strip()), max_size=3
    ),
}
COMMAND = st.tuples(TEXT.filter(bool)) | st.lists(TEXT, min_size=1, max_size=4).filter(lambda words: words[0])


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    chosen = draw(st.sets(st.sampled_from(sorted(FIELDS)), max_size=6))
    # an older switch means a strategy, and is refused beside another one
    chosen -= {f"{way}format_enable" for way in ("input", "output") if f"{way}_strategy" in chosen}
    return Job(draw(COMMAND), **{name: draw(VALUES[form_of(FIELDS[name])]) for name in chosen})


@given(jobs())
def test_a_job_becomes_words_and_the_same_job_again(job: Job) -> None:
    again = Job.from_words(job.words())
    assert again == job
    assert again.words() == job.words()
    assert pickle.loads(pickle.dumps(job)) == job
    assert dataclasses.replace(job) == job
    assert (request_of(again), layers_of(again, Layers())) == (request_of(job), layers_of(job, Layers()))


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        (["--worker-num", "2", "--workerMemory=4g"], {"worker_num": 2, "worker_memory": "4g"}),
        (["--worker-num", "007"], {"worker_num": "007"}),
        (["--files", "a,b", "--files", "c\\,d"], {"files": ["a", "b", "c,d"]}),
        (["--input", "/a,/b#data"], {"input": "/a,/b#data"}),
        (["--input", "/a\\,b#data"], {"input": {"/a,b": "data"}}),
        (["--input", "/{a,b}#data"], {"input": {Path("/{a,b}"): "data"}}),
        (["--conf", "x=1", "-c", "x=a=b", "--conf", "y=true"], {"conf": {"x": "a=b", "y": True}}),
        (["--tf-evaluator", "--allow-empty-input"], {"tf_evaluator": True, "allow_empty_input": True}),
        (["--board-enable", "false"], {"board_enable": False}),
        (["--launch-cmd", "run 'a b'", "--output-index", "-1"], {"output_index": -1}),
    ],
)
def test_words_mean_what_the_fields_do(words: list[str], fields: Mapping[str, Any]) -> None:
    command = [] if "--launch-cmd" in words else ["run", "a b"]
    assert Job.from_words([*words, *command]) == Job("run 'a b'", **fields)


def test_the_name_of_a_job_may_look_like_a_number() -> None:
    assert Job("run", app_name="007").app_name == "007"
    assert Job("run", app_name="7") == Job.from_words(["--app-name", "7", "run"])


def test_a_job_shows_what_is_set() -> None:
    job = Job(["run", "a b"], worker_num=2, conf={"k": 1.5})
    assert repr(job) == "Job(\"run 'a b'\", worker_num=2, conf={'k': '1.5'})"
    assert eval(repr(job)) == job
    secret = Job("run --password s3crt", env={"DB_PASS": "s3crt", "A": "b"})
    assert "s3crt" not in repr(secret) and "'A': 'b'" in repr(secret)


# ---- what is wrong -------------------------------------------------------------------------------


def test_all_values_that_are_none_are_told_at_once() -> None:
    said = refusal([], worker_num=[1], files={"a": 1}, tf_evaluator="yes", conf={"a": None}, input={"p": 3})
    assert said.startswith("6 problems:")
    for part in (
        "there is no command to run",
        "worker_num=[1]",
        "tf_evaluator='yes': it is neither True nor False",
        "input={'p': 3}: 3 is no name",
        "files={'a': 1}: it is no list",
        "conf={'a': None}: a: None",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"command": "run 'x"}, 'command "run \'x" cannot be split: no closing quotation'),
        ({"command": 3}, "command=3 is no command"),
        ({"command": b"run"}, "is no command"),
        ({"command": ["run", object]}, "command: "),
        ({"worker_num": True}, "it is no number"),
        ({"app_name": False}, "it is no text"),
        ({"input": 3}, "it is no list"),
        ({"input": [Path("a#b")]}, "a mapping {path: name} can tell"),
        ({"files": [b"a"]}, "b'a' is no path"),
        ({"files": [" a"]}, "no path that an option can name"),
        ({"conf": {"a=b": 1}}, "'a=b' is no name"),
        ({"conf": ["a=b"]}, "it is no mapping"),
    ],
)
def test_values_that_no_word_stands_for(fields: dict[str, Any], why: str) -> None:
    assert why in refusal(**{"command": "run", **fields})


def test_unknown_fields_are_errors_of_python() -> None:
    with pytest.raises(TypeError, match="worker_nun"):
        Job("run", worker_nun=2)  # type: ignore[call-arg]


def test_words_that_are_no_job() -> None:
    with pytest.raises(UsageError) as caught:
        Job.from_words(["--local", "--conf", "x", "--worker-nun", "2"])
    said = str(caught.value)
    for part in (
        "--local is not about the job",
        "--conf x is not a pair",
        "did you mean --worker-num?",
        "no command",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("worker_nums", "worker_num"),
        ("workerNum", "worker_num"),
        ("inputs", "input"),
        ("archiveFiles", "archives"),
    ],
)
def test_a_field_that_there_is_not(name: str, meant: str) -> None:
    with pytest.raises(TypeError, match=f"^Job has no field {name}; did you mean {meant}\\?$"):
        Job("true", **{name: "2"})
    with pytest.raises(TypeError, match=r"^Job has no field zzz$"):
        dataclasses.replace(Job("true"), zzz=1)
