"""``xl-submit status``."""

from __future__ import annotations

import time

from xlearning.client.answers import JSON, answer, answer_json
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.verbs.applications import find_application
from xlearning.client.verbs.places import Places
from xlearning.client.verbs.records import status_of
from xlearning.client.verbs.standing import standing
from xlearning.client.verbs.status_text import status_lines
from xlearning.job import to_dict


def run(places: Places, console: Console, *, app_id: str, output: str) -> int:
    """Tell how an application stands; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        It could not be told.
    """
    found = standing(find_application(app_id, places))
    now = time.time()
    if output == JSON:
        told = answer_json(to_dict(status_of(found, now)), console)
    else:
        told = answer(status_lines(found, now), console)
    return EXIT_OK if told else EXIT_CLIENT
