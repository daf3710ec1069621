"""Last words of real programs whose peer had died, and of those that died of themselves."""

from __future__ import annotations

import pytest

from xlearning.am.core.hearsay import tells_of_others


@pytest.mark.parametrize(
    "line",
    [
        "RuntimeError: [gloo/transport/tcp/pair.cc:561] Connection closed by peer [127.0.0.1]:52405.",
        "RuntimeError: [gloo/transport/tcp/pair.cc:545] Read error [::1]:1012: Connection reset by peer.",
        "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting",
        "torch.distributed.DistNetworkError: failed to recv, got 0 bytes",
        "UnavailableError: Collective ops is aborted by: Connection reset by peer",
        "lightgbm.basic.LightGBMError: Socket recv error, Connection reset by peer (code: 104)",
        "Horovod has been shut down. This was caused by an exception on one of the ranks",
        "xgboost.core.XGBoostError: [16:28:57] /workspace/src/collective/result.cc:83: [histogram.h:197]:",
        "BrokenPipeError: [Errno 32] Broken pipe",
        "BrokenPipeError",
        "ConnectionResetError: peer is gone",
        "http.client.RemoteDisconnected: Remote end closed connection without response",
        "EOFError",
        "lost the parameter server at node1:20001",
    ],
)
def test_of_others(line: str) -> None:
    assert tells_of_others(["Traceback (most recent call last):", line, *["[bt] (0) libx.so"] * 9])


@pytest.mark.parametrize(
    "line",
    [
        "KeyError: 'price'",
        "no space left on device",
        "the server has no memory left",
        "EOFError: Ran out of input",
    ],
)
def test_of_itself(line: str) -> None:
    assert not tells_of_others(["step 7", line])
