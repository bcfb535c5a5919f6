"""What a person sees at a terminal: drawn to its width, and never obeying what was remembered."""

import io

import pytest
from rich.cells import cell_len

from recollect.model import Check, Health, Hit, Memory, MemoryPage, Recall, Record, Signals
from recollect.render import to_blocks
from recollect.surface.cli.terminal import draw

LONG = "a path like /srv/shop/src/components/checkout/index.ts and prose that goes on " * 30
MEMORIES = tuple(
    Memory(
        id=f"{number:08d}-0000-4000-8000-000000000000", content=content, namespace="/srv/shop", tags=("[red]x[/red]",)
    )
    for number, content in enumerate(
        [LONG, "[bold]not markup[/bold] :smile:", "\x1b[31mred\x1b]0;title\x07", "尺寸" * 200]
    )
)
RECORDS: tuple[Record, ...] = (
    *MEMORIES,
    MemoryPage(memories=MEMORIES, total=4),
    Recall(
        query="q",
        mode="hybrid",
        hits=tuple(Hit(memory=memory, score=0.5, reason=LONG, signals=Signals()) for memory in MEMORIES),
    ),
    Health(
        status="failed",
        version="1",
        checks=(
            Check(name="a", status="ok", detail="well"),
            Check(name="b", status="degraded", detail=LONG),
            Check(name="c", status="failed", detail="no", mend="Do."),
        ),
    ),
)


def drawn(record: Record, width: int) -> str:
    stream = io.StringIO()
    draw(to_blocks(record, 100), stream, width)
    return stream.getvalue()


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_everything_fits_the_width(record: Record, width: int) -> None:
    lines = drawn(record, width).split("\n")
    assert len(lines) > 3
    assert max(cell_len(line) for line in lines) <= width


def test_an_id_stays_in_one_piece_to_be_copied() -> None:
    for record in RECORDS[:-1]:
        assert "00000000" in drawn(record, 80) or record in MEMORIES[1:]


def test_remembered_text_is_neither_markup_nor_control() -> None:
    shown = "".join(drawn(record, 80) for record in RECORDS)
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[bold]not markup[/bold] :smile:" in shown
    assert "[red]x[/red]" in shown
    assert "\\x1b[31mred" in shown


def test_of_several_memories_each_shows_its_beginning_and_one_alone_all() -> None:
    assert drawn(RECORDS[-2], 80).count("prose that goes on") < 5
    assert drawn(MEMORIES[0], 80).count("prose that goes on") == 30


def test_ten_hits_are_about_thirty_lines_and_all_of_each_with_full() -> None:
    hits = tuple(
        Hit(memory=MEMORIES[0], score=0.9 - n / 20, reason="matches prose", signals=Signals()) for n in range(10)
    )
    recall = Recall(query="prose", mode="hybrid", hits=hits)
    lines = drawn(recall, 80).split("\n")
    assert 30 <= len(lines) <= 40
    assert [line[:2] for line in lines[1:7]] == ["1.", "  ", "  ", "2.", "  ", "  "]
    stream = io.StringIO()
    draw(to_blocks(recall, 100, full=True), stream, 80, full=True)
    assert stream.getvalue().count("importance") == 10
    assert stream.getvalue().count("00000000-0000-4000-8000-000000000000") == 10


def test_health_marks_each_check() -> None:
    shown = drawn(RECORDS[-1], 80)
    for mark in ("✔ ok", "! degraded", "✘ failed"):
        assert mark in shown
