"""Properties of single application types."""

from __future__ import annotations

from xlearning.config.schema import Group, Kind, ignored, key, missing

_K = Kind
_COMPUTED = ignored("whether a job has parameter servers follows from xlearning.ps.num")
_TF = ("TENSORFLOW", "TENSOR2TENSOR")
_MPI, _HOROVOD = ("MPI", "TENSORNET"), ("HOROVOD",)
_RANKS = (*_MPI, *_HOROVOD)
_VPC = ignored("types VPC and DIGITS are not supported")
_OWN_FOLDER = "every rank runs in the working folder of its own container"

TENSORFLOW = Group(
    "TensorFlow",
    (
        key("tf.evaluator", _K.BOOL, "false", "The last worker becomes the evaluator."),
        key("tf.distribution.strategy", _K.BOOL, "false",
            "Give workers a cluster definition even without parameter servers.", types=_TF),
        key("tf.coordinator", _K.BOOL, "false",
            "Worker 0 coordinates the others, as TensorFlow's ParameterServerStrategy has it: it is the "
            "chief of TF_CONFIG, and when it is done they are stopped as parameter servers are.", types=_TF),
        key("mode.single", _K.STRING, "false", "Set by the original itself: no parameter servers.",
            also=("tf.mode.single", "mxnet.mode.single"), defaults=("true",), effect=_COMPUTED),
    ),
)  # fmt: skip

XGBOOST = Group(
    "XGBoost",
    (
        key("xgboost.python", _K.STRING, None,
            "Python that runs the tracker of a DISTXGBOOST job; unset: the first word of the command if it "
            "is a Python, else python3 along PATH.", types=("DISTXGBOOST",)),
    ),
)  # fmt: skip

LIGHTLDA = Group(
    "LightLDA",
    (
        key("lightlda.ps.end.timeout", _K.DURATION_S, "10m",
            "Time that servers have to write the model and end once the workers are done.", low=0.1,
            types=("LIGHTLDA", "DISTLIGHTLDA")),
    ),
)  # fmt: skip

BOARD = Group(
    "TensorBoard and VisualDL",
    (
        key("tf.board.enable", _K.BOOL, "true", "Run TensorBoard beside one worker, or VisualDL."),
        key("tf.board.worker.index", _K.INT, "0", "Index of the worker that TensorBoard runs beside.", low=0),
        key("tf.board.reload.interval", _K.INT, "1",
            "Seconds between two looks of TensorBoard at the event files.", low=0),
        key("tf.board.log.dir", _K.STRING, "eventLog",
            "Folder of the event files: relative to the working folder, or on HDFS."),
        key("tf.board.path", _K.STRING, "tensorboard", "The TensorBoard program."),
        key("tf.board.history.dir", _K.STRING, "/tmp/XLearning/eventLog",
            "Folder where event files are kept after a job, in a folder of its application id.",
            defaults=("/tmp/hbox/eventLog",)),
        key("tf.board.upload", _K.BOOL, "true", "Hbox: set by the client itself.", defaults=("false",),
            effect=ignored("XLearning finds it by itself")),
        key("tf.board.ps.enable", _K.BOOL, "false",
            "Hbox: run TensorBoard beside a parameter server, and not a worker."),
        key("board.path", _K.STRING, "visualDL",
            "The VisualDL program; jobs of other types than TENSORFLOW that set this run it."),
        key("board.modelpb", _K.STRING, None, "Model that VisualDL shows."),
        key("board.cache.timeout", _K.INT, "20", "Seconds that VisualDL keeps what it has read.", low=0),
    ),
)  # fmt: skip

MPI = Group(
    "MPI, Horovod, VPC and other types",
    (
        key("mpi.install.dir", _K.STRING, "/usr/local/openmpi/",
            "Folder of Open MPI on the nodes; a relative one is in the working folder. Where there is none, "
            "and nobody has set this, the one along PATH is used.", defaults=("/usr/local/openmpi",),
            types=_RANKS),
        key("mpi.process.num.per.worker", _K.INT, "1", "Ranks in each worker of an MPI or TENSORNET job.",
            low=1, high=10_000, types=_MPI),
        key("mpi.spawn", _K.BOOL, "false",
            "The program starts more ranks as it runs (MPI_Comm_spawn): a worker without any fails the job "
            "at its end only, and not as soon as the others run.", types=_RANKS),
        key("mpi.extra.ld.library.path", _K.STRING, None, "Comes first in LD_LIBRARY_PATH of MPI jobs.",
            also=("mpi.extra.ld.lirbary.path",), types=_MPI),
        key("custom.exit", _K.STRING, "exit.code",
            "File that a program of an MPI job may write: its first line is then the exit code of the job.",
            types=_RANKS),
        key("mpi.install.dir.enable", _K.BOOL, "false", "Hbox: use Open MPI of the folder mpi.install.dir.",
            effect=ignored("xlearning.mpi.install.dir is always looked at")),
        key("cached.mpi.package.remote.path", _K.STRING, None, "Hbox: archive of Open MPI on HDFS.",
            effect=missing("fetch Open MPI by this property",
                           "give --cacheArchive PATH#openmpi and xlearning.mpi.install.dir=openmpi")),
        key("mpi.exec.dir.enable", _K.BOOL, "false", "Hbox: run all ranks in one shared folder.",
            effect=ignored(_OWN_FOLDER)),
        key("mpi.exec.dir", _K.STRING, "/tmp/", "Hbox: the shared folder of all ranks.",
            effect=ignored(_OWN_FOLDER)),
        key("mpi.container.update.status.retry", _K.INT, "3", "How often MPI jobs repeated a question.",
            effect=ignored("the end of mpirun is told to the workers, none asks for it")),
        key("horovod.extra.ld.library.path", _K.STRING, None,
            "Comes first in LD_LIBRARY_PATH of Horovod jobs.", also=("horovod.extra.ld.lirbary.path",),
            types=_HOROVOD),
        key("horovod.process.num.per.worker", _K.INT, "1", "Processes of each worker of a HOROVOD job.",
            low=1, high=10_000, types=_HOROVOD),
        key("horovod.mpi.threads.disable", _K.BOOL, "false", "HOROVOD_MPI_THREADS_DISABLE of a HOROVOD job.",
            types=_HOROVOD),
        key("horovod.timeline", _K.STRING, None, "HOROVOD_TIMELINE: file for a record of all operations.",
            types=_HOROVOD),
        key("horovod.fusion.threshold", _K.INT, "-1",
            "HOROVOD_FUSION_THRESHOLD (bytes); negative: Horovod's own.", types=_HOROVOD),
        key("horovod.cycle.time", _K.FLOAT, "-1", "HOROVOD_CYCLE_TIME (ms); negative: Horovod's own.",
            types=_HOROVOD),
        key("horovod.stall.check.disable", _K.BOOL, "false", "HOROVOD_STALL_CHECK_DISABLE of a HOROVOD job.",
            types=_HOROVOD),
        key("horovod.hierarchical.allreduce", _K.BOOL, "false",
            "HOROVOD_HIERARCHICAL_ALLREDUCE of a HOROVOD job.", types=_HOROVOD),
        key("python.home", _K.STRING, None, "Hbox: Python that TensorNet's board runs with.",
            effect=ignored("TensorBoard runs with the Python that xlearning.tf.board.path is of")),
        key("vpc.duration", _K.DURATION_S, "1d", "Hbox: how long a VPC or DIGITS container lives.", low=0,
            effect=_VPC),
        key("digits.image-name", _K.STRING, None, "Hbox: image of DIGITS.", effect=_VPC),
    ),
)  # fmt: skip
