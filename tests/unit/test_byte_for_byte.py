"""Whatever is in a word or a variable reaches the program as it was typed, or is refused in words."""

from __future__ import annotations

import json
import os
import posixpath
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from xlearning.am.inputs.plan import InputPlan
from xlearning.am.launch import launch_spec
from xlearning.client.api.job import Job
from xlearning.client.api.order import layers_of, request_of
from xlearning.client.planning.carry import LONGEST, MOST
from xlearning.client.planning.plan import Plan, Setting, make_plan
from xlearning.client.preflight import texts
from xlearning.client.scan import scan
from xlearning.client.settings import Layers, user_name
from xlearning.cluster.base import ApplicationReport
from xlearning.config import Config, load
from xlearning.container import guardian
from xlearning.errors import UsageError
from xlearning.fs import FileSystems
from xlearning.job import (
    WORKER,
    InputStrategy,
    JobSpec,
    LaunchSpec,
    LocalResource,
    Member,
    ResourceKind,
    Task,
    from_dict,
    to_dict,
)

NASTY = [
    b"",
    b" ",
    b"a=b,c",
    b"'\"$HOME`x`\\",
    b"\n\t\r\n",
    b"--env",
    b"--",
    b"-x=",
    b"\xff\xfe\xc3",
    "é中😀".encode(),
]
WORD = st.one_of(
    st.sampled_from(NASTY),
    st.binary(max_size=30).filter(lambda word: b"\0" not in word),
    st.text("=,# '\"$`\\{}\n\té;&|*?~-", max_size=30).map(str.encode),
)
VARIABLES = st.dictionaries(st.from_regex(r"[A-Z_]{3,8}", fullmatch=True), WORD, max_size=4)
MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def nobody(app_id: str) -> ApplicationReport:
    raise AssertionError(app_id)


def plan(words: Sequence[bytes], *, local: bool = True) -> Plan:
    """What a shell's command line with these words leads to."""
    line = scan([os.fsdecode(word) for word in words])
    job = Job.of_line(line)
    layers = layers_of(job, Layers())
    config = load(environ={}, overrides=layers.conf, options=layers.options)
    setting = Setting("me", 1.0, "file://", nobody, local)
    return make_plan(request_of(job), config, FileSystems("file://"), setting, problems=line.problems)


def arrives(job: JobSpec) -> tuple[list[bytes], dict[bytes, bytes]]:
    """What the program gets: through job.json, the order to the agent, and the one to the guardian."""
    staged = from_dict(JobSpec, json.loads(json.dumps(to_dict(job)).encode("ascii")))
    config = load(environ={}, overrides=tuple(staged.properties.items()))
    inputs = InputPlan(InputStrategy.DOWNLOAD, {}, ())
    spec = launch_spec(staged, config, inputs, Task(WORKER, 0, 1), {WORKER: (Member("a", (1,)),)})
    spec = from_dict(LaunchSpec, json.loads(json.dumps(to_dict(spec)).encode("ascii")))
    order = json.loads(json.dumps({"command": list(spec.command), "env": dict(spec.env)}).encode("ascii"))
    words = [guardian._bytes(word) for word in order["command"]]
    return words, {guardian._bytes(name): guardian._bytes(value) for name, value in order["env"].items()}


@MANY
@given(
    st.lists(WORD, max_size=5),
    VARIABLES,
    VARIABLES,
    WORD.filter(lambda name: bool(os.fsdecode(name).strip())),
)
@example(NASTY, {}, {}, b"n")
def test_words_and_variables_arrive(
    arguments: list[bytes], own: dict[str, bytes], family: dict[str, bytes], name: bytes
) -> None:
    words = [b"--app-name=" + name]
    words += [b"--env=%s=%s" % (key.encode(), value) for key, value in own.items()]
    family = {f"F_{key}": value.replace(b"${", b"$ {") for key, value in family.items()}
    words += [
        b"--conf=xlearning.container.env.%s=%s" % (key.encode(), value) for key, value in family.items()
    ]
    job = plan([*words, b"--", b"run", *arguments]).job
    assert job.app_name == os.fsdecode(name).strip()
    command, env = arrives(job)
    assert command == [b"run", *arguments]
    assert {key: env[key.encode()] for key in own} == own
    assert {key: env[key.encode()] for key in family} == family


@MANY
@given(st.lists(WORD, min_size=1, max_size=5).filter(lambda words: bool(words[0])))
def test_words_arrive_as_one_text_too(arguments: list[bytes]) -> None:
    """Quoted as a shell user does it."""
    text = shlex.join([os.fsdecode(word) for word in arguments])
    if text.startswith('"'):
        return
    assert arrives(plan([b"--launch-cmd=" + os.fsencode(text)]).job)[0] == arguments


@MANY
@given(VARIABLES)
def test_a_file_of_variables_arrives(tmp_path_factory: pytest.TempPathFactory, own: dict[str, bytes]) -> None:
    lines = [
        b"%s='%s'\n" % (key.encode(), value.replace(b"\\", b"\\\\").replace(b"'", b"\\'"))
        for key, value in own.items()
    ]
    path = tmp_path_factory.getbasetemp() / "given.env"
    path.write_bytes(b"".join(lines))
    env = arrives(plan([b"--env-file", bytes(path), b"run"]).job)[1]
    assert {key: env[key.encode()] for key in own} == own


