"""A job as Python users write it: the words of ``xl-submit`` as fields, one vocabulary for both."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from xlearning.client.api import values
from xlearning.client.options import OPTIONS, Option, Takes
from xlearning.client.planning.request import check_command, split_command
from xlearning.client.problems import Problem, refuse
from xlearning.client.scan import Scan, scan
from xlearning.client.shell_signs import shell_note
from xlearning.config.confidential import hide_value, hide_words, mask

Text: TypeAlias = "str | None"
Number: TypeAlias = "int | str | None"
Switch: TypeAlias = "bool | None"
Named: TypeAlias = "str | os.PathLike[str] | Mapping[str, str] | Sequence[str | os.PathLike[str]] | None"
Paths: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None"
Pairs: TypeAlias = "Mapping[str, str | int | float | bool | os.PathLike[str]] | None"

# The command is given otherwise, and the rest is about the one submission, not about the job.
COMMAND = "launch-cmd"
_OF_FOLLOWING = ("detach", "logs", "kill-on-exit", "format", "quiet", "no-color")
NOT_OF_THE_JOB = frozenset(
    (
        *_OF_FOLLOWING,
        *(COMMAND, "local", "cluster", "dry-run", "verbose", "version", "help", "help-all", "status", "kill"),
        *(option.name for option in OPTIONS if option.instead),
    )
)


@dataclass(frozen=True)
class Job:
    """A command that runs in many containers, and all that they need.

    Every option of ``xl-submit`` that is about the job is a field of the same name; None leaves it to the
    configuration. What is kept is normal: equal jobs are equal, however they were written.

    Parameters
    ----------
    command : str or sequence of str
        The program, unchanged: one argument per item, or one string that is split as a shell would. It
        runs without a shell.
    worker_memory, ps_memory, ... : int or str
        MB, or a text with a unit such as ``"4g"``.
    input, output, cache_file, cache_archive, archives : mapping or sequence
        ``{path: name in the containers}``, or texts as behind the option: ``"path#name"``. A `Path` is one
        path without a name.
    files, jars : sequence of str or Path
        Files of this machine; jars may be of another file system.
    env : mapping
        Variables of the program; None passes on the variable of this process.
    conf : mapping
        Properties. Truth values become ``true`` and ``false``, numbers their digits.

    Raises
    ------
    xlearning.errors.UsageError
        With every value that cannot be one; what the values ask for is looked at by `Client.plan`.

    Examples
    --------
    >>> Job("python train.py", worker_num=2, input={"/data/mnist": "data"}, worker_memory="4g")
    Job('python train.py', worker_num=2, worker_memory='4g', input=('/data/mnist#data',))
    """

    command: str | Sequence[str]
    _: KW_ONLY
    app_name: Text = None
    app_type: Text = None
    queue: Text = None
    priority: Text = None
    keytab: str | os.PathLike[str] | None = None
    principal: Text = None
    duration: Number = None
    worker_num: Number = None
    worker_memory: Number = None
    worker_cores: Number = None
    worker_gpus: Number = None
    ps_num: Number = None
    ps_memory: Number = None
    ps_cores: Number = None
    ps_gpus: Number = None
    chief_worker_memory: Number = None
    evaluator_worker_memory: Number = None
    tf_evaluator: Switch = None
    am_memory: Number = None
    am_cores: Number = None
    host_local_enable: Switch = None
    container_type: Text = None
    docker_image: Text = None
    input: Named = None
    output: Named = None
    input_strategy: Text = None
    inputformat: Text = None
    inputformat_enable: Switch = None
    inputformat_shuffle: Switch = None
    stream_epoch: Number = None
    output_strategy: Text = None
    outputformat: Text = None
    outputformat_enable: Switch = None
    output_existing: Text = None
    output_index: Number = None
    create_containerid_dir: Switch = None
    rename_input_file: Switch = None
    allow_empty_input: Switch = None
    files: Paths = None
    archives: Named = None
    jars: Paths = None
    cache_file: Named = None
    cache_archive: Named = None
    env: Pairs = None
    env_file: Paths = None
    template: Switch = None
    user_path: Text = None
    user_ldlibrarypath: Text = None
    user_classpath_first: Switch = None
    board_enable: Switch = None
    board_index: Number = None
    board_reloadinterval: Number = None
    board_logdir: Text = None
    board_historydir: Text = None
    board_modelpb: Text = None
    board_cache_timeout: Number = None
    conf: Pairs = None
    conf_file: Paths = None
    properties_file: Paths = None
    local_slots: Number = None

    def __new__(cls, *_words: object, **fields: object) -> Job:
        """Refuse fields that there are not, and say which was meant."""
        if unknown := [name for name in fields if name not in ("command", *FIELDS)]:
            raise TypeError("; ".join(map(_no_field, unknown)))
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Bring every field into its normal form."""
        problems: list[Problem] = []
        object.__setattr__(self, "command", _command(self.command, problems))
        for field, option in FIELDS.items():
            object.__setattr__(self, field, values.kept(option, getattr(self, field), field, problems))
        refuse(problems)

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Job:
        """The job of a command line: the words after ``xl-submit``.

        Raises
        ------
        xlearning.errors.UsageError
            With everything that is wrong with the words; an option that is not about the job is, too.
        """
        line = scan(list(words))
        for name in NOT_OF_THE_JOB & line.values.keys() - {COMMAND}:
            line.problems.append(Problem(f"--{name} is not about the job", "leave it out; see Client"))
        job = cls.of_line(line)
        refuse(line.problems)
        return job

    @classmethod
    def of_line(cls, line: Scan) -> Job:
        """The job of a command line that was taken apart; what is wrong becomes a problem of the line."""
        job = object.__new__(cls)
        object.__setattr__(job, "command", _command_of(line))
        for field, option in FIELDS.items():
            given = line.values.get(option.name)
            kept = values.read(option, given, line.problems) if given else None
            object.__setattr__(job, field, kept)
        return job

    def words(self) -> list[str]:
        """The job as words of a command line; ``xl-submit`` makes the same job of them."""
        made = []
        for option, texts in self._given():
            flag = option.flag
            made += [flag if option.takes is Takes.NOTHING else f"{flag}={text}" for text in texts]
        return [*made, "--", *self.command]

    def line(self) -> Scan:
        """The job as a command line that was taken apart."""
        return Scan({option.name: list(texts) for option, texts in self._given()}, tuple(self.command))

    def _given(self) -> list[tuple[Option, tuple[str, ...]]]:
        pairs = [(option, values.texts(option, getattr(self, field))) for field, option in FIELDS.items()]
        return [(option, texts) for option, texts in pairs if texts]

    def __repr__(self) -> str:
        """The fields that are set, without the values of secrets."""
        given = {field: value for field in FIELDS if (value := getattr(self, field)) is not None}
        shown = [f"{name}={_shown(value)}" for name, value in given.items()]
        command = shlex.join(hide_words(tuple(self.command)))
        return f"{type(self).__name__}({', '.join([repr(command), *shown])})"


