"""The configuration files that come with the original: 1.4 with its GPU branch, and Hbox 1.8.

Names (without their prefix) and values are facts of the original.
"""

from __future__ import annotations

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
