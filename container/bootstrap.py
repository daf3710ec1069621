"""First code of ours on a node: starts the agent or the ApplicationMaster, or says why it cannot.

``python bootstrap.py agent|am``. Standard library only, and written for Python 3.6, because its task
is to run where the node's Python or packages are not what the gateway expected. It ends with a
reserved exit code (`EXIT_WORDS`) and one sentence as the last line of standard error, which is where
YARN's diagnostics look.
"""

import importlib
import sys

MINIMUM = (3, 10)
WRONG_PYTHON, BROKEN_PACKAGE, FAILED_START = 230, 231, 232

EXIT_WORDS = {
    WRONG_PYTHON: f"the node's Python is older than {MINIMUM[0]}.{MINIMUM[1]}; "
    "set xlearning.python to another interpreter",
    BROKEN_PACKAGE: "a Python package that xlearning needs is missing or broken on the node",
    FAILED_START: "xlearning failed unexpectedly on the node",
}

PARTS = {"agent": "xlearning.container.__main__", "am": "xlearning.am.__main__"}


def main(part: str) -> int:
    """Run one part of xlearning.

    Parameters
    ----------
    part : str
        ``agent`` or ``am``.

    Returns
    -------
    int
        Exit code: that of the part, or one of `EXIT_WORDS`.
    """
    if sys.version_info < MINIMUM:
        return _fail(WRONG_PYTHON, f"the {part} cannot run")
    try:
        return int(importlib.import_module(PARTS[part]).main() or 0)
    except (SystemExit, KeyboardInterrupt):
        raise
    except ImportError as error:
        return _fail(BROKEN_PACKAGE, f"the {part} cannot be imported: {error}", trace=True)
    except BaseException as error:  # noqa: BLE001 - a Rust panic of a library is no Exception
        return _fail(FAILED_START, f"the {part} failed: {type(error).__name__}: {error}", trace=True)


def _fail(code: int, words: str, trace: bool = False) -> int:
    import platform
    import traceback

    if trace:
        traceback.print_exc()
    sentence = " ".join(words.split())[:2000]
    libc = " ".join(platform.libc_ver()).strip() or "unknown C library"
    where = f"{sys.executable} on {platform.node()}, Python {platform.python_version()}, {libc}"
    sys.stderr.write(f"xlearning: {sentence} ({where}): {EXIT_WORDS[code]}\n")
    return code


def _forget_own_folder() -> None:
    """Take the folder of this script off the path: its modules would shadow others of the same name."""
    import os

    own = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != own]


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PARTS:
        sys.exit("usage: bootstrap.py agent|am")
    _forget_own_folder()
    sys.exit(main(sys.argv[1]))
