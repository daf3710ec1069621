"""``xl-submit open``: the pages of a job, in a browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Mapping

from xlearning.client.answers import JSON, answer_json, tell
from xlearning.client.codes import EXIT_CLIENT, EXIT_OK
from xlearning.client.console import Console
from xlearning.client.verbs.applications import Found, find_application
from xlearning.client.verbs.places import Places
from xlearning.client.verbs.records import OpenAnswer
from xlearning.client.verbs.standing import Standing, standing
from xlearning.errors import ClusterError
from xlearning.job import to_dict
from xlearning.links import web_link

PAGE, BOARD, YARN = "page", "board", "yarn"


def run(places: Places, console: Console, *, app_id: str, board: bool, only_print: bool, output: str) -> int:
    """Open a page of an application; the exit code.

    Raises
    ------
    xlearning.errors.XLearningError
        There is no such page.
    """
    found = find_application(app_id, places)
    what, url = address(found, board=board)
    told = output == JSON or tell(url, console)
    opened = not only_print and show(url, console)
    if output == JSON:
        told = answer_json(to_dict(OpenAnswer(found.app_id, what, url, opened)), console)
    return EXIT_OK if told else EXIT_CLIENT


def address(found: Found, *, board: bool) -> tuple[str, str]:
    """``(what, url)``: which page there is, see `OpenAnswer`, and its address.

    Raises
    ------
    ClusterError
        There is none; the message says why.
    """
    if not found.report.state.final:
        stands = standing(found)
        what, url = (BOARD, _board(found, stands)) if board else (PAGE, _page(found, stands))
        if not web_link(url):
            raise ClusterError(f"the address of its {what} is not one that a browser may open: {url}")
        return what, url
    of_yarn = found.place.page(found.app_id)
    if of_yarn and not board:
        return YARN, of_yarn
    what = "TensorBoard" if board else "page"
    raise ClusterError(
        f"{found.app_id} has ended ({found.report.state.value}), and its {what} with it",
        hint=f"xl-submit describe {found.app_id} tells what is known of it",
    )


def _page(found: Found, stands: Standing) -> str:
    url = stands.snapshot.page_url if stands.snapshot else ""
    if url:
        return url
    if found.report.tracking_url:  # YARN leads there as soon as there is a page
        return found.report.tracking_url
    raise _none(found, stands, "no page (yet)", "try again in a moment; xlearning.webui.enable may be false")


def _board(found: Found, stands: Standing) -> str:
    view = stands.snapshot.board if stands.snapshot else None
    if view is not None and view.url:
        return view.url
    if view is not None and not view.enabled:
        raise _none(found, stands, "no TensorBoard", "--board-enable true at the submission asks for one")
    if view is not None and view.note:  # it has ended, or was never there: nobody starts it again
        raise _none(found, stands, f"no TensorBoard: {view.note}", None)
    raise _none(found, stands, "no TensorBoard (yet)", "try again in a moment")


def _none(found: Found, stands: Standing, what: str, hint: str | None) -> ClusterError:
    why = f": {'; '.join(stands.notes)}" if stands.notes else ""
    return ClusterError(f"{found.app_id} has {what}{why}", hint=hint)


def show(url: str, console: Console) -> bool:
    """Whether a browser was told; a sentence where there is none.

    The address was told by the job or by YARN: what is none of a page could be an option of the browser's
    program, or a file of this machine.
    """
    if not web_link(url):
        console.warn("this is no address of a page (http, https): it is not given to a browser")
        return False
    if not has_display(os.environ, sys.platform):
        console.info("there is no display here: open the address in a browser of yours")
        return False
    try:
        opened = webbrowser.open(url)
    except (webbrowser.Error, OSError) as error:
        console.info(f"no browser could be started ({error}): open the address in one of yours")
        return False
    if not opened:
        console.info("there is no browser here: open the address in one of yours")
    return opened


def has_display(environ: Mapping[str, str], platform: str) -> bool:
    """Whether a browser's window could be seen, or ``BROWSER`` names a program that does without."""
    if environ.get("BROWSER") or platform == "darwin":
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
