"""What is said about values that cannot be obeyed, and that the original's own files are accepted."""

from __future__ import annotations

from pathlib import Path

import pytest
from original_files import DEFAULT_14, DEFAULT_HBOX, SITE_14, SITE_HBOX

from xlearning.config import KEYS, Config, Key, Kind, hadoop_xml, load
from xlearning.config.effects import Verdict, judge, means_default
from xlearning.config.schema import COUNTS
from xlearning.errors import ConfigError

# A value that is not the default, for every way to read a value.
OTHER = {
    Kind.STRING: "something",
    Kind.INT: "7",
    Kind.FLOAT: "0.25",
    Kind.MEMORY: "7g",
    Kind.DURATION_MS: "7s",
    Kind.DURATION_S: "7s",
    Kind.LIST: "node7",
}


def said(*pairs: tuple[str, str]) -> Verdict:
    return judge(load(environ={}, overrides=pairs))


def other(key: Key) -> str:
    if key.kind is Kind.BOOL:
        return "false" if key.default == "true" else "true"
    return next(value for value in key.values if value != key.default) if key.values else OTHER[key.kind]


@pytest.mark.parametrize("key", [key for key in KEYS if key.effect is not COUNTS], ids=lambda key: key.name)
def test_a_value_that_cannot_be_obeyed_is_answered_once(key: Key) -> None:
    text = other(key)
    if key.default in (text, None) and text in key.defaults:
        pytest.skip("any value is a default of the original")
    verdict = said((key.name, text))
    found = [*verdict.warnings, *(message for message, _ in verdict.problems)]
    computed = text in key.defaults
    assert len(found) == (0 if computed else 1)
    assert all(key.name in words for words in found)
    assert bool(key.effect.missing) == bool(key.effect.instead)
    assert bool(key.effect.missing) != bool(key.effect.ignored)
    assert [fix for _, fix in verdict.problems] == ([key.effect.instead] if key.effect.missing else [])
    for default in (key.default or "", *key.defaults):
        if default or key.kind in (Kind.STRING, Kind.LIST):
            assert said((key.name, default)) == Verdict((), ())


@pytest.mark.parametrize(
    ("values", "prefix", "told"),
    [
        pytest.param(SITE_14, "xlearning.", 0, id="site file of 1.4"),
        pytest.param(DEFAULT_14, "xlearning.", 0, id="defaults of 1.4 and of its GPU branch"),
        pytest.param(DEFAULT_HBOX, "hbox.", 0, id="defaults of Hbox"),
        pytest.param(SITE_HBOX, "hbox.", 1, id="site file of Hbox"),
    ],
)
def test_the_files_of_the_original_are_accepted(
    values: dict[str, str], prefix: str, told: int, tmp_path: Path
) -> None:
    site = tmp_path / f"{prefix}site.xml".replace(".", "-", 1)
    hadoop_xml.write(site, {prefix + name: text for name, text in values.items()})
    config = load(environ={"USER": "me"}, conf_dir=tmp_path)
    verdict = judge(config)
    assert config.warnings == ()
    assert verdict.problems == ()
    assert len(verdict.warnings) == told
    assert all("history server" in words for words in verdict.warnings)
    assert config.get("xlearning.app.queue") is None
    assert config.get("xlearning.task.timeout") is None
    assert config.source("xlearning.staging.dir") == f"site file {site}"


def test_the_words_are_those_of_the_user() -> None:
    config = load(
        environ={},
        overrides=[("hbox.host.blacklist", "h1"), ("hbox.s3.bucket.dir.split", ":")],
        options={
            "xlearning.input.strategy": ("STREAM", "-s"),
            "xlearning.vpc.duration": ("2d", "--duration"),
        },
    )
    verdict = judge(config)
    assert verdict.problems == (
        (
            "hbox.host.blacklist=h1 (--conf): this version cannot keep containers off named hosts yet",
            "choose nodes by a label: xlearning.worker.nodeLabelExpression",
        ),
    )
    assert verdict.warnings == (
        "hbox.s3.bucket.dir.split=: (--conf) has no effect: a bucket and what is in it are written as "
        "s3a://BUCKET/PREFIX",
        "--duration 2d has no effect: types VPC and DIGITS are not supported",
    )


def test_what_has_one_reason_shares_a_line() -> None:
    verdict = said(
        ("hbox.history.port", "1"), ("xlearning.history.keytab", "k"), ("dfs.replication", "1"), ("io.x", "")
    )
    assert verdict.warnings == (
        "dfs.replication and io.x (--conf) have no effect: "
        "Hadoop's own properties are read from the files in HADOOP_CONF_DIR",
        "xlearning.history.keytab and hbox.history.port (--conf) have no effect: "
        "a history server is not part of this version yet",
    )


def test_older_spellings_of_a_strategy() -> None:
    config = load(environ={}, overrides=[("hbox.input.stream", "TRUE")])
    assert config.get("xlearning.input.strategy") == "STREAM"
    assert judge(config) == Verdict((), ())
    assert (
        load(environ={}, overrides=[("hbox.input.stream", "no")]).get("xlearning.input.strategy")
        == "DOWNLOAD"
    )
    config = load(environ={}, overrides=[("hbox.out.stream", "true"), ("mapred.output.compress", "true")])
    assert config.get("xlearning.output.strategy") == "STREAM"
    assert config.get("xlearning.outputformat.codec") == "gzip"
    both = [("hbox.input.stream", "true"), ("hbox.input.strategy", "PLACEHOLDER")]
    assert load(environ={}, overrides=both).get("xlearning.input.strategy") == "PLACEHOLDER"


def test_values_that_mean_the_default() -> None:
    assert means_default("hbox.container.type", "default")
    assert means_default("xlearning.docker.worker.dir", "/work")
    assert means_default("xlearning.vpc.duration", "24h")
    assert not means_default("xlearning.container.type", "docker")
    assert not means_default("dfs.replication", "3")
    assert means_default("xlearning.app.queue", "") and means_default("xlearning.s3.bucket.dir.split", " ")
    assert not means_default("xlearning.output.local.dir", "")


def test_warnings_survive_a_bad_value() -> None:
    with pytest.raises(ConfigError) as caught:
        load(environ={}, overrides=[("xlearning.worker.nmu", "1"), ("xlearning.ps.num", "x")])
    (warning,) = caught.value.warnings
    assert warning.endswith("did you mean xlearning.worker.num?")


def test_a_secret_is_not_in_an_error() -> None:
    pairs = [("xlearning.s3.key.secret", "hush"), ("hbox.s3.key.secret", "hush2")]
    with pytest.raises(ConfigError) as caught:
        load(environ={}, overrides=pairs)
    assert "hush" not in str(caught.value)


def test_a_job_carries_its_properties_whatever_their_effect() -> None:
    given = {"hbox.docker.image.name": "x", "xlearning.input.stream": "true"}
    config = Config.from_properties(given)
    again = Config.from_properties(config.explicit())
    assert again.get("xlearning.input.strategy") == "STREAM"
