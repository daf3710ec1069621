"""The file system contract on a real S3 server, and what is peculiar to S3."""

from __future__ import annotations

import dataclasses
import os
import uuid
from pathlib import Path

import pytest
from contract_fs import FileSystemContract, read, write
from s3_server import ACCESS, SECRET, S3Server

from xlearning.config import Config
from xlearning.errors import CredentialsError, StorageUnavailable, UsageError
from xlearning.fs import FileSystem, FileSystems, exists, join
from xlearning.fs.hadoop_conf import HadoopConf
from xlearning.fs.s3 import S3FileSystem
from xlearning.fs.s3_copies import Copier
from xlearning.fs.s3_settings import S3Settings
from xlearning.fs.steps import OutputLost, rename_once


@pytest.fixture(scope="module")
def bucket(s3: S3Server) -> str:
    return s3.bucket(f"bucket-{uuid.uuid4().hex[:8]}")


@pytest.fixture(scope="module")
def settings(s3: S3Server) -> S3Settings:
    return S3Settings(
        endpoint=s3.endpoint,
        access=ACCESS,
        secret=SECRET,
        region="us-east-1",
        part_size=5 * 2**20,
        path_style=True,
    )


@pytest.fixture(scope="module")
def fs(bucket: str, settings: S3Settings) -> S3FileSystem:
    return S3FileSystem(bucket, settings, timeout=5.0)


@pytest.fixture
def root(bucket: str, fs: FileSystem) -> str:
    folder = join(bucket, f"root-{uuid.uuid4().hex}")
    fs.mkdirs(folder)
    return folder


class TestS3(FileSystemContract):
    has_modes = False
    keeps_folders = False
    refuses_below_files = False
    atomic = False


@pytest.fixture
def large(fs: S3FileSystem, root: str) -> tuple[str, bytes]:
    """A file of several parts, the last one small."""
    data = os.urandom(2**20) * 11 + b"end"
    path = join(root, "deep", "large")
    write(fs, path, data)
    return path, data


def test_large_files_go_in_parts_and_come_in_ranges(fs: S3FileSystem, large: tuple[str, bytes]) -> None:
    path, data = large
    assert fs.stat(path).size == len(data)
    assert read(fs, path) == data
    with fs.open_read(path) as stream:
        stream.seek(7 * 2**20 + 1)
        assert stream.read(100) == data[7 * 2**20 + 1 :][:100]


def test_large_copies_go_in_parts(fs: S3FileSystem, bucket: str, large: tuple[str, bytes]) -> None:
    path, data = large
    copier = Copier(fs._calls, bucket.rpartition("/")[2], limit=5 * 2**20, part_size=5 * 2**20)
    old = path.removeprefix(f"{bucket}/")
    copier.copy(path, {old: (f"{old}-copy", len(data))})
    assert read(fs, f"{path}-copy") == data


def test_what_is_not_completed_is_not_there_and_leaves_no_parts(
    fs: S3FileSystem, bucket: str, root: str
) -> None:
    path = join(root, "half")
    with pytest.raises(ZeroDivisionError), fs.open_write(path) as stream:
        stream.write(b"x" * (6 * 2**20))
        raise ZeroDivisionError
    assert not exists(fs, path)
    name = bucket.rpartition("/")[2]
    left = fs._calls.call(path, "list_multipart_uploads", Bucket=name, Prefix=path.removeprefix(f"{bucket}/"))
    assert not left.get("Uploads")


def test_the_second_of_two_who_make_one_file_is_told(fs: S3FileSystem, root: str) -> None:
    path = join(root, "file")
    late = fs.open_write(path)
    write(fs, path, b"first")
    late.write(b"late")
    with pytest.raises(FileExistsError, match="file"):
        late.close()
    assert read(fs, path) == b"first"


def test_listings_of_several_pages(s3: S3Server, settings: S3Settings) -> None:
    bucket = s3.bucket(f"many-{uuid.uuid4().hex[:8]}")
    folder = s3.buckets / bucket.rpartition("/")[2] / "a" / "b"
    folder.mkdir(parents=True)
    for number in range(2500):
        (folder / f"{number:04}").write_bytes(b"x")
    fs = S3FileSystem(bucket, settings)
    expected = [f"{bucket}/a/b/{number:04}" for number in range(2500)]
    assert [status.path for status in fs.list(f"{bucket}/a/b")] == expected
    assert [status.path for status in fs.walk(f"{bucket}/a")] == expected
    assert len(fs.glob(f"{bucket}/a/b/?[0-4]*")) == 1500
    assert fs.delete(f"{bucket}/a", recursive=True) is True
    assert [*fs.walk(f"{bucket}/")] == []


