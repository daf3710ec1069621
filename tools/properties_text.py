"""What ``docs/properties.md`` says beside its tables."""

from __future__ import annotations

from xlearning.config.keys import Kind

INTRO = """\
# Properties

This file is made by `python tools/properties.py` from `xlearning/config/table/`. Do not edit it by hand.

A property may stand in `xlearning-site.xml`, in a file given by `--conf-file`, in `--conf NAME=VALUE`, or be
set by an option. Later ones of this list win:

1. the default of the tables below;
2. `xlearning-default.xml`, which is part of the package and repeats these defaults;
3. the site file;
4. `--conf-file FILE`, later files above earlier ones;
5. `--conf NAME=VALUE`, later ones above earlier ones;
6. the option of the property.

The site file is `xlearning-site.xml`, or where there is none of this name `hbox-site.xml`. Its folder is
`$XLEARNING_CONF_DIR`, else `$HBOX_CONF_DIR`; where neither is set, the first of `/etc/xlearning/conf` and the
package's own folder `conf` that holds such a file. `conf/xlearning-site.xml.template` is a start. Files of
Java XLearning 1.4 and of Hbox 1.8 can be used as they are.

A `<final>true</final>` in a file of (2) to (4) holds against later files, not against `--conf` and options.
`${other.property}`, `${env.NAME}`, `${env.NAME-text}` and `${env.NAME:-text}` in values are replaced.

Every `xlearning.NAME` is known as `hbox.NAME` too; further names stand below a property's own.
An unknown `xlearning.*` or `hbox.*` name is a warning with the most similar known name, as is one of ours
without its prefix (`worker.num`, `env.NAME`). A value that cannot be read is an error; all such errors are
reported together.

What becomes of a value that is not the default:

- nothing is said below: it counts;
- **Not yet**: this version cannot do it. That is an error, before anything starts;
- **No effect**: it changes nothing. That is a warning, and the job runs.

Values that only repeat a default, also that of the original's own files, are never remarked on.

`xl-submit config` shows the values that are not defaults and where they come from, `xl-submit config --all`
all of them, and `xl-submit config --explain NAME` all about one property. Values that look like secrets are
hidden. [schemas/config.json](schemas/config.json) describes its `--output json`.
"""

KINDS = {
    Kind.STRING: "text",
    Kind.INT: "whole number",
    Kind.FLOAT: "number",
    Kind.BOOL: "`true` or `false` in any case; `yes`, `no`, `1`, `0` count too",
    Kind.MEMORY: "megabytes (`1024`), or with a unit (`512m`, `4g`, `1.5G`, `2GB`, `1T`)",
    Kind.DURATION_MS: "milliseconds, or with a unit (`250ms`, `10s`, `5m`, `1h`, `1d`)",
    Kind.DURATION_S: "seconds, or with a unit (`250ms`, `10s`, `5m`, `1h`, `1d`)",
    Kind.SIZE: "bytes, or with a unit (`64k`, `10M`, `1.5G`, `2GB`, `1T`)",
    Kind.ENUM: "one of the named values, in any case",
    Kind.PATH: "path or URI; `~` is the home folder",
    Kind.LIST: "names separated by commas",
}

FAMILY = """\
## Families

NAME is that of a variable or of a cluster, as written.
"""
