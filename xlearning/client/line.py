"""What a command line that was taken apart asks for."""

from __future__ import annotations

from xlearning.client.planning.request import Request, check_command, split_command
from xlearning.client.scan import Scan
from xlearning.client.settings import Layers, split_pairs


def layers_of(line: Scan) -> Layers:
    """Properties of a command line; pairs that are none become its problems."""
    return Layers(line.many("conf-file"), split_pairs(line.many("conf"), line.problems), line.properties())


def request_of(line: Scan) -> Request:
    """The job of a command line; a command that cannot be run becomes a problem of the line."""
    return Request(
        command=_command(line),
        app_name=line.one("app-name") or "",
        app_type=line.one("app-type") or "",
        inputs=line.many("input"),
        outputs=line.many("output"),
        files=line.many("files"),
        cache_files=line.many("cacheFile"),
        archives=line.many("archiveFiles"),
        cache_archives=line.many("cacheArchive"),
        output_index=line.one("output-index"),
    )


def _command(line: Scan) -> tuple[str, ...]:
    text = line.one("launch-cmd")
    if text is not None and not line.command:
        return split_command(text, "--launch-cmd", line.problems)
    if text is not None:
        line.notes.append("--launch-cmd is ignored: the command is given at the end of the line")
    check_command(line.command, line.problems)
    return line.command