FIELDS: Mapping[str, Option] = {
    option.identifier: option for option in OPTIONS if option.name not in NOT_OF_THE_JOB
}


def _shown(value: object) -> str:
    if isinstance(value, dict):  # of texts, or of None for a variable of this process
        value = {name: text and hide_value(name, text) for name, text in value.items()}
    return mask(repr(value))


def _no_field(name: str) -> str:
    known = {spelling.replace("-", "_"): field for field, one in FIELDS.items() for spelling in one.names}
    near = difflib.get_close_matches(name, known, 1)
    return f"Job has no field {name}" + (f"; did you mean {known[near[0]]}?" if near else "")


def _command(given: object, problems: list[Problem]) -> tuple[str, ...]:
    if isinstance(given, str):
        return split_command(given, "command", problems)
    if not isinstance(given, Sequence) or isinstance(given, bytes):
        problems.append(Problem(f"command={given!r} is no command", "give a list of words, or one text"))
        return ()
    words = []
    for word in given:
        try:
            words.append(values.plain(word))
        except values.Unfit as error:
            problems.append(Problem(f"command: {error}", "give words"))
            return ()
    check_command(tuple(words), problems)
    return tuple(words)


def _command_of(line: Scan) -> tuple[str, ...]:
    text = line.one(COMMAND)
    if text is not None and not line.command:
        if note := shell_note(_unquoted(text), line.written.get(COMMAND, f"--{COMMAND}")):
            line.notes.append(note)
        return split_command(_unquoted(text), f"--{COMMAND}", line.problems)
    if text is not None:
        line.notes.append(f"--{COMMAND} is ignored: the command is given at the end of the line")
    check_command(line.command, line.problems)
    return line.command


def _unquoted(text: str) -> str:
    """The original drops one pair of double quotes around all of the text."""
    inner = text.strip()[1:-1]
    return inner if text.strip() == f'"{inner}"' and '"' not in inner else text
