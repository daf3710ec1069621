"""``xl-submit completion SHELL``."""

from __future__ import annotations

import click

from xlearning.client.cli.verb import WIDTH, run_command
from xlearning.client.language.help import SpokenCommand

_INTRO = (
    "Print the script by which a shell completes xl-submit: verbs, options, names and values of properties, "
    "ids of your jobs, queues, files of this machine."
)
_INSTALL = """\
\b
bash (4.4 or newer), in ~/.bashrc:
  eval "$(xl-submit completion bash)"
zsh, in ~/.zshrc after compinit:
  eval "$(xl-submit completion zsh)"
fish:
  xl-submit completion fish > ~/.config/fish/completions/xl-submit.fish

\b
For all users of a machine, write the script to a file where the shell looks by itself:
  /etc/bash_completion.d/xl-submit
  /usr/share/zsh/site-functions/_xl-submit
  /usr/share/fish/vendor_completions.d/xl-submit.fish"""


@click.command(name="completion", cls=SpokenCommand, help=_INTRO, epilog=_INSTALL, context_settings=WIDTH)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> int:
    """Print a script; the exit code."""
    from xlearning.client.completion.shells import script

    print(script(shell), end="")
    return 0


def main(words: list[str]) -> int:
    """Run the verb with the words after it; the exit code."""
    return run_command(completion, words)
