"""What is nobody's business, and what must stay readable."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from xlearning.client.answers import answer_json
from xlearning.client.console import PlainConsole
from xlearning.config.confidential import HIDDEN, hide, hide_words, is_secret, mask
from xlearning.config.keys import KEYS
from xlearning.config.layers import load
from xlearning.history.store import public
from xlearning.job import JobSpec


@pytest.mark.parametrize(
    "name",
    [
        *("DB_PASS", "DBPASS", "dbPass", "PGPASSWORD", "MYSQL_PWD", "PASSPHRASE", "passwd", "my.auth"),
        *("BASIC_AUTH", "authCookie", "COOKIES", "FLASK_SESSION", "JWT", "my-jwt", "credentials"),
        *("SSH_PRIVATE", "API_TOKENS", "HF_TOKEN", "--auth-token", "xlearning.am.env.DB_PASS"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        *("AUTHOR", "my.author.name", "NUM_PASSES", "bypass", "PASSENGERS", "PWD", "OLDPWD", "SESSIONS"),
        *("max_new_tokens", "--max-tokens", "TOKENIZERS_PARALLELISM", "--tokenizer", "MONKEY", "compass"),
        *("xlearning.kerberos.keytab", "--keytab", "hadoop.security.authentication", "PATH", "privately"),
    ],
)
def test_names_of_no_secrets(name: str) -> None:
    assert not is_secret(name)


def test_properties_of_ours_that_are_secrets() -> None:
    found = {key.name.rpartition(".")[2] for key in KEYS if is_secret(key.name)}
    assert found <= {"secret", "token", "key", "max-lifetime", "renew-interval"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgres://u:s3c/r#t@h/d", f"postgres://u:{HIDDEN}@h/d"),
        ("redis://:s3cr@t@h", f"redis://:{HIDDEN}@h"),
        ("a://u:s3crt@h b://v:s3crt@i", f"a://u:{HIDDEN}@h b://v:{HIDDEN}@i"),
        ("jdbc:x://h/d?user=u&password=s3crt", f"jdbc:x://h/d?user=u&password={HIDDEN}"),
        ("hdfs://nn:9000/a@b", "hdfs://nn:9000/a@b"),
        ("hdfs://nn:9000", "hdfs://nn:9000"),
        ("hdfs://nn:9000,postgres://u:s3crt@h", f"hdfs://nn:9000,postgres://u:{HIDDEN}@h"),
        ("git@h:a/b", "git@h:a/b"),
        ("http://h/p?page=2&max_tokens=5", "http://h/p?page=2&max_tokens=5"),
    ],
)
def test_passwords_in_addresses(text: str, shown: str) -> None:
    assert mask(text) == mask(mask(text)) == shown


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["x", "--password", "s3crt", "--lr", "1"], ["x", "--password", HIDDEN, "--lr", "1"]),
        (["x", "--token=s3crt=a", "-auth", "s3crt"], ["x", f"--token={HIDDEN}", "-auth", HIDDEN]),
        (["env", "DB_PASS=s3crt", "x"], ["env", f"DB_PASS={HIDDEN}", "x"]),
        (["x", "+db.password=s3crt"], ["x", f"+db.password={HIDDEN}"]),
        (["x", "--db", "pg://u:s3crt@h/d"], ["x", "--db", f"pg://u:{HIDDEN}@h/d"]),
        (["x", "--use-auth", "--lr", "1"], ["x", "--use-auth", "--lr", "1"]),
        (["x", "--max-tokens", "9", "--author", "me"], ["x", "--max-tokens", "9", "--author", "me"]),
        (
            ["bash", "-c", "DB_PASS=s3crt x --lr 1 --token 's3crt s3crt' && y --token=s3crt"],
            ["bash", "-c", f"DB_PASS={HIDDEN} x --lr 1 --token {HIDDEN} && y --token={HIDDEN}"],
        ),
        (["bash", "-c", "x --auth --lr 1 -v"], ["bash", "-c", "x --auth --lr 1 -v"]),
        (["x", "--password", ""], ["x", "--password", ""]),
    ],
)
def test_words_of_a_command(words: list[str], shown: list[str]) -> None:
    assert list(hide_words(tuple(words))) == shown
    assert hide_words(tuple(shown)) == tuple(shown)


def test_what_a_job_tells_of_itself() -> None:
    job = JobSpec(
        *("a", "n", "T", "me", ("x", "--token", "s3crt"), (), "s", "hdfs://h"),
        env={"DATABASE_URL": "pg://u:s3crt@h/d", "DB_PASS": "s3crt", "EMPTY_PASS": ""},
        properties={"xlearning.am.env.MYSQL_PWD": "s3crt", "xlearning.queue": "q"},
    )
    shown = public(job)
    assert "s3crt" not in str(shown)
    assert shown.env["EMPTY_PASS"] == "" and shown.properties["xlearning.queue"] == "q"
    assert job.command[-1] == "s3crt"


def test_properties_as_they_are_listed() -> None:
    pairs = [("xlearning.container.env.DATABASE_URL", "pg://u:s3crt@h"), ("my.auth", "s3crt")]
    entries = [load(overrides=pairs, environ={}).entry(name) for name, _ in pairs]
    assert [entry.shown for entry in entries if entry] == [f"pg://u:{HIDDEN}@h", HIDDEN]
    assert "s3crt" not in "".join(map(str, entries))


def test_sentences_for_people() -> None:
    stream = io.StringIO()
    console = PlainConsole(stream)
    for say in (console.info, console.warn, console.error):
        say("no pg://u:s3crt@h")
    console.block(["no", "pg://u:s3crt@h"], good=False)
    assert "s3crt" not in stream.getvalue()
    console.output(["a program's line: pg://u:s3crt@h"])
    assert "s3crt" in stream.getvalue()


def test_json_has_neither_passwords_nor_numbers_that_it_does_not_know(
    capsys: pytest.CaptureFixture[str],
) -> None:
    data: dict[str, Any] = {"a": [float("nan"), (float("inf"), 1.5)], "b": {"c": "pg://u:s3crt@h"}}
    assert answer_json(data, PlainConsole(io.StringIO()))
    told = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert told == {"a": [None, [None, 1.5]], "b": {"c": f"pg://u:{HIDDEN}@h"}}


def test_one_name_hides_one_value() -> None:
    assert hide({"A": "v", "MY_JWT": "v"}) == {"A": "v", "MY_JWT": HIDDEN}
