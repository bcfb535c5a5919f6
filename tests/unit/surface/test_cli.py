"""The command line over a small table of its own: words in, an answer and an exit code out, no engine needed."""

import io
import json
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import pytest

from recollect.errors import Conflict, MemoryNotFound, NotFound, RecollectError
from recollect.model import Check, Deleted, Exported, Health, Memory, NamespaceCount, Ratio, Stored
from recollect.operations import collect, operation
from recollect.progress import report
from recollect.surface.cli import main
from recollect.surface.cli.arguments import reworded
from recollect.surface.cli.command_table import commands
from recollect.surface.cli.help import EXIT_CODES
from recollect.surface.cli.run import Backend, run
from recollect.version import __version__

KEPT = Memory(id="m1", content="We use tabs", created_at=1, updated_at=1)


class Shelf:
    """A noun with one operation of every kind a command line has to backend or survive."""

    def __init__(self) -> None:
        self.given: list[dict[str, Any]] = []
        self.on_step: Callable[[int], None] = lambda step: None

    @operation("store_memory", "store")
    def store(
        self,
        content: str,
        *,
        memory_type: Literal["decision", "context"] = "context",
        importance: Ratio = 0.5,
        tags: tuple[str, ...] = (),
        metadata: dict[str, Any] | None = None,
        pinned: bool = False,
    ) -> Stored:
        """Keep a memory. It is kept.

        All of it, 100 % of it.

        content: what to keep
        importance: from 0 to 1
        """
        self.given.append({"content": content, "tags": tags, "metadata": metadata, "pinned": pinned})
        return Stored(memory=KEPT, created=True)

    @operation("get_memory", "get", read_only=True)
    def get(self, memory_id: str) -> Memory:
        """Read a memory."""
        if memory_id != "m1":
            raise MemoryNotFound(f"no memory {memory_id}", id=memory_id)
        return KEPT

    @operation("delete_memory", "delete", destructive=True)
    def delete(self, memory_id: str) -> Deleted:
        """Delete a memory."""
        return Deleted(deleted=1, batch="b1")

    @operation("delete_namespace", "delete-namespace", destructive=True)
    def delete_namespace(self, namespace: str) -> Deleted:
        """Delete a namespace."""
        return Deleted(deleted=9, batch="b1")

    @operation("burn", "burn", destructive=True)
    def burn(self) -> Deleted:
        """Burn the shelf, which no table of questions knows."""
        return Deleted(deleted=9, batch="b1")

    @operation("undo", "undo", positional=("batch",))
    def undo(self, batch: str | None = None) -> NamespaceCount:
        """Take something back."""
        return NamespaceCount(namespace=batch, memories=0)

    @operation("count", "count")
    def count(self, steps: int) -> NamespaceCount:
        """Count, and say so."""
        for step in range(steps):
            self.on_step(step)
            report(step, steps, "counting")
        return NamespaceCount(namespace=None, memories=steps)

    @operation("health", "health", read_only=True)
    def health(self, status: Literal["ok", "degraded", "failed"]) -> Health:
        """Tell how it is."""
        return Health(status=status, version="1", checks=(Check(name="disk", status=status, detail="looked"),))

    @operation("export_memories", "export", read_only=True)
    def export(self) -> Exported:
        """Export."""
        return Exported(lines=1, memories=1, content='{"content":"\\u001b"}\n')

    @operation("fail", "fail")
    def fail(self, how: Literal["defect", "conflict", "interrupt", "bytes"]) -> Memory:
        """Fail in some way."""
        raise {
            "defect": ZeroDivisionError("a \udcff defect"),
            "conflict": Conflict("changed meanwhile"),
            "interrupt": KeyboardInterrupt(),
            "bytes": UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"),
        }[how]


class Result(NamedTuple):
    """What one run left behind."""

    code: int
    out: str
    err: str
    given: list[dict[str, Any]]
    opened: list[Any]

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        assert self.out.count("\n") == 1
        return json.loads(self.out)


class Desk:
    """The engine of the tests: one noun."""

    def __init__(self) -> None:
        self.shelf = Shelf()


Recollect = Callable[..., Result]


@pytest.fixture
def recollect(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Recollect:
    def call(*words: str, stdin: bytes = b"", on_step: Callable[[int], None] | None = None) -> Result:
        desk, opened = Desk(), []
        desk.shelf.on_step = on_step or desk.shelf.on_step
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))

        @contextmanager
        def open_engine(settings: Any) -> Iterator[Desk]:
            opened.append(settings)
            yield desk

        code = run(words, Backend(lambda: collect({"shelf": Shelf}), open_engine))
        out, err = capsys.readouterr()
        return Result(code, out, err, desk.shelf.given, opened)

    return call


def test_an_answer_is_text_for_a_pipe_and_one_line_of_json_when_asked(recollect: Recollect) -> None:
    assert "We use tabs" in recollect("get", "m1").out
    assert recollect("get", "m1", "--json").json["content"] == "We use tabs"
    assert recollect("get", "m1").code == 0


