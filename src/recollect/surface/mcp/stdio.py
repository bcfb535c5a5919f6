"""The MCP server on standard input and output: a line in, a line out, and a process that always ends.

    stdin ─► Lines ─► Conversation ─┬─ handshake, lists, ping ─► Output ─► stdout
                                    └─ tool calls, reads ─► Workers ─►

Only the protocol uses the pipes: output of library code goes to standard error, and its input is empty. The process
ends when its input ends, when its output is closed, when its parent is gone, and on a signal: running calls get GRACE_S
to finish, then they are withdrawn, and no thread can keep the process alive longer.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from recollect.surface.mcp.jsonrpc import PARSE_ERROR, Message, ProtocolError, decode, encode, failure
from recollect.surface.mcp.server import Peer, Server, answer, calls
from recollect.toolset import tool_names

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.model import Record
    from recollect.operations import Operation
    from recollect.settings import Settings
    from recollect.surface.hooks.hook_socket import HookSocket

# As much as a pipe holds on Linux: one read empties it.
CHUNK_BYTES = 65_536
# Beyond any sensible request; without a bound one endless line would take all memory.
LINE_BYTES = 64 * 1024 * 1024
# After this long without a message the handshake is over: the engine may warm up.
QUIET_S = 0.5
# How often an idle server checks that its parent is alive; usually the pipe closes at once.
PARENT_S = 30.0
# For running calls when the input ends: long enough for a large import, or for a small one on a busy machine.
GRACE_S = 30.0
# After that, or on a signal: calls that report progress stop, the others are killed; the store survives that.
LAST_S = 3.0


class Lines:
    """Splits a stream of bytes into lines; buffers at most `limit` bytes of one."""

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._too_long = False

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """Yield the lines that `chunk` completes; None for one that was longer than the limit."""
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            self._grow(end)
            yield self.rest()
        self._grow(rest)

    def rest(self) -> bytes | None:
        """Return the current line and start the next."""
        line = None if self._too_long else bytes(self._buffer)
        self._buffer.clear()
        self._too_long = False
        return line

    def _grow(self, piece: bytes) -> None:
        self._too_long = self._too_long or len(self._buffer) + len(piece) > self._limit
        if self._too_long:
            self._buffer.clear()
        else:
            self._buffer += piece


class Output:
    """Writes messages to a pipe, one whole line each; `on_gone` is called when the pipe is closed."""

    def __init__(self, sink: int, on_gone: Callable[[], None]) -> None:
        self._sink = sink
        self._on_gone = on_gone
        self._lock = threading.Lock()

    def send(self, message: Message) -> None:
        """Write one message; returns when it is in the pipe."""
        rest = memoryview(encode(message) + b"\n")
        with self._lock:
            try:
                while rest:
                    rest = rest[os.write(self._sink, rest) :]
            except OSError:
                self._on_gone()


# SQLite has one writer at a time; a few threads keep reads going beside a long call.
WORKERS = 4


class Workers:
    """Daemon threads, started as needed, that run jobs in order, `count` at a time."""

    def __init__(self, count: int = WORKERS) -> None:
        self._count = count
        self._changed = threading.Condition()
        self._jobs: deque[Callable[[], None]] = deque()
        self._threads = self._idle = self._unfinished = 0

    def submit(self, job: Callable[[], None]) -> None:
        """Run `job`, which must not raise, in the next free thread."""
        with self._changed:
            self._jobs.append(job)
            self._unfinished += 1
            if len(self._jobs) > self._idle and self._threads < self._count:
                self._threads += 1
                threading.Thread(target=self._work, name=f"call-{self._threads}", daemon=True).start()
            self._changed.notify_all()

    def drain(self, timeout_s: float) -> bool:
        """Wait until every job is done; False if some are not after `timeout_s`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._unfinished, timeout_s)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                self._changed.wait_for(lambda: self._jobs)
                self._idle -= 1
                job = self._jobs.popleft()
            try:
                job()
            finally:
                with self._changed:
                    self._unfinished -= 1
                    self._changed.notify_all()


