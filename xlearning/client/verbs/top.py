"""``xl-submit top``: follows a job from any terminal, as the client that submitted it does."""

from __future__ import annotations

import queue
from collections.abc import Sequence

from xlearning.client.answers import tell
from xlearning.client.console import Console
from xlearning.client.following.again import spec_of, venue_at
from xlearning.client.following.attended import Attended
from xlearning.client.following.follow import Ending
from xlearning.client.following.interrupts import Interrupts
from xlearning.client.following.watch import Event
from xlearning.client.following.ways import Ways, check_logs
from xlearning.client.verbs.applications import find_application
from xlearning.client.verbs.places import Places


def run(places: Places, console: Console, *, app_id: str, ways: Ways, more: Sequence[str]) -> int:
    """Follow an application to its end; the exit code.

    Parameters
    ----------
    app_id : str
        See `find_application`.
    more : sequence of str
        Words without which a verb would not find it.

    Raises
    ------
    xlearning.errors.XLearningError
        It could not be told which one is meant, or how it stands.
    """
    found = find_application(app_id, places)
    job, ended = spec_of(found), found.report.state.final
    if job.roles and not ended:
        check_logs(ways, job)
    if not ways.as_json:
        tell(job.app_id, console)
    attended = Attended(job, venue_at(found, places.config), ways, console, more, found=found.report.state)
    if ended:
        if ways.logs is not None:
            console.info(f"{job.app_id} has ended: xl-submit logs shows what its programs have written")
        return attended.ended(Ending(found.report, None))
    console.info(f"Following {job.app_name} on {found.place.title}; Ctrl-C leaves it as it is")
    if job.user != found.place.user and not job.roles:
        console.warn(f"{job.app_id} is one of {job.user}: more than its state and its end is private")
    inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with Interrupts() as interrupts:
        interrupts.redirect(inbox)
        return attended.to_the_end(inbox)
