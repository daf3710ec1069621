from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AgentMessage(_message.Message):
    __slots__ = ("generation", "register", "beat", "ports_ready", "fetch_progress", "fetch_done", "fetch_failed", "process_started", "process_exited", "upload_progress", "upload_done", "upload_failed", "save_done", "save_failed", "board_started", "goodbye", "log_piece", "process_failing")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    REGISTER_FIELD_NUMBER: _ClassVar[int]
    BEAT_FIELD_NUMBER: _ClassVar[int]
    PORTS_READY_FIELD_NUMBER: _ClassVar[int]
    FETCH_PROGRESS_FIELD_NUMBER: _ClassVar[int]
    FETCH_DONE_FIELD_NUMBER: _ClassVar[int]
    FETCH_FAILED_FIELD_NUMBER: _ClassVar[int]
    PROCESS_STARTED_FIELD_NUMBER: _ClassVar[int]
    PROCESS_EXITED_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_PROGRESS_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_DONE_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_FAILED_FIELD_NUMBER: _ClassVar[int]
    SAVE_DONE_FIELD_NUMBER: _ClassVar[int]
    SAVE_FAILED_FIELD_NUMBER: _ClassVar[int]
    BOARD_STARTED_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    LOG_PIECE_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FAILING_FIELD_NUMBER: _ClassVar[int]
    generation: int
    register: Register
    beat: Beat
    ports_ready: PortsReady
    fetch_progress: FetchProgress
    fetch_done: FetchDone
    fetch_failed: FetchFailed
    process_started: ProcessStarted
    process_exited: ProcessExited
    upload_progress: UploadProgress
    upload_done: UploadDone
    upload_failed: UploadFailed
    save_done: SaveDone
    save_failed: SaveFailed
    board_started: BoardStarted
    goodbye: Goodbye
    log_piece: LogPiece
    process_failing: ProcessExited
    def __init__(self, generation: _Optional[int] = ..., register: _Optional[_Union[Register, _Mapping]] = ..., beat: _Optional[_Union[Beat, _Mapping]] = ..., ports_ready: _Optional[_Union[PortsReady, _Mapping]] = ..., fetch_progress: _Optional[_Union[FetchProgress, _Mapping]] = ..., fetch_done: _Optional[_Union[FetchDone, _Mapping]] = ..., fetch_failed: _Optional[_Union[FetchFailed, _Mapping]] = ..., process_started: _Optional[_Union[ProcessStarted, _Mapping]] = ..., process_exited: _Optional[_Union[ProcessExited, _Mapping]] = ..., upload_progress: _Optional[_Union[UploadProgress, _Mapping]] = ..., upload_done: _Optional[_Union[UploadDone, _Mapping]] = ..., upload_failed: _Optional[_Union[UploadFailed, _Mapping]] = ..., save_done: _Optional[_Union[SaveDone, _Mapping]] = ..., save_failed: _Optional[_Union[SaveFailed, _Mapping]] = ..., board_started: _Optional[_Union[BoardStarted, _Mapping]] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ..., log_piece: _Optional[_Union[LogPiece, _Mapping]] = ..., process_failing: _Optional[_Union[ProcessExited, _Mapping]] = ...) -> None: ...

class Register(_message.Message):
    __slots__ = ("container_id", "attempt", "host", "session", "version", "pid")
    CONTAINER_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PID_FIELD_NUMBER: _ClassVar[int]
    container_id: str
    attempt: int
    host: str
    session: str
    version: str
    pid: int
    def __init__(self, container_id: _Optional[str] = ..., attempt: _Optional[int] = ..., host: _Optional[str] = ..., session: _Optional[str] = ..., version: _Optional[str] = ..., pid: _Optional[int] = ...) -> None: ...

class Beat(_message.Message):
    __slots__ = ("has_progress", "progress", "cpu_percent", "memory_bytes", "gpus")
    HAS_PROGRESS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    CPU_PERCENT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    GPUS_FIELD_NUMBER: _ClassVar[int]
    has_progress: bool
    progress: float
    cpu_percent: float
    memory_bytes: int
    gpus: _containers.RepeatedCompositeFieldContainer[Gpu]
    def __init__(self, has_progress: bool = ..., progress: _Optional[float] = ..., cpu_percent: _Optional[float] = ..., memory_bytes: _Optional[int] = ..., gpus: _Optional[_Iterable[_Union[Gpu, _Mapping]]] = ...) -> None: ...

class Gpu(_message.Message):
    __slots__ = ("id", "index", "busy_percent", "memory_bytes", "memory_limit_bytes")
    ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    BUSY_PERCENT_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_LIMIT_BYTES_FIELD_NUMBER: _ClassVar[int]
    id: str
    index: int
    busy_percent: float
    memory_bytes: int
    memory_limit_bytes: int
    def __init__(self, id: _Optional[str] = ..., index: _Optional[int] = ..., busy_percent: _Optional[float] = ..., memory_bytes: _Optional[int] = ..., memory_limit_bytes: _Optional[int] = ...) -> None: ...