class Conversation:
    """The session of one client on two pipes.

    warm_up: called in a worker after the first answer, when the client is quiet.
    """

    def __init__(self, server: Server, source: int, sink: int, *, warm_up: Callable[[], None]) -> None:
        self._server = server
        self._source = source
        self._wake_read, self._wake_write = os.pipe()  # a byte in it wakes the loop and ends it
        os.set_blocking(self._wake_write, False)
        self._output = Output(sink, self.stop)
        self._peer = Peer(self._output.send)
        self._workers = Workers()
        self._warm_up: Callable[[], None] | None = warm_up
        self._has_answered = False

    def stop(self) -> None:
        """End the session, from any thread; running calls are withdrawn."""
        self._peer.withdraw()
        with contextlib.suppress(OSError):  # a full pipe wakes the loop too
            os.write(self._wake_write, b"\0")

    def run(self) -> bool:
        """Answer until the end; returns whether all calls finished."""
        patience_s = LAST_S if self._listen() else GRACE_S
        if self._workers.drain(patience_s):
            return True
        self._peer.withdraw()
        return self._workers.drain(LAST_S)

    def _listen(self) -> bool:
        """Read lines until the input ends; returns whether something else ended it first."""
        lines, parent = Lines(), os.getppid()
        while True:
            quiet_s = QUIET_S if self._has_answered and self._warm_up else PARENT_S
            ready = select.select([self._source, self._wake_read], [], [], quiet_s)[0]
            if self._wake_read in ready:
                return True
            if not ready:
                if os.getppid() != parent:
                    return True
                self._rest()
                continue
            chunk = self._read()
            for line in lines.feed(chunk):
                self._take(line)
            if not chunk:
                self._take(lines.rest())
                return False

    def _read(self) -> bytes:
        try:
            return os.read(self._source, CHUNK_BYTES)
        except OSError:
            return b""

    def _rest(self) -> None:
        if self._has_answered and self._warm_up:
            self._workers.submit(partial(_log_errors, self._server.log, self._warm_up))
            self._warm_up = None

    def _take(self, line: bytes | None) -> None:
        if line is None:
            self._output.send(failure(ProtocolError(PARSE_ERROR, f"A line is at most {LINE_BYTES} bytes")))
        elif line and not line.isspace():
            try:
                message = decode(line)
            except ProtocolError as problem:
                self._output.send(failure(problem))
            else:
                self._dispatch(message)

    def _dispatch(self, message: Message) -> None:
        if calls(message):
            self._peer.expect(*calls(message))
            self._workers.submit(partial(_log_errors, self._server.log, partial(self._respond, message)))
        else:
            self._respond(message)

    def _respond(self, message: Message) -> None:
        reply = answer(self._server, self._peer, message)
        self._peer.settle(*calls(message))
        if reply is not None:
            self._output.send(reply)
            self._has_answered = True


# Written by `make reference`, one tool a line. Computing the definitions takes half of the time that a server needs to
# start, and clients wait for it with little patience. A test compares the file with the operations.
TOOLS = Path(__file__).with_name("tools.jsonl")


def listed(toolset: str) -> list[dict[str, Any]] | None:
    """Return the precomputed definitions of a toolset; None if the file does not have them."""
    try:
        rows = msgspec.json.decode(b"[" + TOOLS.read_bytes().strip().replace(b"\n", b",") + b"]")
        tools = {row["name"]: row for row in rows}
        names = tool_names(toolset)
        return list(tools.values()) if names is None else [tools[name] for name in names]
    except (OSError, msgspec.MsgspecError, KeyError, TypeError):
        return None


