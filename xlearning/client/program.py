"""The first module of the program ``xl-submit``: from its first moment Ctrl-C ends it without a traceback.

It loads next to nothing; what takes a while is loaded inside of `main`.
"""

from __future__ import annotations

# the one that is built in: signal itself makes enumerations first
import _signal as signal  # type: ignore[import-not-found]
import os


def main() -> int:
    """Run ``xl-submit`` as the program of this process; its exit code, see `xlearning.client.cli.main`."""
    python_handles_it = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if python_handles_it:  # not where it is ignored, as in the background of a script
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from xlearning.client.cli import main as run

    try:
        if python_handles_it:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return run()
    except (KeyboardInterrupt, RuntimeError) as error:
        if not isinstance(error, KeyboardInterrupt) and not isinstance(error.__cause__, KeyboardInterrupt):
            raise  # else click's word for it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        return 128 + int(signal.SIGINT)
    finally:
        if python_handles_it:  # the end of Python is not interrupted half-way
            signal.signal(signal.SIGINT, signal.SIG_DFL)
