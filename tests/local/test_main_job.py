"""The main job from `xl-submit --local` to the committed output, with data on local disks and on HDFS."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from places import Place
from submitting import PROGRAMS, Ended, Gateway

SHOW, ACT = PROGRAMS / "show.py", PROGRAMS / "act.py"
ODD_NAMES = ["plain.txt", "a b.txt", "k=v.txt", "100%.txt", "%41.txt", "héé.txt", "中文.txt", "a+b&c;d.txt"]


def shown(place: Place, output: str = "out") -> dict[str, dict[str, object]]:
    """What each container of a `show.py` job has seen; role and index -> record."""
    found = {}
    for name in place.tree(output):
        if name.endswith(".json"):
            record = json.loads(place.read(f"{output}/{name}"))
            found[f"{record['role']}:{record['index']}"] = record
    return found


def finished_well(ended: Ended, place: Place, gateway: Gateway, output: str = "out") -> None:
    """Exit code 0, the id alone on stdout, output whole, nothing temporary left."""
    assert ended.code == 0, ended.err
    assert ended.app_id
    assert place.exists(f"{output}/_SUCCESS")
    assert not place.exists(f"{output}/_temporary")
    gateway.nothing_is_left()


def test_placeholder_with_ps_and_workers(place: Place, gateway: Gateway) -> None:
    files = {place.write(f"in/part-{n}", f"{n}\n".encode()) for n in range(4)}
    ended = gateway.submit(
        *("--app-type", "tensorflow", "--ps-num", 1, "--worker-num", 2),
        *("--input-strategy", "placeholder", "--input", f"{place.at('in')}#data"),
        *("--output", f"{place.at('out')}#output", "--files", SHOW),
        *("--", sys.executable, "show.py", "a b", "c=d", "$HOME"),
    )
    finished_well(ended, place, gateway)
    seen = shown(place)
    assert set(seen) - {"ps:0"} == {"worker:0", "worker:1"}
    lists = [json.loads(seen[f"worker:{n}"]["env"]["INPUT_FILE_LIST"])["data"] for n in (0, 1)]
    assert [len(names) for names in lists] == [2, 2]
    assert set(lists[0] + lists[1]) == files
    for index in (0, 1):
        env = seen[f"worker:{index}"]["env"]
        assert seen[f"worker:{index}"]["argv"] == ["a b", "c=d", "$HOME"]
        config = json.loads(env["TF_CONFIG"])
        assert config["task"] == {"type": "worker", "index": index}
        assert {role: len(members) for role, members in config["cluster"].items()} == {"worker": 2, "ps": 1}
        assert config["cluster"] == json.loads(env["TF_CLUSTER_DEF"])
        ports = [int(address.rpartition(":")[2]) for group in config["cluster"].values() for address in group]
        assert len(set(ports)) == 3
        assert all(20000 <= port < 30000 for port in ports)
        assert (env["TF_ROLE"], env["TF_INDEX"]) == ("worker", str(index))
    containers = [name for name in place.children("out") if name != "_SUCCESS"]
    assert all(name.startswith("container_") for name in containers)


def test_ps_output_is_taken_too(place: Place, gateway: Gateway) -> None:
    ended = gateway.submit(
        *("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 1),
        *("--conf", "xlearning.createcontainerid.dir=true"),
        *("--output", f"{place.at('out')}#output"),
        "--",
        *("bash", "-c", _PS_AND_WORKER.format(flag=gateway.work / "ps")),
    )
    finished_well(ended, place, gateway)
    assert {Path(name).name for name in place.tree("out")} == {"of-ps", "of-worker", "_SUCCESS"}


_PS_AND_WORKER = """
if [ $TF_ROLE = ps ]; then echo ps > output/of-ps; touch {flag}; sleep 600
else while [ ! -e {flag} ]; do sleep 0.05; done; echo w > output/of-worker; fi
"""


def test_download_byte_for_byte(place: Place, gateway: Gateway) -> None:
    contents = {name: hashlib.sha256(name.encode()).digest() * (n + 1) for n, name in enumerate(ODD_NAMES)}
    for name, data in contents.items():
        place.write(f"in/{name}", data)
    place.write("in/deep/er/nested.bin", b"nested")
    place.write("more/second.bin", b"second")
    place.write("valid/v.bin", b"valid")
    ended = gateway.submit(
        *("--worker-num", 2, "--input", f"{place.at('in')},{place.at('more')}#data"),
        *("--input", f"{place.at('valid')}/*.bin#valid", "--conf", "xlearning.workers.match.files=false"),
        *("--output", f"{place.at('out')}#output", "--files", SHOW),
        *("--", sys.executable, "show.py"),
    )
    finished_well(ended, place, gateway)
    got: dict[str, bytes] = {}
    for record in shown(place).values():
        for path, data in record["inputs"].items():
            assert path not in got, f"{path} came twice"
            got[path] = bytes.fromhex(data)
    expected = {f"data/{name}": data for name, data in contents.items()}
    expected |= {"data/nested.bin": b"nested", "data/second.bin": b"second", "valid/v.bin": b"valid"}
    assert got == expected


def test_download_of_many_small_files(place: Place, gateway: Gateway) -> None:
    names = [f"f{n:04d}" for n in range(1000)]
    with ThreadPoolExecutor(20) as threads:
        list(threads.map(lambda name: place.write(f"in/{name}", name.encode()), names))
    ended = gateway.submit(
        *("--worker-num", 2, "--input", f"{place.at('in')}#data"),
        *("--output", f"{place.at('out')}#output", "--files", SHOW),
        *("--", sys.executable, "show.py"),
    )
    finished_well(ended, place, gateway)
    got = [path for record in shown(place).values() for path in record["inputs"]]
    assert sorted(got) == [f"data/{name}" for name in names]


@pytest.mark.large
def test_download_of_a_large_file(place: Place, gateway: Gateway) -> None:
    block = os.urandom(1 << 20)
    with place.storage.of(place.uri).open_write(place.at("in/big")) as stream:
        for _ in range(300):
            stream.write(block)
    ended = gateway.submit(
        *("--input", f"{place.at('in')}#data", "--output", f"{place.at('out')}#output"),
        *("--", "bash", "-c", "sha256sum < data/big > output/sum"),
    )
    finished_well(ended, place, gateway)
    digest = hashlib.sha256()
    for _ in range(300):
        digest.update(block)
    assert place.read("out/output/sum").decode().split()[0] == digest.hexdigest()


def test_one_worker_has_no_container_folder(place: Place, gateway: Gateway) -> None:
    ended = gateway.submit(
        *("--output", f"{place.at('out')}#model", "--files", ACT),
        *("--", sys.executable, "act.py", "write:model/a/b.txt=hello"),
    )
    finished_well(ended, place, gateway)
    assert place.read("out/model/a/b.txt") == b"hello"


def test_only_the_chosen_worker_keeps_its_output(place: Place, gateway: Gateway) -> None:
    ended = gateway.submit(
        *("--worker-num", 2, "--output-index", 1, "--output", f"{place.at('out')}#model"),
        *("--", "bash", "-c", "echo $INDEX > model/index"),
    )
    finished_well(ended, place, gateway)
    assert place.read("out/model/index") == b"1\n"


def test_files_and_archives_are_placed_in_every_container(place: Place, gateway: Gateway) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        data = b"inside"
        member = tarfile.TarInfo("folder/inner.txt")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    place.write("lib/tools.tar.gz", packed.getvalue())
    place.write("lib/words.txt", b"cached")
    place.write("more/deep/er.txt", b" of a folder")
    (gateway.work / "own file.txt").write_text("shipped")
    ended = gateway.submit(
        *("--files", "own file.txt", "--cacheFile", f"{place.at('lib/words.txt')}#dict,{place.at('more')}"),
        *("--cacheArchive", f"{place.at('lib/tools.tar.gz')}#tools", "--output", f"{place.at('out')}#model"),
        *("--", "bash", "-c", "cat 'own file.txt' dict tools/folder/inner.txt more/deep/er.txt > model/all"),
    )
    finished_well(ended, place, gateway)
    assert place.read("out/model/all") == b"shippedcachedinside of a folder"


def test_jars_paths_variables_and_placeholders_reach_the_program(place: Place, gateway: Gateway) -> None:
    place.write("lib/far.jar", b"far")
    (gateway.work / "near.jar").write_text("near ")
    (gateway.work / ".env").write_text("GREETING='hello  $world'\n")
    tool = gateway.work / "bin" / "own-tool"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\nexec cat "$@"\n')
    tool.chmod(0o755)
    script = (
        'index=shell; echo "${index} $${index} ${INDEX}" > model/filled; '
        'echo "$NAME|$GREETING" > model/variables; '
        'echo "$LD_LIBRARY_PATH" > model/libraries; IFS=:; set -- $CLASSPATH; own-tool "$1" "$2" > model/jars'
    )
    ended = gateway.submit(
        *("--worker-num", 2, "--jars", f"near.jar,{place.at('lib/far.jar')}", "--user-path", tool.parent),
        *("--user-ldlibrarypath", "/opt/odd lib", "--env-file", ".env", "--template"),
        *(
            "--env",
            "NAME=${role}:${index}/${num_workers}=$X,${app_id}",
            "--output",
            f"{place.at('out')}#model",
        ),
        *("--", "bash", "-c", script),
    )
    finished_well(ended, place, gateway)
    containers = {name.split("/")[0] for name in place.tree("out") if "/" in name}
    said = {place.read(f"out/{one}/filled"): one for one in containers}
    assert set(said) == {b"0 shell 0\n", b"1 shell 1\n"}
    one = said[b"1 shell 1\n"]
    assert place.read(f"out/{one}/variables").decode() == f"worker:1/2=$X,{ended.app_id}|hello  $world\n"
    assert place.read(f"out/{one}/jars") == b"near far"
    assert place.read(f"out/{one}/libraries").endswith(b":/opt/odd lib\n")


def test_an_output_that_exists_is_refused_before_anything_starts(place: Place, gateway: Gateway) -> None:
    place.write("out/precious", b"1")
    ended = gateway.submit("--output", f"{place.at('out')}#model", "--", "true")
    assert ended.code == 1
    assert ended.out == ""
    assert place.at("out") in ended.err
    assert place.tree("out") == {"precious": 1}


@pytest.mark.parametrize("strategy", ["download", "placeholder"])
def test_bytes_that_are_no_text_arrive_as_they_are(strategy: str, tmp_path: Path, gateway: Gateway) -> None:
    odd = os.fsdecode(b"odd\xff\xfe")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / odd).write_bytes(b"content")
    ended = gateway.submit(
        *("--input-strategy", strategy, "--input", f"{tmp_path}/in#data", "--app-name", odd),
        *("--conf", f"xlearning.container.env.ODD={odd}", "--output", f"{tmp_path}/out#model"),
        *(
            "--",
            "bash",
            "-c",
            'printf "%s %s %s" "$1" "$ODD" "$INPUT_FILE_LIST" > "model/$1"; ls data',
            odd,
            odd,
        ),
    )
    assert ended.code == 0, ended.err
    words = (tmp_path / "out" / "model" / odd).read_bytes().split()
    assert words[:2] == [b"odd\xff\xfe"] * 2
    if strategy == "placeholder":
        assert words[2].endswith(b'/in/odd\xff\xfe"]}')


def test_a_failed_job_can_simply_be_run_again(place: Place, gateway: Gateway) -> None:
    args = ("--output", f"{place.at('out')}#model", "--")
    assert gateway.submit(*args, "bash", "-c", "echo half > model/half; exit 5").code == 2
    assert not place.exists("out")
    ended = gateway.submit(*args, "bash", "-c", "echo whole > model/whole")
    finished_well(ended, place, gateway)
    assert set(place.tree("out")) == {"model/whole", "_SUCCESS"}


def test_staging_and_history_may_lie_where_the_data_do(place: Place, gateway: Gateway) -> None:
    gateway.properties |= {
        "xlearning.staging.dir": place.at("staging"),
        "xlearning.history.log.dir": place.at("history"),
    }
    ended = gateway.submit(
        *("--app-type", "TENSORFLOW", "--ps-num", 1, "--worker-num", 2),
        *("--output", f"{place.at('out')}#model", "--", "bash", "-c", "echo $TF_INDEX > model/index"),
    )
    finished_well(ended, place, gateway)
    assert place.children("staging") == []
    record = json.loads(place.read(f"history/{ended.app_id}/job.json"))
    assert (record["state"], len(record["containers"])) == ("SUCCEEDED", 3)


def test_the_output_of_a_job_is_the_input_of_the_next(place: Place, gateway: Gateway) -> None:
    for name in ("_SUCCESS", "container_1/part-0", "container_2/.hidden", "_temporary/0/late"):
        place.write(f"first/{name}", b"")
    ended = gateway.submit(
        *("--worker-num", 3, "--input", f"{place.at('first')}#data", "--output", f"{place.at('out')}#output"),
        *("--files", SHOW, "--", sys.executable, "show.py"),
    )
    finished_well(ended, place, gateway)
    seen = shown(place)
    assert len(seen) == 2
    assert {path for record in seen.values() for path in record["inputs"]} == {"data/part-0", "data/.hidden"}