def test_global_options_may_stand_before_or_after_the_command(recollect: Recollect) -> None:
    for words in (
        ("--json", "--database", "/x/y.db", "get", "m1"),
        ("get", "m1", "--json", "--database", "/x/y.db"),
        ("--database=/x/y.db", "get", "--json", "m1"),
    ):
        result = recollect(*words)
        assert result.json["id"] == "m1"
        assert str(result.opened[0].database_path) == "/x/y.db"


def test_parameters_are_written_by_their_type(recollect: Recollect) -> None:
    result = recollect(
        "store", "text", "--tags", "a,b", "--tags", "c", "--tags", '["d,e"]',
        "--metadata", '{"n": 1}', "--pinned", "--importance", "0.7", "--type", "decision",
    )  # fmt: skip
    assert result.given == [{"content": "text", "tags": ("a", "b", "c", "d,e"), "metadata": {"n": 1}, "pinned": True}]
    assert recollect("store", "text", "--no-pinned").given[0]["pinned"] is False


def test_an_optional_argument_by_position_may_be_left_out(recollect: Recollect) -> None:
    assert recollect("undo", "--json").json["namespace"] is None
    assert recollect("undo", "b7", "--json").json["namespace"] == "b7"


def test_text_that_begins_with_a_dash_is_text_after_two_dashes(recollect: Recollect) -> None:
    assert recollect("store", "--", "--json").given[0]["content"] == "--json"
    assert recollect("store", "- a list item").given[0]["content"] == "- a list item"


def test_a_dash_reads_standard_input_without_its_last_newline(recollect: Recollect) -> None:
    assert recollect("store", "-", stdin="größe\nzwei\n".encode()).given[0]["content"] == "größe\nzwei"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("serch", "x"), ""),
        (("stroe", "x"), "Did you mean `recollect store`?"),
        (("store", "x", "--tgas", "a"), "Did you mean --tags?"),
        (("--jsn", "store", "x"), "Did you mean --json?"),
        (("--tags", "a", "store", "x"), "Write the options of a command after its name."),
        (("store", "x", "--memory-type", "decison"), "Did you mean decision? Allowed: decision, context."),
        (("store", "two", "words"), 'Put the text in quotes: recollect store "two words"'),
        (("store",), ""),
        (("store", "x", "--importance", "7"), ""),
        (("store", "x", "--importance", "much"), ""),
        (("store", "x", "--metadata", "{"), ""),
        (("store", "x", "--metadata", "[1]"), ""),
        (("store", "x", "--tags"), ""),
        (("store", "x", "--importance", "\udcff"), ""),
        (("st\udcff",), ""),
        (("completion", "tcsh"), ""),
        (("help", "nothing"), ""),
    ],
)
def test_what_cannot_be_understood_is_invalid_input_with_a_hint(
    recollect: Recollect, words: tuple[str, ...], hint: str
) -> None:
    plain = recollect(*words)
    assert plain.code == 2
    assert plain.out == ""
    assert "code: INVALID_INPUT" in plain.err
    error = recollect(*words, "--json").json["error"]
    assert error["code"] == "INVALID_INPUT"
    assert hint in error["hint"]
    assert not plain.given


def test_a_hint_names_commands_instead_of_tools() -> None:
    store = commands(collect({"shelf": Shelf})).by_path["store"]
    hint = "search_symbols finds symbols; get_impact shows callers of open_file."
    shown = reworded(NotFound("no symbol x", hint=hint), store)
    assert shown.hint == "`recollect symbols` finds symbols; `recollect impact` shows callers of open_file."


def test_standard_input_that_is_no_utf8_is_invalid_input(recollect: Recollect) -> None:
    result = recollect("store", "-", "--json", stdin=b"a\xffb")
    assert (result.code, result.json["error"]["code"], result.given) == (2, "INVALID_INPUT", [])


@pytest.mark.parametrize(
    ("words", "code", "name"),
    [
        (("get", "m2"), 3, "MEMORY_NOT_FOUND"),
        (("fail", "conflict"), 4, "CONFLICT"),
        (("fail", "defect"), 1, "INTERNAL_ERROR"),
        (("fail", "interrupt"), 130, "CANCELLED"),
        (("fail", "bytes"), 2, "INVALID_INPUT"),
    ],
)
def test_an_error_has_its_exit_code_and_one_shape(
    recollect: Recollect, words: tuple[str, ...], code: int, name: str
) -> None:
    shown = recollect(*words, "--json")
    assert shown.code == code
    assert shown.err == ""
    assert set(shown.json["error"]) == {"code", "message", "hint", "retryable", "details"}
    assert shown.json["error"]["code"] == name
    plain = recollect(*words)
    assert (plain.code, plain.out) == (code, "")
    assert f"code: {name}" in plain.err


def test_a_defect_shows_its_trace_only_when_asked(recollect: Recollect) -> None:
    assert "Traceback" not in recollect("fail", "defect").err
    assert "Traceback" in recollect("fail", "defect", "-v").err