class PortsReady(_message.Message):
    __slots__ = ("ports", "ip")
    PORTS_FIELD_NUMBER: _ClassVar[int]
    IP_FIELD_NUMBER: _ClassVar[int]
    ports: _containers.RepeatedScalarFieldContainer[int]
    ip: str
    def __init__(self, ports: _Optional[_Iterable[int]] = ..., ip: _Optional[str] = ...) -> None: ...

class FetchProgress(_message.Message):
    __slots__ = ("files", "bytes", "total_files", "total_bytes", "rate")
    FILES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FILES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    files: int
    bytes: int
    total_files: int
    total_bytes: int
    rate: float
    def __init__(self, files: _Optional[int] = ..., bytes: _Optional[int] = ..., total_files: _Optional[int] = ..., total_bytes: _Optional[int] = ..., rate: _Optional[float] = ...) -> None: ...

class FetchDone(_message.Message):
    __slots__ = ("files", "bytes")
    FILES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    files: int
    bytes: int
    def __init__(self, files: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...

class FetchFailed(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class ProcessStarted(_message.Message):
    __slots__ = ("pid",)
    PID_FIELD_NUMBER: _ClassVar[int]
    pid: int
    def __init__(self, pid: _Optional[int] = ...) -> None: ...

class ProcessExited(_message.Message):
    __slots__ = ("exit_code", "last_lines", "reason")
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    LAST_LINES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    exit_code: int
    last_lines: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    def __init__(self, exit_code: _Optional[int] = ..., last_lines: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ...) -> None: ...

class UploadProgress(_message.Message):
    __slots__ = ("files", "bytes", "total_files", "total_bytes", "rate", "save")
    FILES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FILES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    SAVE_FIELD_NUMBER: _ClassVar[int]
    files: int
    bytes: int
    total_files: int
    total_bytes: int
    rate: float
    save: bool
    def __init__(self, files: _Optional[int] = ..., bytes: _Optional[int] = ..., total_files: _Optional[int] = ..., total_bytes: _Optional[int] = ..., rate: _Optional[float] = ..., save: bool = ...) -> None: ...

class UploadDone(_message.Message):
    __slots__ = ("files", "bytes", "places")
    FILES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    files: int
    bytes: int
    places: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, files: _Optional[int] = ..., bytes: _Optional[int] = ..., places: _Optional[_Iterable[str]] = ...) -> None: ...

class UploadFailed(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class SaveDone(_message.Message):
    __slots__ = ("save_id", "files", "bytes", "kept", "changed", "needs")
    SAVE_ID_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    NEEDS_FIELD_NUMBER: _ClassVar[int]
    save_id: str
    files: int
    bytes: int
    kept: int
    changed: int
    needs: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, save_id: _Optional[str] = ..., files: _Optional[int] = ..., bytes: _Optional[int] = ..., kept: _Optional[int] = ..., changed: _Optional[int] = ..., needs: _Optional[_Iterable[str]] = ...) -> None: ...

class SaveFailed(_message.Message):
    __slots__ = ("save_id", "reason")
    SAVE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    save_id: str
    reason: str
    def __init__(self, save_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class BoardStarted(_message.Message):
    __slots__ = ("url", "note")
    URL_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    url: str
    note: str
    def __init__(self, url: _Optional[str] = ..., note: _Optional[str] = ...) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class LogPiece(_message.Message):
    __slots__ = ("request", "files", "text", "offset", "next_offset", "size", "error")
    class FilesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    NEXT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    request: int
    files: _containers.ScalarMap[str, int]
    text: str
    offset: int
    next_offset: int
    size: int
    error: str
    def __init__(self, request: _Optional[int] = ..., files: _Optional[_Mapping[str, int]] = ..., text: _Optional[str] = ..., offset: _Optional[int] = ..., next_offset: _Optional[int] = ..., size: _Optional[int] = ..., error: _Optional[str] = ...) -> None: ...

class AmMessage(_message.Message):
    __slots__ = ("generation", "registered", "refused", "prepare", "launch", "stop_process", "upload", "save", "release", "read_log")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    REGISTERED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    PREPARE_FIELD_NUMBER: _ClassVar[int]
    LAUNCH_FIELD_NUMBER: _ClassVar[int]
    STOP_PROCESS_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_FIELD_NUMBER: _ClassVar[int]
    SAVE_FIELD_NUMBER: _ClassVar[int]
    RELEASE_FIELD_NUMBER: _ClassVar[int]
    READ_LOG_FIELD_NUMBER: _ClassVar[int]
    generation: int
    registered: Registered
    refused: Refused
    prepare: Prepare
    launch: Launch
    stop_process: StopProcess
    upload: Upload
    save: Save
    release: Release
    read_log: ReadLog
    def __init__(self, generation: _Optional[int] = ..., registered: _Optional[_Union[Registered, _Mapping]] = ..., refused: _Optional[_Union[Refused, _Mapping]] = ..., prepare: _Optional[_Union[Prepare, _Mapping]] = ..., launch: _Optional[_Union[Launch, _Mapping]] = ..., stop_process: _Optional[_Union[StopProcess, _Mapping]] = ..., upload: _Optional[_Union[Upload, _Mapping]] = ..., save: _Optional[_Union[Save, _Mapping]] = ..., release: _Optional[_Union[Release, _Mapping]] = ..., read_log: _Optional[_Union[ReadLog, _Mapping]] = ...) -> None: ...

class Registered(_message.Message):
    __slots__ = ("session", "beat_interval", "reconnect_timeout")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    BEAT_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    RECONNECT_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    session: str
    beat_interval: float
    reconnect_timeout: float
    def __init__(self, session: _Optional[str] = ..., beat_interval: _Optional[float] = ..., reconnect_timeout: _Optional[float] = ...) -> None: ...

class Refused(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class Prepare(_message.Message):
    __slots__ = ("role", "index", "ports")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    PORTS_FIELD_NUMBER: _ClassVar[int]
    role: str
    index: int
    ports: int
    def __init__(self, role: _Optional[str] = ..., index: _Optional[int] = ..., ports: _Optional[int] = ...) -> None: ...

class Launch(_message.Message):
    __slots__ = ("spec_json", "file")
    SPEC_JSON_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    spec_json: str
    file: str
    def __init__(self, spec_json: _Optional[str] = ..., file: _Optional[str] = ...) -> None: ...

class StopProcess(_message.Message):
    __slots__ = ("grace", "reason")
    GRACE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    grace: float
    reason: str
    def __init__(self, grace: _Optional[float] = ..., reason: _Optional[str] = ...) -> None: ...

class Upload(_message.Message):
    __slots__ = ("transfers",)
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    transfers: _containers.RepeatedCompositeFieldContainer[Transfer]
    def __init__(self, transfers: _Optional[_Iterable[_Union[Transfer, _Mapping]]] = ...) -> None: ...

class Transfer(_message.Message):
    __slots__ = ("local", "remote")
    LOCAL_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    local: str
    remote: str
    def __init__(self, local: _Optional[str] = ..., remote: _Optional[str] = ...) -> None: ...

class Save(_message.Message):
    __slots__ = ("save_id", "transfers", "moves", "timeout", "base")
    SAVE_ID_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    save_id: str
    transfers: _containers.RepeatedCompositeFieldContainer[Transfer]
    moves: _containers.RepeatedCompositeFieldContainer[Move]
    timeout: float
    base: str
    def __init__(self, save_id: _Optional[str] = ..., transfers: _Optional[_Iterable[_Union[Transfer, _Mapping]]] = ..., moves: _Optional[_Iterable[_Union[Move, _Mapping]]] = ..., timeout: _Optional[float] = ..., base: _Optional[str] = ...) -> None: ...

class Move(_message.Message):
    __slots__ = ("source", "target")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    source: str
    target: str
    def __init__(self, source: _Optional[str] = ..., target: _Optional[str] = ...) -> None: ...

class Release(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class ReadLog(_message.Message):
    __slots__ = ("request", "name", "offset", "limit")
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    request: int
    name: str
    offset: int
    limit: int
    def __init__(self, request: _Optional[int] = ..., name: _Optional[str] = ..., offset: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class StatusRequest(_message.Message):
    __slots__ = ("after_version", "wait")
    AFTER_VERSION_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    after_version: int
    wait: float
    def __init__(self, after_version: _Optional[int] = ..., wait: _Optional[float] = ...) -> None: ...

class StatusReply(_message.Message):
    __slots__ = ("snapshot_json",)
    SNAPSHOT_JSON_FIELD_NUMBER: _ClassVar[int]
    snapshot_json: str
    def __init__(self, snapshot_json: _Optional[str] = ...) -> None: ...

class KillRequest(_message.Message):
    __slots__ = ("user", "reason")
    USER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    user: str
    reason: str
    def __init__(self, user: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class KillReply(_message.Message):
    __slots__ = ("accepted", "message")
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    accepted: bool
    message: str
    def __init__(self, accepted: bool = ..., message: _Optional[str] = ...) -> None: ...

class SaveRequest(_message.Message):
    __slots__ = ("user",)
    USER_FIELD_NUMBER: _ClassVar[int]
    user: str
    def __init__(self, user: _Optional[str] = ...) -> None: ...

class SaveReply(_message.Message):
    __slots__ = ("accepted", "message", "save_id")
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SAVE_ID_FIELD_NUMBER: _ClassVar[int]
    accepted: bool
    message: str
    save_id: str
    def __init__(self, accepted: bool = ..., message: _Optional[str] = ..., save_id: _Optional[str] = ...) -> None: ...
