"""Every option of XLearning 1.4 and Hbox 1.8, in every form in which it may be written."""

from __future__ import annotations

import keyword

import pytest

from xlearning.client.options import OPTIONS, Takes, camel, spellings
from xlearning.client.scan import scan

# dashed and camelCase name, a value, and the option here
ORIGINAL = """
app-name              appName               demo          app-name
app-type              appType               TENSORFLOW    app-type
am-memory             amMemory              1024          am-memory
am-cores              amCores               1             am-cores
worker-memory         workerMemory          2G            worker-memory
worker-cores          workerCores           2             worker-cores
worker-num            workerNum             3             worker-num
chiefworker-memory    chiefWorkerMemory     2048M         chief-worker-memory
evaluatorworker-memory evaluatorWorkerMemory 2g           evaluator-worker-memory
ps-memory             psMemory              1024          ps-memory
ps-cores              psCores               1             ps-cores
ps-num                psNum                 1             ps-num
files                 files                 a.py,b.py     files
jars                  jars                  a.jar,b.jar   jars
launch-cmd            launchCmd             python        launch-cmd
user-path             userPath              /opt/bin      user-path
user-ldlibrarypath    userLDLIBRARYPATH     /opt/lib      user-ldlibrarypath
cacheFile             cache-file            /a#b          cache-file
cacheArchive          cacheArchive          /a.tgz#b      cache-archive
priority              priority              NORMAL        priority
queue                 queue                 q             queue
user-classpath-first  userClasspathFirst    false         user-classpath-first
conf                  conf                  a.b=c=d       conf
input                 input                 /a,/b#c       input
output                output                /a#c          output
input-strategy        inputStrategy         STREAM        input-strategy
output-strategy       outputStrategy        UPLOAD        output-strategy
isRenameInputFile     isRenameInputFile     true          rename-input-file
inRenameInputFile     inRenameInputFile     true          rename-input-file
stream-epoch          streamEpoch           2             stream-epoch
inputformat           inputFormatClass      text          inputformat
inputformat-shuffle   inputformatShuffle    true          inputformat-shuffle
outputformat          outputFormatClass     text          outputformat
output-index          outputIndex           0             output-index
tf-evaluator          tfEvaluator           true          tf-evaluator
board-enable          boardEnable           false         board-enable
board-index           boardIndex            1             board-index
board-reloadinterval  boardReloadInterval   5             board-reloadinterval
board-logdir          boardLogDir           logs          board-logdir
board-historydir      boardHistoryDir       /h            board-historydir
board-modelpb         boardModelPB          m.pb          board-modelpb
board-cacheTimeout    boardCacheTimeout     20            board-cache-timeout
docker-image          dockerImage           image:1       docker-image
container-type        containerType         yarn          container-type
cluster               cluster               big           cluster
driver-memory         driverMemory          2048          am-memory
driver-cores          driverCores           2             am-cores
worker-gpus           workerGpus            1             worker-gpus
ps-gpus               psGpus                1             ps-gpus
worker-gcores         workerGcores          1             worker-gpus
ps-gcores             psGcores              1             ps-gpus
hbox-cmd              hboxCmd               python        launch-cmd
duration              duration              1d            duration
archiveFiles          archiveFiles          a.tgz#a       archives
create-containerid-dir createContaineridDir false         create-containerid-dir
host-local-enable     hostLocalEnable       true          host-local-enable
inputformat-enable    inputformatEnable     true          inputformat-enable
outputformat-enable   outputformatEnable    true          outputformat-enable
s3input               s3input               bucket#a      s3input
s3output              s3output              bucket#a      s3output
"""
ROWS = [line.split() for line in ORIGINAL.strip().splitlines()]
# What users of spark-submit and others write.
ALIASES = {
    "name": "app-name",
    "archives": "archives",
    "num-workers": "worker-num",
    "num-executors": "worker-num",
    "executor-memory": "worker-memory",
    "executor-cores": "worker-cores",
    "num-ps": "ps-num",
    "cache-archive": "cache-archive",
    "board-log-dir": "board-logdir",
    "chief-worker-memory": "chief-worker-memory",
}


@pytest.mark.parametrize(("dashed", "camel_case", "value", "name"), ROWS, ids=[row[0] for row in ROWS])
def test_an_option_of_the_original_in_every_form(dashed: str, camel_case: str, value: str, name: str) -> None:
    instead = next(option.instead for option in OPTIONS if option.name == name)
    for spelling in (dashed, camel_case):
        for token in (f"-{spelling}", f"--{spelling}"):
            for words in ([token, value], [f"{token}={value}"]):
                line = scan([*words, "--", "python"])
                assert line.values == {name: [value]}, words
                assert line.written == {name: token}
                assert line.command == ("python",)
                assert [problem.fix for problem in line.problems] == ([instead] if instead else [])


@pytest.mark.parametrize("token", ["--help", "-help", "--version", "-version"])
def test_the_two_without_a_value(token: str) -> None:
    assert scan([token]).given(token.strip("-"))


@pytest.mark.parametrize(("spelling", "name"), ALIASES.items())
def test_words_of_other_tools(spelling: str, name: str) -> None:
    names = spellings()
    assert names[f"--{spelling}"] is names[f"--{name}"]
    assert names[f"--{camel(spelling)}"] is names[f"--{name}"]


def test_names_are_dashed_words_that_python_can_write() -> None:
    for option in OPTIONS:
        assert option.name == option.name.lower()
        assert option.identifier.isidentifier() and not keyword.iskeyword(option.identifier)
    assert len({option.identifier for option in OPTIONS}) == len(OPTIONS)


def test_what_the_short_help_shows_is_less() -> None:
    common = [option for option in OPTIONS if option.common]
    assert 25 < len(common) < len(OPTIONS) * 0.7
    assert all(option.metavar != "TEXT" for option in OPTIONS if option.takes in (Takes.ONE, Takes.MANY))
