"""The texts of ``xlearning-default.xml`` and ``xlearning-site.xml.template``, from the table."""

from __future__ import annotations

import textwrap
from typing import NamedTuple
from xml.sax.saxutils import escape

from xlearning.config.keys import FAMILIES, GROUPS, Key, lookup
from xlearning.config.schema import COUNTS

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<!--\n{}\n-->\n<configuration>'
_TAIL = "\n</configuration>\n"
_WIDTH = 105


class _Example(NamedTuple):
    """A property of the template: the value to show, and whether it is on as the file comes."""

    name: str
    value: str
    on: bool = False


_SITE = (
    _Example("xlearning.worker.memory", "2g", on=True),
    _Example("xlearning.ps.memory", "2g", on=True),
    _Example("xlearning.execute.node.limit", "200"),
    _Example("xlearning.app.queue", "default"),
    _Example("xlearning.job.labelname", "training"),
    _Example("xlearning.staging.dir", "hdfs:///tmp/XLearning/staging"),
    _Example("xlearning.history.log.dir", "hdfs:///xlearning/history"),
    _Example("xlearning.python", "/usr/bin/python3.10"),
    _Example("xlearning.nodes.glibc", "2.28"),
    _Example("xlearning.yarn.archive", "hdfs:///apps/xlearning/xlearning-0.1.0-cp310.tar.gz"),
    _Example("xlearning.kerberos.keytab", "/etc/security/keytabs/training.keytab"),
    _Example("xlearning.workers.match.files", "true", on=True),
    _Example("xlearning.fs.retry.time", "120s", on=True),
    _Example("xlearning.tf.board.enable", "true", on=True),
    _Example("xlearning.reserve.port.begin", "20000", on=True),
    _Example("xlearning.reserve.port.end", "30000", on=True),
    _Example("xlearning.log.max.size", "1g", on=True),
    _Example("xlearning.container.env.OMP_NUM_THREADS", "1"),
    _Example("xlearning.local.dir", "~/.xlearning", on=True),
    _Example("xlearning.local.slots", "0", on=True),
    _Example("xlearning.webui.acl", "AUTO"),
)


def defaults() -> str:
    """Every property that counts and has a default, with its meaning."""
    note = "The defaults of all properties, for reading. Do not edit: write xlearning-site.xml instead."
    lines = [_HEAD.format(_comment(note))]
    for group in GROUPS:
        keys = [key for key in group.keys if key.effect is COUNTS and key.default is not None]
        if keys:
            lines.append(f"\n  <!-- {group.title.replace('--', '')} -->")
            lines += [_property(key.name, key.default or "", key.doc) for key in keys]
    return "\n".join(lines) + "\n" + _TAIL


def site() -> str:
    """What a site most often sets."""
    note = (
        "Settings of one site. Copy this file to xlearning-site.xml in /etc/xlearning/conf, or in the folder "
        "that XLEARNING_CONF_DIR names, and keep what you want to change. docs/properties.md lists all "
        "properties; xl-submit config shows what counts, and where it comes from.\n\n"
        "Users may override a value by an option or by conf NAME=VALUE. <final>true</final> holds a value "
        "against later configuration files, not against those two."
    )
    blocks = [_HEAD.format(_comment(note))]
    for one in _SITE:
        text = _comment(_doc(one.name))
        entry = _property(one.name, one.value)
        if one.on:
            blocks.append(f"\n  <!-- {text.strip()} -->\n{entry}")
        else:
            blocks.append(f"\n  <!-- {text.strip()}\n{entry}\n  -->")
    return "\n".join(blocks) + "\n" + _TAIL


def _doc(name: str) -> str:
    key: Key | None = lookup(name)
    if key is not None:
        return key.doc
    return next(family.doc for family in FAMILIES if name.startswith(family.prefix))


def _property(name: str, value: str, doc: str = "") -> str:
    lines = [f"    <name>{escape(name)}</name>", f"    <value>{escape(value)}</value>"]
    if doc:
        lines.append(f"    <description>{escape(doc)}</description>")
    return "\n".join(["  <property>", *lines, "  </property>"])


def _comment(text: str) -> str:
    """Words for an XML comment, which must not hold two dashes."""
    paragraphs = text.replace("--", "").split("\n\n")
    return "\n\n".join(
        textwrap.fill(one, _WIDTH, initial_indent="  ", subsequent_indent="  ") for one in paragraphs
    )
