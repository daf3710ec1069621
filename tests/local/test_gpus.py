"""GPUs with ``--local``: this machine's are dealt out, by their names alone."""

from __future__ import annotations

from submitting import Gateway


def test_devices_are_dealt_out_and_hidden_from_others(gateway: Gateway) -> None:
    gateway.environment["CUDA_VISIBLE_DEVICES"] = "4,GPU-a,6"
    seen = gateway.work / "seen"
    show = (
        'mkdir -p output; echo "$TF_ROLE:$CUDA_VISIBLE_DEVICES" > output/$TF_ROLE-$TF_INDEX; '
        f"if [ $TF_ROLE = ps ]; then touch {seen}; sleep 600; fi; until [ -e {seen} ]; do sleep 0.05; done"
    )
    words = ("--app-type", "TENSORFLOW", "--worker-num", 2, "--ps-num", 1)
    ended = gateway.submit(
        *(*words, "--worker-gpus", 1, "--output", f"{gateway.work / 'out'}#output"),
        *("--conf", "xlearning.createcontainerid.dir=true", "--", "bash", "-c", show),
    )
    assert ended.code == 0, ended.err
    shown = [path.read_text().strip() for path in (gateway.work / "out").glob("*/*-*")]
    assert sorted(shown) == ["ps:", "worker:4", "worker:GPU-a"]
    refused = gateway.submit(*words, "--worker-gpus", 2, "--", "true")
    assert "the job asks for 4 GPUs in all; CUDA_VISIBLE_DEVICES has 3" in refused.err
