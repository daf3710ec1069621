"""What is said about values that cannot be obeyed, and that the original's own files are accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from xlearning.config import KEYS, Config, Key, Kind, hadoop_xml, load
from xlearning.config.effects import Verdict, judge, means_default
from xlearning.config.keys import is_known
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
# The files that come with the original: 1.4 (and its GPU branch), Hbox 1.8. Names and values are facts.
COMMON = {
    "cleanup.enable": "true",
    "container.maxFailures.rate": "0.5",
    "history.webapp.port": "19886",
    "history.webapp.address": "0.0.0.0:19886",
}
SITE_14 = {
    **COMMON,
    "staging.dir": "/tmp/XLearning/staging",
    "tf.board.history.dir": "/tmp/XLearning/eventLog",
    "history.log.dir": "/tmp/XLearning/history",
    "history.webapp.https.address": "0.0.0.0:19885",
    "history.webapp.https.port": "19885",
}
DEFAULT_14 = {
    **SITE_14,
    **{f"{role}.memory": "1024" for role in ("am", "worker", "ps")},
    **{f"{role}.cores": "1" for role in ("am", "worker", "ps")},
    **{"worker.num": "1", "ps.num": "0", "worker.gcores": "0", "ps.gcores": "0"},
    **{"execute.node.limit": "200", "log.pull.interval": "1000", "app.queue": "DEFAULT", "app.priority": "3"},
    **{"container.extra.java.opts": "", "allocate.interval": "1000", "status.update.interval": "1000"},
    **{"task.timeout": "300000", "task.timeout.check.interval": "3000", "messages.len.max": "10000"},
    **{"inputfile.rename": "false", "download.file.retry": "3", "download.file.thread.nums": "10"},
    **{"container.heartbeat.interval": "10000", "container.heartbeat.retry": "3"},
    **{"container.update.appstatus.interval": "3000", "container.auto.create.output.dir": "true"},
    **{"history.log.max-age-ms": "604800000", "history.log.delete-monitor-time-interval": "86400000"},
    **{"history.address": "0.0.0.0:10021", "history.port": "10021", "history.client.thread-count": "10"},
    "history.recovery.enable": "false",
}
_OF_14 = ("am.memory", "am.cores", "worker.gcores", "ps.gcores", "history.webapp.https.address")
DEFAULT_HBOX = {
    **{name: text for name, text in DEFAULT_14.items() if name not in _OF_14},
    **{"driver.memory": "2048", "driver.cores": "1", "worker.gpus": "0", "ps.gpus": "0"},
    **{"staging.dir": "/tmp/hbox/staging", "history.log.dir": "/tmp/hbox/history"},
    **{"tf.board.history.dir": "/tmp/hbox/eventLog"},
    **{"history.webapp.address": "0.0.0.0:19666", "history.webapp.port": "19666"},
    **{"history.webapp.https.addresss": "0.0.0.0:19667", "history.webapp.https.port": "19667"},
    **{"history.admin.address": "0.0.0.0:10043", "history.admin.port": "10043"},
}
SITE_HBOX = {
    **{
        "staging.dir": "/tmp/hbox/staging/${user.name}",
        "cleanup.enable": "true",
        "execute.node.limit": "100",
    },
    **{"container.maxFailures.rate": "0.5", "history.webapp.address": "0.0.0.0:19966"},
    **{"history.webapp.port": "19966", "tf.board.history.dir": "/tmp/hbox/eventLog"},
    **{"history.log.dir": "/tmp/hbox/history", "history.address": "0.0.0.0:10121", "history.port": "10121"},
    **{"history.webapp.https.addresss": "0.0.0.0:19967", "history.webapp.https.port": "19967"},
    "history.client.thread-count": "10",
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
        overrides=[("hbox.docker.image.name", "i:1"), ("hbox.s3.key.secret", "hush")],
        options={
            "xlearning.input.strategy": ("STREAM", "-s"),
            "xlearning.vpc.duration": ("2d", "--duration"),
        },
    )
    verdict = judge(config)
    assert verdict.problems == (
        (
            "hbox.docker.image.name=i:1 (--conf): this version cannot run programs in Docker containers yet",
            "leave it out, and ship what the program needs by --archiveFiles or --cacheArchive",
        ),
    )
    assert verdict.warnings == (
        "hbox.s3.key.secret=(not shown) (--conf) has no effect: S3 is not part of this version yet",
        "--duration 2d has no effect: VPC and DIGITS jobs are not part of this version yet",
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
    ((words, _),) = said(("hbox.out.stream", "true")).problems
    assert words.startswith("hbox.out.stream=true (--conf): this version cannot write")
    both = [("hbox.input.stream", "true"), ("hbox.input.strategy", "PLACEHOLDER")]
    assert load(environ={}, overrides=both).get("xlearning.input.strategy") == "PLACEHOLDER"


def test_values_that_mean_the_default() -> None:
    assert means_default("hbox.container.type", "default")
    assert means_default("xlearning.docker.worker.dir", "/work")
    assert means_default("xlearning.vpc.duration", "24h")
    assert not means_default("xlearning.container.type", "docker")
    assert not means_default("dfs.replication", "3")


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


NAMES_14 = """
staging.dir cleanup.enable log.pull.interval user.classpath.first am.memory am.cores worker.memory
worker.cores worker.num chief.worker.memory evaluator.worker.memory ps.memory ps.cores ps.num
worker.mem.autoscale ps.mem.autoscale app.max.attempts app.queue app.priority mode.single tf.evaluator
tf.distribution.strategy input.strategy output.strategy inputfile.rename inputformat.class
outputformat.class stream.epoch input.stream.shuffle inputformat.cache inputformat.cachefile.name
inputformat.cachesize.limit output.local.dir interresult.dir interresult.save.inc interresult.upload.timeout
file.list.level tf.board.enable tf.board.worker.index tf.board.reload.interval tf.board.log.dir
tf.board.history.dir tf.board.path board.path board.modelpb board.cache.timeout container.extra.java.opts
container.extraEnv am.env.NAME container.env.NAME am.nodeLabelExpression worker.nodeLabelExpression
ps.nodeLabelExpression host.local.enable allocate.interval status.update.interval task.timeout
localresource.timeout task.timeout.check.interval messages.len.max execute.node.limit
report.container.status container.maxFailures.rate container.mem.usage.warn.fraction env.maxlength
download.file.retry download.file.thread.nums upload.output.thread.nums container.heartbeat.interval
container.heartbeat.retry container.update.appstatus.interval container.auto.create.output.dir
reserve.port.begin reserve.port.end container.type docker.image docker.registry.host docker.registry.port
docker.run.args docker.worker.dir mpi.install.dir mpi.extra.ld.library.path
mpi.container.update.status.retry history.log.dir history.log.max-age-ms
history.log.delete-monitor-time-interval history.address history.port history.webapp.address
history.webapp.port history.webapp.https.address history.webapp.https.port history.bind-host
history.client.thread-count history.recovery.enable history.http.policy history.keytab history.principal
webapp.spnego-principal webapp.spnego-keytab-file cluster.delegation.key.update-interval
cluster.delegation.token.renew-interval cluster.delegation.token.max-lifetime worker.gcores ps.gcores
"""
NAMES_HBOX = """
driver.memory driver.cores worker.gpus ps.gpus memory.overhead.fraction memory.overhead.minimum
container.jvm.memory.fraction container.jvm.memory.minimum chief.worker.minimum.data
chief.worker.minimum.file.num vpc.duration tf.mode.single mxnet.mode.single createcontainerid.dir
input.stream out.stream inputmat.cache cachefile.check.enable append.defaultfs.enable remote.defaultFS
interresult.upload.interval interresult.upload.inc failed.upload tf.board.upload tf.board.ps.enable
tf.input.ps.enable upload.file.thread.nums container.running.log.enable job.exec.timeout host.blacklist
docker.num.per.worker placeholder.whole.enable local.resource.visibility job.labelname cluster.name
container.env s3.cluster s3.cluster.prefix s3.bucket.dir.split s3.key.access s3.key.secret docker.image.name
docker.work.dir container.mode digits.image-name nodemanager.webapp.port mpi.exec.dir.enable mpi.exec.dir
mpi.extra.ld.lirbary.path horovod.extra.ld.lirbary.path horovod.extra.ld.library.path mpi.install.dir.enable
cached.mpi.package.remote.path horovod.process.num.per.worker horovod.mpi.threads.disable horovod.timeline
horovod.fusion.threshold horovod.cycle.time horovod.stall.check.disable horovod.hierarchical.allreduce
commom.cache.archive.hdfs commom.cache.archive.hdfs.convert.enable am.cmd.enable am.cmd custom.exit
log.sampling python.home client.hostname app.id history.webapp.https.addresss client.log.collect
container.update.appstatus.retry history.admin.address history.admin.port history.admin.acl
"""
NAMES_HADOOP = """
hadoop.job.ugi fs.defaultFS yarn.application.classpath yarn.resourcemanager.am.max-attempts
yarn.resourcemanager.rm.container-allocation.expiry-interval-ms
yarn.nodemanager.container-monitor.process-tree.class yarn.nodemanager.container-executor.type
yarn.nodemanager.docker-container-executor.image-name yarn.nodemanager.docker-container-executor.exec-name
mapred.output.compress mapred.output.compression.codec mapred.textoutputformat.separator
mapred.reduce.max.size.per.file mapreduce.input.fileinputformat.split.minsize
mapreduce.input.fileinputformat.split.maxsize
"""


@pytest.mark.parametrize("prefix", ["xlearning.", "hbox."])
def test_every_property_of_the_original_is_answered(prefix: str) -> None:
    assert not [name for name in (NAMES_14 + NAMES_HBOX).split() if not is_known(prefix + name)]
    assert not [name for name in NAMES_HADOOP.split() if not is_known(name)]


def test_a_job_carries_its_properties_whatever_their_effect() -> None:
    given = {"hbox.docker.image.name": "x", "xlearning.input.stream": "true"}
    config = Config.from_properties(given)
    again = Config.from_properties(config.explicit())
    assert again.get("xlearning.input.strategy") == "STREAM"