def test_a_command_of_200_kb_arrives() -> None:
    words = [b"%d-" % n + b"x" * 10_000 for n in range(20)]
    assert arrives(plan([b"run", *words]).job)[0] == [b"run", *words]


def refusal(*words: bytes, local: bool = False) -> str:
    with pytest.raises(UsageError) as caught:
        plan(words, local=local)
    return str(caught.value)


def test_what_no_program_can_be_given_is_refused() -> None:
    assert plan([b"run", b"x" * LONGEST, b"--"]).job.command[1] == "x" * LONGEST
    text = refusal(b"run", b"ok", b"x" * (LONGEST + 1))
    assert "word 3 of the command ('" in text and "has 131,072 bytes; a program can be given 131,071" in text
    assert "--files" in text
    value = LONGEST - len("BIG=")
    assert plan([b"--env=BIG=" + b"x" * value, b"run"]).job.env["BIG"]
    assert "the variable BIG (" in refusal(b"--env=BIG=" + b"x" * (value + 1), b"run")
    both = refusal(b"--conf=xlearning.container.env.BIG=" + "é".encode() * 70_000, b"run", b"y" * 140_000)
    assert "the variable BIG (" in both and "word 2 of the command" in both


def test_half_a_character_is_refused() -> None:
    """Only Python programs can name one."""
    with pytest.raises(UsageError, match=r"word 2 of the command holds '\\ud800'"):
        make_plan(
            request_of(Job(["run", "a\ud800"])),
            load(environ={}),
            FileSystems("file://"),
            Setting("me", 1.0, "file://", nobody, True),
        )


def test_more_than_fits_in_all_is_refused() -> None:
    words = [b"x" * 100_000] * (MOST // 100_000 + 1)
    assert "no program can be given more than 6,291,456" in refusal(b"run", *words)
    most = os.sysconf("SC_ARG_MAX")
    if most < MOST:
        few = [b"x" * 100_000] * (most // 100_000 + 1)
        assert f"more than {most:,}" in refusal(b"run", *few, local=True)


def test_the_kernels_refusal_is_told() -> None:
    """What planning cannot know: the limit of a node."""
    with pytest.raises(
        guardian.ExecFailed, match=r"command of 140006 bytes and variables of 4: .*ulimit -s"
    ) as caught:
        guardian.execute([b"true", b"x" * 140_000], {b"A": b"b"})
    assert caught.value.code == guardian.NOT_EXECUTABLE


@pytest.mark.parametrize("word", ["\0", "a\0b"])
def test_a_null_character_is_refused(word: str, tmp_path: Path) -> None:
    (tmp_path / "e").write_text(f"X='{word}'\n")
    assert "the variable X holds a NUL" in refusal(b"--env-file", bytes(tmp_path / "e"), b"run")
    assert "word 2 of the command holds a NUL" in refusal(b"run", word.encode())


@MANY
@given(st.text("a,{}#\\ 'é", min_size=1, max_size=8), st.text("n, 'é\\", min_size=1, max_size=5))
def test_paths_of_a_mapping_are_those_that_are_planned(path: str, name: str) -> None:
    """Commas and all; what cannot be said is refused, or found missing under its own name."""
    path = f"/none/{path}/x"
    try:
        job = Job(["run"], output={path: name})
        made = make_plan(
            request_of(job),
            load(environ={}),
            FileSystems("file://"),
            Setting("me", 1.0, "file://", nobody, True),
        )
    except UsageError:
        return
    (output,) = made.job.outputs
    assert output.local == posixpath.normpath(name)
    assert output.remote == f"file://{path}"


def test_commas_in_names(tmp_path: Path) -> None:
    for name in ("a,b", "c"):
        (tmp_path / name).write_bytes(b"")
    listed = str(tmp_path / "a\\,b").encode()
    words = [b"--cacheFile", listed + b"#n\\,m,%s/c" % bytes(tmp_path), b"--jars", listed, b"run"]
    job = plan(words).job
    assert [resource.name for resource in job.resources] == ["n,m", "c", "a,b"]
    assert job.search.jars == ("a,b",)
    api = Job(["run"], cache_file={f"{tmp_path}/a,b": "n,m"}, files=[f"{tmp_path}/a,b"])
    found = make_plan(
        request_of(api), load(environ={}), FileSystems("file://"), Setting("me", 1.0, "file://", nobody, True)
    )
    assert {resource.name for resource in found.job.resources} == {"n,m", "a,b"}


def test_names_that_yarn_cannot_be_given() -> None:
    job = plan([b"--app-name=a\xff", b"--conf=xlearning.am.env.X=\xfe", b"--queue=\xc3", b"run"]).job
    config = Config.from_properties(job.properties)
    resources = (LocalResource("f\udcff", "file:///f", ResourceKind.FILE),)
    found = [problem.message for problem in texts.check(replace(job, resources=resources), config)]
    assert [message.partition(" ")[0] for message in found[:3]] == [
        "--app-name",
        "xlearning.app.queue",
        "xlearning.am.env.X",
    ]
    assert len(found) == 4
    assert "takes names of files in UTF-8 only" in found[3]


@pytest.mark.parametrize(
    ("given", "name"),
    [("first.last", "first.last"), ("a-b", "a-b"), ("x@REALM", "x"), ("x/host@REALM", "x"), ("@", "@")],
)
def test_users_are_named_as_hadoop_names_them(given: str, name: str) -> None:
    assert user_name({"HADOOP_USER_NAME": given}) == name
