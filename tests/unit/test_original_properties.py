"""Every property of the original is known, and the documents say what becomes of it."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

from xlearning.config.effects import effect_of
from xlearning.config.keys import is_known, lookup


def words(text: str) -> list[str]:
    return text.split()


DOCS = Path(__file__).resolve().parents[2] / "docs"
OWN = words("""
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
""")
HADOOP = words("""
hadoop.job.ugi fs.defaultFS yarn.application.classpath yarn.resourcemanager.am.max-attempts
yarn.resourcemanager.rm.container-allocation.expiry-interval-ms
yarn.nodemanager.container-monitor.process-tree.class yarn.nodemanager.container-executor.type
yarn.nodemanager.docker-container-executor.image-name yarn.nodemanager.docker-container-executor.exec-name
mapred.output.compress mapred.output.compression.codec mapred.textoutputformat.separator
mapred.reduce.max.size.per.file mapreduce.input.fileinputformat.split.minsize
mapreduce.input.fileinputformat.split.maxsize
""")


def test_all_are_known() -> None:
    assert is_known("hbox.north.history.webapp.address") and not is_known("hbox.north.history.port")
    assert effect_of("hbox.north.history.webapp.address").ignored
    assert not [name for name in OWN for prefix in ("xlearning.", "hbox.") if not is_known(prefix + name)]
    assert not [name for name in HADOOP if not is_known(name)]


def test_the_list_of_properties_tells_each() -> None:
    text = (DOCS / "properties.md").read_text(encoding="utf-8")
    for name in (*(f"hbox.{name}" for name in OWN), *HADOOP):
        key = lookup(name)
        if key is not None:
            plain = name.removeprefix("hbox.")
            assert f"`{key.name}`" in text
            assert key.name.endswith(plain) or f"`{name}`" in text, name


def kind(name: str) -> str:
    """What becomes of a value, in the word with which the document begins."""
    full = name if name in HADOOP else f"hbox.{name}"
    key = lookup(full)
    effect = effect_of(key.stands_for[0] if key and key.stands_for else full)
    return "error" if effect.missing else "no" if effect.ignored else "work"


def test_compatibility_says_what_becomes_of_each() -> None:
    text = (DOCS / "compatibility.md").read_text(encoding="utf-8")
    chapter = text.partition("## 2.")[2].partition("## 3.")[0]
    said: dict[str, str] = {}
    for names, word in re.findall(r"^\| (`.*?) \| (work|error|no)", chapter, re.MULTILINE):
        for pattern in re.findall(r"`([^`]+)`", names):
            found = fnmatch.filter([*OWN, *HADOOP], pattern)
            assert found, f"{pattern} is no property of the original"
            twice = [name for name in found if name in said]
            assert not twice
            said |= dict.fromkeys(found, word)
    assert not [name for name in (*OWN, *HADOOP) if name not in said]
    assert said == {name: kind(name) for name in said}