def test_a_move_that_was_interrupted_is_completed(fs: S3FileSystem, root: str) -> None:
    for name in ("from/a", "from/b/c", "to/a"):  # as if the first file had been copied already
        write(fs, join(root, name), name[-1:].encode())
    rename_once(fs, join(root, "from"), join(root, "to"))
    assert [status.path for status in fs.walk(root)] == [join(root, "to", "a"), join(root, "to", "b", "c")]
    rename_once(fs, join(root, "from"), join(root, "to"))
    with pytest.raises(OutputLost, match="gone"):
        rename_once(fs, join(root, "from"), join(root, "nowhere"))


def test_refused_credentials(bucket: str, settings: S3Settings) -> None:
    wrong = "a-wrong-secret-nobody-may-see"
    fs = S3FileSystem(bucket, dataclasses.replace(settings, secret=wrong))
    for call in (fs.stat, fs.list, fs.open_read, fs.mkdirs, lambda path: write(fs, path)):
        with pytest.raises(CredentialsError, match="SignatureDoesNotMatch") as caught:
            call(join(bucket, "x"))
        assert wrong not in repr(caught.value) + str(caught.value)
        assert "xlearning.s3.key.secret" in str(caught.value)
    unknown = S3FileSystem(bucket, dataclasses.replace(settings, access="nobody"))
    with pytest.raises(CredentialsError, match="refuses"):
        unknown.list(bucket)
    assert wrong not in repr(dataclasses.replace(settings, secret=wrong))


def test_no_credentials_at_all(
    bucket: str, settings: S3Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    fs = S3FileSystem(bucket, dataclasses.replace(settings, access=None, secret=None))
    with pytest.raises(CredentialsError, match="no credentials"):
        fs.stat(join(bucket, "x"))


def test_the_environments_credentials(
    bucket: str, settings: S3Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    fs = S3FileSystem(bucket, dataclasses.replace(settings, access=None, secret=None))
    assert fs.stat(bucket).is_dir


def test_no_bucket_is_ever_made(s3: S3Server, settings: S3Settings) -> None:
    fs = S3FileSystem("s3a://no-such-bucket", settings)
    for call in (fs.stat, fs.list, fs.open_read, fs.mkdirs, lambda path: write(fs, path)):
        with pytest.raises(FileNotFoundError, match="bucket"):
            call("s3a://no-such-bucket/x")
    assert not (s3.buckets / "no-such-bucket").exists()


def test_a_service_that_is_away(settings: S3Settings) -> None:
    fs = S3FileSystem("s3a://b", dataclasses.replace(settings, endpoint="http://127.0.0.1:1"), timeout=1.0)
    with pytest.raises(StorageUnavailable, match=r"127\.0\.0\.1:1"):
        fs.stat("s3a://b/x")


def test_settings_of_the_job_then_of_hadoop() -> None:
    site = HadoopConf(
        {
            "fs.s3a.endpoint": "minio:9000",
            "fs.s3a.access.key": "hadoop",
            "fs.s3a.secret.key": "kept",
            "fs.s3a.path.style.access": "false",
        }
    )
    found = S3Settings.of(None, site)
    assert (found.endpoint, found.access, found.secret) == ("https://minio:9000", "hadoop", "kept")
    assert found.path_style is False
    values = {"fs.s3a.endpoint": "minio", "fs.s3a.bucket.b.endpoint": "other", "fs.s3a.access.key": "all"}
    own = HadoopConf({**values, "fs.s3a.bucket.b.access.key": "me"})
    found = S3Settings.of(None, own, "b")
    assert (found.endpoint, found.access) == ("https://other", "me")
    assert S3Settings.of(None, own, "c").access == "all"
    config = Config.from_properties(
        {"hbox.s3.cluster": "s3:1", "hbox.s3.cluster.prefix": "http://", "hbox.s3.key.access": "me"}
    )
    found = S3Settings.of(config, site)
    assert (found.endpoint, found.access, found.secret) == ("http://s3:1", "me", None)
    assert S3Settings.of(Config.from_properties({}), HadoopConf({})).endpoint is None


def test_the_registry_knows_both_schemes(s3: S3Server, bucket: str) -> None:
    config = Config.from_properties(
        {
            "fs.s3a.endpoint": s3.endpoint,
            "fs.s3a.access.key": ACCESS,
            "fs.s3a.secret.key": SECRET,
            "xlearning.s3.region": "us-east-1",
        }
    )
    fss = FileSystems(config=config)
    name = bucket.rpartition("/")[2]
    write(fss.of(bucket), f"{bucket}/both", b"1")
    assert read(fss.of(f"s3://{name}/both"), f"s3://{name}/both") == b"1"
    with pytest.raises(UsageError, match="names no bucket"):
        fss.resolve("s3a:///x")
