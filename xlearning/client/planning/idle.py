"""Settings of streams, or of an application type, in a job that has none: whoever gave them wanted one."""

from __future__ import annotations

from xlearning.config import Config
from xlearning.config.effects import means_default
from xlearning.config.keys import lookup
from xlearning.job import InputStrategy, OutputStrategy

_IN = (
    *("xlearning.inputformat.", "xlearning.stream.epoch", "xlearning.input.stream."),
    *("xlearning.input.split.", "xlearning.input.prefetch", "xlearning.input.reader.threads"),
)
_OUT = ("xlearning.outputformat.",)
_CLASSES = ("xlearning.inputformat.class", "xlearning.outputformat.class")


def tell(
    config: Config, input_strategy: InputStrategy, output_strategy: OutputStrategy, notes: list[str]
) -> None:
    """A note for each side that is no stream and has settings of one; those of files do not count."""
    if input_strategy is not InputStrategy.STREAM and (names := given(config, _IN)):
        notes.append(
            f"no effect with input strategy {input_strategy.value}: {names}; add --input-strategy STREAM"
        )
    if output_strategy is not OutputStrategy.STREAM and (names := given(config, _OUT)):
        notes.append(
            f"no effect with output strategy {output_strategy.value}: {names}; add --output-strategy STREAM"
        )


def tell_type(app_type: str, config: Config, notes: list[str]) -> None:
    """A note for settings that only other application types read."""
    idle: dict[tuple[str, ...], list[str]] = {}
    for name in config.explicit():
        one = lookup(name)
        if one is not None and one.types and app_type not in one.types and (said := given(config, (name,))):
            idle.setdefault(one.types, []).append(said)
    for types, names in idle.items():
        notes.append(f"no effect with type {app_type}: {', '.join(names)}; meant for {', '.join(types)}")


def given(config: Config, prefixes: tuple[str, ...]) -> str:
    """The settings below these names that ask for something, as they were given; not those of files."""
    entries = [config.entry(name) for name, text in config.explicit().items() if _asks(name, text, prefixes)]
    # the sources of values from files are a word and a path
    return ", ".join(dict.fromkeys(str(one) for one in entries if one is not None and " " not in one.source))


def _asks(name: str, text: str, prefixes: tuple[str, ...]) -> bool:
    """Whether a value asks for something; a format does so even where it is the default one."""
    return name.startswith(prefixes) and (name in _CLASSES or not means_default(name, text))
