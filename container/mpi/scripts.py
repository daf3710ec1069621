"""What mpirun and its daemons call. Shell, because one runs for each node, and one beside each rank."""

from __future__ import annotations

from pathlib import Path

NODE, RANK = "xlearning-node", "xlearning-rank"

_NODE = r"""#!/bin/sh
# mpirun's remote shell: HOST COMMAND... The launcher takes the command from the file, and sends it.
host=$1
shift
cd "$XLEARNING_MPI_ORDERS" && printf '%s' "$*" >".$host" && mv ".$host" "$host"
"""

_RANK = r"""#!/bin/sh
# One rank: runs "$@" in the folder of its container, with the container's input and logs. What rank 0
# writes goes to mpirun too. That a rank is here, and how one failed, is noted: mpirun tells of no host.
cd "$XLEARNING_MPI_DIR" || exit 126
PATH=$XLEARNING_MPI_PATH TMPDIR=$XLEARNING_MPI_TMPDIR
export PATH TMPDIR
fd=/proc/$XLEARNING_MPI_NODE/fd failed=$XLEARNING_MPI_FAILED drain=$((XLEARNING_MPI_DRAIN * 20))
echo "$OMPI_COMM_WORLD_RANK $OMPI_COMM_WORLD_SIZE $PMIX_NAMESPACE" >>"$XLEARNING_MPI_RANKS" || exit 126
unset XLEARNING_MPI_DIR XLEARNING_MPI_PATH XLEARNING_MPI_TMPDIR XLEARNING_MPI_NODE XLEARNING_MPI_FAILED
unset XLEARNING_MPI_DRAIN XLEARNING_MPI_RANKS
exec <"$fd/0"

if [ -n "$XLEARNING_MPI_SLOTS" ]; then # Horovod without MPI reads these; containers are filled in their order
    HOROVOD_RANK=$OMPI_COMM_WORLD_RANK HOROVOD_SIZE=$OMPI_COMM_WORLD_SIZE
    HOROVOD_LOCAL_RANK=$OMPI_COMM_WORLD_LOCAL_RANK HOROVOD_LOCAL_SIZE=$OMPI_COMM_WORLD_LOCAL_SIZE
    slots=$XLEARNING_MPI_SLOTS
    HOROVOD_CROSS_SIZE=$(((HOROVOD_SIZE - HOROVOD_LOCAL_RANK + slots - 1) / slots))
    export HOROVOD_RANK HOROVOD_SIZE HOROVOD_LOCAL_RANK HOROVOD_LOCAL_SIZE HOROVOD_CROSS_SIZE
    unset XLEARNING_MPI_SLOTS
fi

copy() {
    trap '' TERM INT HUP # it ends when the rank has ended
    exec tee -a "$1"
}

if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then
    mkfifo "$failed.out" "$failed.err" || exit 126
    copy "$fd/1" <"$failed.out" &
    out=$!
    copy "$fd/2" <"$failed.err" >&2 &
    err=$!
    "$@" >"$failed.out" 2>"$failed.err"
    code=$?
    # what the rank has left behind may hold them open, and mpirun waits for both
    while kill -0 "$out" || kill -0 "$err"; do
        sleep 0.05
        drain=$((drain - 1))
        [ "$drain" -gt 0 ] || kill -9 "$out" "$err"
    done 2>/dev/null
else
    "$@" >>"$fd/1" 2>>"$fd/2"
    code=$?
fi
[ "$code" = 0 ] || echo "$OMPI_COMM_WORLD_RANK $code" >>"$failed"
exit "$code"
"""


def write(folder: Path) -> None:
    """Put both into ``folder``. Open MPI finds them along PATH: it splits what it is given at blanks."""
    for name, text in ((NODE, _NODE), (RANK, _RANK)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
