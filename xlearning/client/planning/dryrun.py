"""``--dry-run``: a plan as text."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator

from xlearning.client.planning import streams
from xlearning.client.planning.inputs import Listing
from xlearning.client.planning.plan import Plan
from xlearning.config import Config
from xlearning.config.confidential import hide, hide_words
from xlearning.fs import dealing
from xlearning.fs.dealing import Rule
from xlearning.job import OutputStrategy, RoleSpec, SearchPaths
from xlearning.units import format_bytes


def render(plan: Plan, config: Config, submission: str = "") -> str:
    """Everything that would run: roles, files with sizes, splits per worker, environment, properties.

    ``submission`` is what the back end would be sent.
    """
    job = plan.job
    lines = [
        f"Application  {job.app_name}  (type {job.app_type}, user {job.user})",
        f"Command      {shlex.join(hide_words(job.command))}",
        "",
        "Containers",
        *(_role(role) for role in job.roles),
    ]
    for listing in plan.listings:
        lines += ["", f"{listing.title(job.input_strategy)} ({job.input_strategy.value}): {listing.amount}"]
        if not plan.streams:
            lines += _shares(listing, plan.workers, dealing.rule(config))
    if plan.streams:
        lines += ["", *streams.render(plan.streams, config)]
    if job.outputs:
        index = "every worker" if job.output_index is None else f"worker {job.output_index} alone"
        lines += ["", f"Outputs ({job.output_strategy.value}, from {index})"]
        streamed = job.output_strategy is OutputStrategy.STREAM
        lines += [
            f"  {'standard output' if streamed else spec.local} -> {spec.remote}" for spec in job.outputs
        ]
        lines += [f"  remains of a failed job are swept first: {remote}" for remote in plan.sweep]
    if plan.shipped:
        lines += ["", "Files and archives"]
        lines += [
            f"  {item.resource.name}  {format_bytes(item.status.size)}  "
            f"{item.resource.kind.value.lower()}  from {item.resource.uri}"
            for item in plan.shipped
        ]
    board = job.board
    if board.enabled:
        lines += ["", f"{board.program}  beside {board.role} {board.index}, over {board.log_dir}"]
    if job.env:
        filled = " (placeholders are filled in)" if job.template else ""
        lines += ["", f"Environment{filled}"]
        lines += [f"  {name}={value}" for name, value in hide(job.env).items()]
    lines += _searched(job.search)
    lines += ["", "Properties that are not defaults", *set_properties(config)]
    if submission:
        lines += ["", "Specification for skein", textwrap.indent(submission.rstrip(), "  ")]
    return "\n".join(lines)


def _searched(search: SearchPaths) -> list[str]:
    added = {"PATH": search.path, "LD_LIBRARY_PATH": search.library_path}
    added[f"CLASSPATH ({'first' if search.jars_first else 'last'})"] = ":".join(search.jars)
    lines = [f"  {name}: {text}" for name, text in added.items() if text]
    return ["", "Added to search paths", *lines] if lines else []


def set_properties(config: Config) -> list[str]:
    """One line per property that somebody set, with its source; secrets are not shown."""
    found = [(name, entry) for name in config.explicit() if (entry := config.entry(name))]
    return [f"  {name} = {entry.shown}  ({entry.source})" for name, entry in found] or ["  none"]


def _role(role: RoleSpec) -> str:
    memory = format_bytes(role.memory_mb * 2**20)
    plural = "s" if role.vcores > 1 else ""
    return f"  {role.name:<10} {role.instances:>4} x {memory}, {role.vcores} core{plural}"


def _shares(listing: Listing, workers: int, rule: Rule) -> Iterator[str]:
    shares = dealing.deal(listing.files, workers, rule)
    for worker, share in enumerate(shares[:1] if rule.whole else shares):
        size = format_bytes(sum(status.size for status in share))
        who = "every worker" if rule.whole else f"worker {worker}"
        yield f"  {who}: {len(share)} file{'' if len(share) == 1 else 's'}, {size}"
        for status in share:
            yield f"    {status.path}  {format_bytes(status.size)}"