class LazyEngine:
    """The engine of a server, imported and opened once, when first needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._listener: HookSocket | None = None

    def engine(self) -> Engine:
        with self._lock:
            if self._engine is None:
                from recollect.engine import Engine

                self._engine = Engine(self._settings)
                self._engine.scope.enter("")  # the settings name the project, if there is one
                self._engine.context.writes_as = "assistant"
                self._engine.context.write_roots = write_roots(self._settings)
            return self._engine

    def operations(self) -> Mapping[str, Operation]:
        from recollect.capabilities import OPERATIONS

        return OPERATIONS

    def call(self, row: Operation, arguments: Mapping[str, Any]) -> Record:
        return row.call(self.engine(), arguments)

    def warm_up(self) -> None:
        """Keep derived state up to date from now on, and answer hooks."""
        from recollect.surface.cli.output import log_to_stderr
        from recollect.surface.hooks.hook_socket import HookSocket

        log_to_stderr(self._settings.log_level)
        self.engine().start_background()
        self._listener = HookSocket(self._settings.home_path, self._answer, log)
        self._listener.start()

    def _answer(self, payload: bytes, event: str, assistant: str, wanted: Callable[[], bool]) -> bytes:
        from recollect.surface.hooks.hook_output import answered

        return answered(self.engine(), payload, event, assistant, wanted=wanted)

    def close(self) -> None:
        if self._listener is not None:
            self._listener.stop()
        with self._lock:
            if self._engine is not None:
                self._engine.close()


def main(settings: Settings) -> int:
    """Serve MCP on standard input and output until the client disconnects or a signal; returns exit code 0.

    It keeps both streams, so it must be the last thing a process does.
    """
    engine = LazyEngine(in_project(settings))
    server = Server(engine.operations, engine.call, toolset=settings.toolset, listed=listed, log=log)
    return serve(server, warm_up=engine.warm_up, close=engine.close)


def project_folder() -> str:
    """Return the folder that the assistant works in; "" for the home folder or the root."""
    try:
        folder = os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()  # noqa: PTH109 - pathlib is not loaded yet
    except OSError:
        return ""
    return "" if folder in (os.path.expanduser("~"), "/") else folder  # noqa: PTH111


def write_roots(settings: Settings) -> tuple[str, ...]:
    """Return the folders in which a server may write files that a model names: the project, and our home."""
    from recollect.engine import work_tree

    folder = project_folder()
    whole = work_tree(folder) if folder else ""
    project = folder if whole in (os.path.realpath(os.path.expanduser("~")), "/") else whole  # noqa: PTH111
    return (*([project] if project else []), str(settings.home_path))


def in_project(settings: Settings) -> Settings:
    """Return settings whose default project is the one the assistant works in, unless they name another.

    Assistants start their servers in the project folder. Some start one for all projects, in the home folder or the
    root: its memories belong to no project.
    """
    folder = project_folder()
    if settings.namespace or not folder:
        return settings
    rows = {row.setting.name: row for row in settings.rows()}
    rows["namespace"] = rows["namespace"]._replace(value=folder, source="the folder the server was started in")
    return type(settings)(rows, settings.ignored)


def serve(server: Server, *, warm_up: Callable[[], None], close: Callable[[], None]) -> int:
    """Serve any server as `main` does; `close` is called at the end if no call is still running."""
    source, sink = claim_streams()
    if os.isatty(source):
        log("serving MCP on standard input; an assistant usually starts this. Ctrl-C ends it.")
    conversation = Conversation(server, source, sink, warm_up=warm_up)
    _stop_on_signals(conversation.stop)
    if not conversation.run():
        os._exit(0)  # a call is stuck in code that cannot be interrupted
    signal.setitimer(signal.ITIMER_REAL, GRACE_S)
    _log_errors(log, close)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return 0


def claim_streams() -> tuple[int, int]:
    """Return private copies of standard input and output; replace them by an empty input and standard error."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: the one that is missing
    source, sink = os.dup(0), os.dup(1)
    os.set_blocking(sink, True)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return source, sink


def log(text: str) -> None:
    """Write a line to standard error, if it is open."""
    from recollect.render.untrusted import visible

    with contextlib.suppress(OSError):
        os.write(2, f"recollect: {visible(text)}\n".encode())


def _stop_on_signals(stop: Callable[[], None]) -> None:
    """Make termination signals end the session, and an alarm end the process if that takes too long."""

    def go(number: int, frame: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 2 * LAST_S)
        stop()

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, go)


def _log_errors(log: Callable[[str], None], job: Callable[[], None]) -> None:
    """Run `job`; log what it raises."""
    try:
        job()
    except Exception as problem:
        log(f"{type(problem).__name__}: {problem}")
