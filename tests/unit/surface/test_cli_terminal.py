"""What a person sees at a terminal: drawn to its width, and never obeying what was remembered."""

import io

import pytest
from rich.cells import cell_len

from recollect.model import Check, Health, Hit, Memory, MemoryPage, Recall, Record, Signals
from recollect.render import to_blocks
from recollect.surface.terminal import draw

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
        assert "00000000-0000-4000-8000-000000000000" in drawn(record, 80) or record in MEMORIES[1:]


def test_remembered_text_is_neither_markup_nor_control() -> None:
    shown = "".join(drawn(record, 80) for record in RECORDS)
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[bold]not markup[/bold] :smile:" in shown
    assert "[red]x[/red]" in shown
    assert "\\x1b[31mred" in shown


def test_of_several_memories_each_shows_its_beginning_and_one_alone_all() -> None:
    recalled = drawn(RECORDS[-2], 80)
    assert "`recollect get` with the id shows all" in recalled
    assert "shows all" not in drawn(MEMORIES[0], 80)


def test_health_marks_each_check() -> None:
    shown = drawn(RECORDS[-1], 80)
    for mark in ("✔ ok", "! degraded", "✘ failed"):
        assert mark in shown