def test_a_bad_setting_is_a_config_error(recollect: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_TOOLSET", "half")
    result = recollect("get", "m1", "--json")
    assert (result.code, result.json["error"]["code"]) == (5, "BAD_SETTING")


@pytest.mark.parametrize(("status", "code"), [("ok", 0), ("degraded", 0), ("failed", 6)])
def test_only_failed_health_is_an_exit_code(recollect: Recollect, status: str, code: int) -> None:
    result = recollect("health", status, "--json")
    assert (result.code, result.json["status"]) == (code, status)


def test_an_export_without_a_path_is_its_content_and_nothing_else(recollect: Recollect) -> None:
    assert recollect("export").out == '{"content":"\\u001b"}\n'
    assert recollect("export", "--json").json["lines"] == 1


@pytest.mark.parametrize("words", [("delete-namespace", "web"), ("burn",)])
def test_what_destroys_much_is_not_done_unasked(recollect: Recollect, words: tuple[str, ...]) -> None:
    refused = recollect(*words, "--json")
    assert (refused.code, refused.json["error"]["code"], refused.opened) == (2, "INVALID_INPUT", [])
    assert "--yes" in refused.json["error"]["hint"]
    assert recollect(*words, "--yes", "--json").json["deleted"] == 9


def test_one_memory_is_deleted_without_a_question(recollect: Recollect) -> None:
    assert recollect("delete", "m1", "--json").json["deleted"] == 1


def test_progress_is_silent_in_a_pipe_and_lines_when_asked(recollect: Recollect) -> None:
    assert recollect("count", "100").err == ""
    lines = recollect("count", "100", "-v").err.splitlines()
    assert lines[:2] == ["counting: 0 of 100", "counting: 10 of 100"]
    assert len(lines) == 10


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Make Ctrl-C interrupt, as at a terminal: a run in the background starts with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_work_at_its_next_report(recollect: Recollect) -> None:
    steps: list[int] = []

    def step(number: int) -> None:
        steps.append(number)
        if number == 3:
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    result = recollect("count", "100", "--json", on_step=step)
    assert (result.code, result.json["error"]["code"], steps[-1]) == (130, "CANCELLED", 3)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_before_the_first_report_ends_work_at_once(recollect: Recollect) -> None:
    result = recollect("count", "100", "--json", on_step=lambda number: signal.raise_signal(signal.SIGINT))
    assert (result.code, result.json["error"]["message"]) == (130, "cancelled")


def test_help_all_lists_every_command(recollect: Recollect) -> None:
    result = recollect("help", "--all")
    assert result.code == 0
    for path in commands(collect({"shelf": Shelf})).by_path:
        assert f"\n  {path} " in result.out
    assert recollect().out in recollect("--help").out
    assert recollect("--help").out == recollect("help").out
    assert "--database FILE" in recollect("--help").out


def test_help_explains_one_command(recollect: Recollect) -> None:
    shown = recollect("help", "store")
    assert shown.code == 0
    for part in (
        "recollect store TEXT",
        "All of it, 100 % of it.",
        "-t, --type TYPE",
        "decision, context",
        "(default: 0.5)",
        'Example:\n  recollect store "',
        "See also: search",
        "--json",
    ):
        assert part in shown.out
    assert "(default: context)" in " ".join(shown.out.split())
    assert recollect("store", "--help").out == recollect("-h", "store").out == shown.out
    assert "--yes" in recollect("help", "burn").out
    assert "--yes" not in recollect("help", "delete").out


def test_help_documents_the_exit_code_of_every_error(recollect: Recollect) -> None:
    def tree(kind: type[RecollectError]) -> Iterator[type[RecollectError]]:
        yield kind
        for child in kind.__subclasses__():
            yield from tree(child)

    documented = {code for code, _meaning in EXIT_CODES}
    assert {kind.exit_status for kind in tree(RecollectError)} <= documented
    shown = recollect("help", "--all").out
    assert all(f"\n  {code}" in shown for code in documented)


def test_version_is_told_in_both_shapes(recollect: Recollect, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == recollect("get", "--version").out == f"recollect {__version__}\n"
    assert recollect("--version", "--json").json == {"version": __version__}


def test_config_tells_value_and_source_and_masks_secrets(recollect: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_EMBED_API_KEY", "sk-very-secret")
    result = recollect("config", "--database", "/x/y.db", "--json")
    rows = {row["name"]: row for row in result.json["settings"]}
    assert (rows["database"]["value"], rows["database"]["source"]) == ("/x/y.db", "argument")
    assert rows["embed_api_key"]["value"] == "********"
    assert rows["embed_model"]["source"] == "default"
    shown = recollect("config").out
    assert "sk-very-secret" not in result.out + shown
    assert re.search(r"^consolidate +true +default$", shown, re.M) and re.search(r"^http_hosts +default$", shown, re.M)
