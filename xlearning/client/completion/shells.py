"""The scripts that teach shells to complete ``xl-submit``, and the answers to their questions.

click does the framework. Its own scripts cannot end a word without a space (``KEY=``) and lose what
stands after a comma or an equals sign, so the three scripts are ours; all three pass the line up to the
cursor in ``XL_SUBMIT_LINE``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, ClassVar

from click.shell_completion import CompletionItem, ShellComplete, split_arg_string

from xlearning.client.cli import COMPLETE

PROGRAM = "xl-submit"

_BASH = """\
%(complete_func)s() {
    local kind value answer
    COMPREPLY=()
    answer=$(XL_SUBMIT_LINE="${COMP_LINE:0:COMP_POINT}" XL_SUBMIT_WORD="$2" \\
        %(complete_var)s=bash_complete "$1" 2>/dev/null) || return 0
    while IFS=',' read -r kind value; do
        case $kind in
            plain) COMPREPLY+=("$value") ;;
            open) COMPREPLY+=("$value"); compopt -o nospace 2>/dev/null ;;
            dir) compopt -o dirnames 2>/dev/null ;;
            file) compopt -o default 2>/dev/null ;;
        esac
    done <<< "$answer"
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

_ZSH = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a plain described open
    local kind value about files line="${(j: :)words[1,CURRENT-1]} ${PREFIX}"
    for kind value about in "${(@f)$(XL_SUBMIT_LINE="$line" \\
            %(complete_var)s=zsh_complete ${words[1]} 2>/dev/null)}"; do
        case $kind in
            plain) if [[ $about == _ ]]; then plain+=("$value"); else described+=("$value:$about"); fi ;;
            open) open+=("$value") ;;
            dir|file) files=$kind ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described -U
    (( $#plain )) && compadd -U -V unsorted -a plain
    (( $#open )) && compadd -U -V unsorted -S '' -a open
    if [[ -n $files ]]; then
        [[ $PREFIX == -*=* ]] && compset -P '*='
        if [[ $files == dir ]]; then _files -/; else _files; fi
    fi
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH = """\
function %(complete_func)s
    for answer in (env XL_SUBMIT_LINE=(commandline -cp | string collect) \\
            %(complete_var)s=fish_complete %(prog_name)s 2>/dev/null)
        set -l parts (string split -m 1 , -- $answer)
        switch $parts[1]
            case plain open
                echo $parts[2]
            case dir
                __fish_complete_directories (commandline -ct)
            case file
                __fish_complete_path (commandline -ct)
        end
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _Shell(ShellComplete):
    """What the three have in common: the line, and what fits."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one under the cursor, and that one."""
        return words_of(os.environ["XL_SUBMIT_LINE"])

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """What fits."""
        from xlearning.client.completion.candidates import fitting

        return fitting(args, incomplete)


class Bash(_Shell):
    """Bash 4.4 and newer. It takes ``=`` and ``:`` for the ends of words."""

    name: ClassVar[str] = "bash"
    source_template: ClassVar[str] = _BASH

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """The same, without what stands before bash's own idea of the word."""
        word = os.environ.get("XL_SUBMIT_WORD", "")
        before = incomplete[: len(incomplete) - len(word)] if incomplete.endswith(word) else ""
        items = super().get_completions(args, incomplete)
        return [CompletionItem(one.value.removeprefix(before), type=one.type) for one in items]

    def format_completion(self, item: CompletionItem[str]) -> str:
        """One line for an item."""
        return f"{item.type},{item.value}"


class Zsh(_Shell):
    """Zsh with its new completion (compinit)."""

    name: ClassVar[str] = "zsh"
    source_template: ClassVar[str] = _ZSH

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Three lines for an item; before a description, a colon in the value would end it."""
        about = " ".join((item.help or "").split())
        value = item.value.replace(":", r"\:") if about else item.value
        return f"{item.type}\n{value}\n{about or '_'}"


class Fish(_Shell):
    """Fish 3 and newer."""

    name: ClassVar[str] = "fish"
    source_template: ClassVar[str] = _FISH

    def format_completion(self, item: CompletionItem[str]) -> str:
        """One line for an item, a tab before its description."""
        about = " ".join((item.help or "").split())
        return f"{item.type},{item.value}" + (f"\t{about}" if about else "")


SHELLS: Mapping[str, type[_Shell]] = {kind.name: kind for kind in (Bash, Zsh, Fish)}


def script(shell: str) -> str:
    """The script for ``bash``, ``zsh`` or ``fish``."""
    return _shell(shell).source()


def answer(environ: Mapping[str, str]) -> int:
    """Answer a question of a script on standard output; the exit code. Nothing is ever said about errors."""
    shell = environ[COMPLETE].partition("_")[0]
    if shell not in SHELLS:
        return 1
    try:
        print(_shell(shell).complete(), flush=True)
    except Exception:  # noqa: BLE001 - a person is in the middle of a word, and cannot do anything about it
        return 1
    return 0


def words_of(line: str) -> tuple[list[str], str]:
    """The whole words after the program's name, and the one under the cursor at the end of the line."""
    words = split_arg_string(line)
    current = words.pop() if words and not line[-1:].isspace() else ""
    own = next((n for n, word in enumerate(words) if word.rpartition("/")[2] == PROGRAM), 0)
    return words[own + 1 :], current


def _shell(name: str) -> _Shell:
    nothing: Any = None  # the command is found by the words
    return SHELLS[name](nothing, {}, PROGRAM, COMPLETE)


def main() -> int:
    """Answer the question in this process's environment; the exit code."""
    code = answer(os.environ)
    sys.stdout.flush()
    return code
