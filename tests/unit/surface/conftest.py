"""A server over a small table of its own, to test the protocol without an engine; and one over an engine."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from tests.trees import git, write

from recollect.errors import Cancelled, MemoryNotFound
from recollect.model import Limit, Record
from recollect.operations import collect, operation
from recollect.progress import report
from recollect.settings import load
from recollect.surface.mcp.jsonrpc import decode, encode
from recollect.surface.mcp.server import Peer, Server, answer
from recollect.surface.mcp.stdio import LazyEngine, in_project


class Note(Record, frozen=True, kw_only=True):
    """A note, and the notes below it."""

    id: str
    text: str
    title: str | None = None
    kind: Literal["short", "long"] = "short"
    weights: dict[str, float] = msgspec.field(default_factory=dict)
    below: "tuple[Note, ...]" = ()


class Notes(Record, frozen=True, kw_only=True):
    """Some notes."""

    notes: tuple[Note, ...]
    total: int


class Nothing(Record, frozen=True, kw_only=True):
    """No field is required."""

    remark: str = ""


class Pad:
    """A noun with one operation of every kind the protocol has to offer or survive."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.on_step: Callable[[int], None] = lambda step: None

    @operation("store_memory", "store", aliases=("remember",))
    def store(self, text: str, kind: Literal["short", "long"] = "short", title: str | None = None) -> Note:
        """Keep a note. It is kept.

        A second paragraph.

        text: what to keep
        """
        self.on_step(0)
        self.ran.append("store")
        return Note(id="1", text=text, kind=kind, title=title, below=(Note(id="2", text="below"),))

    @operation("recall_memory", "recall", read_only=True, listed=("limit",))
    def recall(self, query: str, limit: Limit = 5, newest: bool = False) -> Notes:
        """Find notes.

        query: what to look for
        limit: how many at most
        newest: newest first
        """
        return Notes(notes=tuple(Note(id=str(number), text=query) for number in range(limit)), total=limit)

    @operation("delete_memory", "delete", destructive=True)
    def delete(self, note_id: str) -> Nothing:
        """Forget a note."""
        raise MemoryNotFound(f"no note {note_id}", hint="Look again.", id=note_id)

    @operation("count", "count", idempotent=True)
    def count(self, steps: int, said_total: int | None = None) -> Nothing:
        """Count, and say so."""
        for step in range(1, steps + 1):
            self.on_step(step)
            self.ran.append(f"step {step}")
            report(step, said_total, f"step {step}")
        return Nothing()

    @operation("fail", "fail")
    def fail(self) -> Nothing:
        """Fail in a way nobody thought of."""
        raise ZeroDivisionError("a defect")

    @operation("give_up", "give-up")
    def give_up(self) -> Nothing:
        """Stop of its own accord."""
        raise Cancelled("tired")


class Desk:
    """One client at a server, with everything either of them was told."""

    def __init__(self, **options: Any) -> None:
        self.pad = Pad()
        self.table = collect({"pad": Pad})
        self.logged: list[str] = []
        self.emitted: list[dict[str, Any]] = []
        settings: dict[str, Any] = {"toolset": "all", "log": self.logged.append}
        self.server = Server(lambda: self.table, lambda row, given: row.call(self, given), **(settings | options))
        self.peer = Peer(self.emitted.append)

    def tell(self, message: Any) -> Any:
        """Send one message and return what comes back, through the same bytes a client would see."""
        reply = answer(self.server, self.peer, decode(msgspec.json.encode(message)))
        return None if reply is None else decode(encode(reply))

    def ask(self, method: str, params: Any = None, request_id: Any = 1) -> Any:
        """Send a request and return its result, or its error where it has one."""
        message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        reply = self.tell(message if params is None else message | {"params": params})
        assert reply["jsonrpc"] == "2.0"
        assert reply["id"] == request_id
        return reply["error"] if "error" in reply else reply["result"]

    def call(self, tool: str, /, _meta: Any = None, **arguments: Any) -> Any:
        """Call a tool and return its result."""
        params = {"name": tool, "arguments": arguments}
        return self.ask("tools/call", params if _meta is None else params | {"_meta": _meta})


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def make_desk() -> type[Desk]:
    """Makes a desk with options of Server."""
    return Desk


SHOP = """class Cart:
    def total(self):
        return 1


def total_of(cart):
    return cart.total()


def total(cart):
    return total_of(cart)
"""


class ProjectDesk(Desk):
    """One client at a server over an engine, in the project `shop`."""

    def __init__(self) -> None:
        super().__init__()
        self.backing = LazyEngine(in_project(load()))
        self.server = Server(self.backing.operations, self.backing.call, log=self.logged.append)

    @property
    def engine(self) -> Any:
        return self.backing.engine()

    def store(self, content: str, **fields: Any) -> str:
        """Store a memory of the project and return its id."""
        name: str = self.engine.memories.store(content, **fields).memory.id
        return name


@pytest.fixture
def project(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProjectDesk]:
    """A desk in a repository, without memories and not indexed."""
    monkeypatch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    write(tmp_path / "shop", {"shop/prices.py": SHOP})
    git(tmp_path / "shop", "init", "-q")
    monkeypatch.chdir(tmp_path / "shop")
    desk = ProjectDesk()
    yield desk
    desk.backing.close()
    assert desk.logged == []
