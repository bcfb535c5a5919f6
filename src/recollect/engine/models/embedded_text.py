"""Embedded text: what is embedded of a memory, and which memories to embed again because their links changed.

A change of a memory's fields deletes its vectors (store.transaction). A change of its links does not touch the memory,
so the embedder reads the change log from where it stopped last time:

    changes of links ──► memories at their ends ──► new vectors ──► "read up to here", kept with the model's id

A text is enriched by what the memory belongs to:

    documented   [decision] [namespace:/home/me/app] [tags:rust,perf,ext:rs]
                 Related: -> Cache design (PART_OF); <- Config struct (RELATES_TO)
                 We keep the index in memory because …

    lean         Cache design; rust; perf
                 We keep the index in memory because …

    off          We keep the index in memory because …

Lean leaves out what a thousand memories share: type, namespace, markup, incoming links. docs/adr/0006 gives the default
and the numbers. Vectors of one enrichment are never compared with those of another.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from recollect.engine.records.memory_rows import node_id
from recollect.model import Change, Edge, Memory, Node
from recollect.store.store_values import Range
from recollect.text.passages import passages
from recollect.text.terms import given_tags

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.store.sql import Store


# As in document 002.
MAX_RELATIONS = 8
# Links by similarity or order, not by subject.
COMPARED = frozenset({"SIMILAR_TO", "SHARES_THEME", "SUMMARIZES", "PRECEDED_BY"})
# A possible change that is less probable may be about something else (recall/amend.py, SURE_READ).
LEAST_CONTRARY = 0.8


class Related(NamedTuple):
    """The other end of a link: its label, the relationship, and whether the link leads to it."""

    label: str
    relationship: str
    outgoing: bool


def enrich_memory_text(memory: Memory, relations: Sequence[Related], text: str) -> str:
    """Return a text behind the memory's type, namespace, tags and links, as in document 002."""
    marks = [f"[{memory.memory_type}]"]
    if memory.namespace:
        marks.append(f"[namespace:{memory.namespace}]")
    if memory.tags:
        marks.append(f"[tags:{','.join(memory.tags)}]")
    links = "; ".join(
        f"{'->' if each.outgoing else '<-'} {each.label} ({each.relationship})" for each in relations[:MAX_RELATIONS]
    )
    return "\n".join((" ".join(marks), *([f"Related: {links}"] if links else ()), text))


def name_memory_text(memory: Memory, relations: Sequence[Related], text: str) -> str:
    """Return a text behind the names of linked memories and tags.

    Links by similarity, tags of tools (`ext:rs`), and the tags by which capture marks a statement, are left out.
    """
    links = [each.label for each in relations if each.outgoing and each.relationship not in COMPARED]
    names = dict.fromkeys((*links[:MAX_RELATIONS], *(tag for tag in given_tags(memory.tags) if ":" not in tag)))
    return f"{'; '.join(names)}\n{text}" if names else text


class Enrichment(NamedTuple):
    """An enrichment: its function, the ends of a link whose text it changes, and ignored relationships."""

    enrich: Callable[[Memory, Sequence[Related], str], str]
    ends: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()


ENRICHMENTS: Mapping[str, Enrichment] = {
    "off": Enrichment(lambda _memory, _relations, text: text),
    "lean": Enrichment(name_memory_text, ends=("src",), ignored=COMPARED),
    "documented": Enrichment(enrich_memory_text, ends=("src", "dst")),
}


# Changes read at once: most are not about links, and those that are not are passed over in microseconds.
PAGE = 256
# Memories embedded again together: a search that makes vectors may exceed its limit by so many.
FEW = 32
# How far the log was read is kept after links changed, and else once per this many changes: it costs a write, and
# reading so many changes again costs less.
STEP = 256

_MEMORY = node_id("")


class Outdated(NamedTuple):
    """Memories whose links changed, and the number of the last change that this is about."""

    memory_ids: tuple[str, ...]
    change: int


class Enricher:
    """Writes the text that is embedded, by the enrichment that is set."""

    def __init__(self, context: "Context") -> None:
        self._context = context
        # Up to where this process has seen links; another one may be further, with vectors older than what it read.
        self._seen: int | None = None

    @property
    def suffix(self) -> str:
        """The suffix of the model id that marks vectors of this enrichment."""
        name = self._context.settings.enrichment
        return "" if name == "off" else f"+{name}"

    def texts(self, memory: Memory) -> list[str]:
        """Return the texts that are embedded: each passage with its enrichment and headline."""
        relations = related(self._context.store, memory.id) if self._way.ends else []
        title = f"{memory.title}\n" if memory.title else ""
        return [self._way.enrich(memory, relations, title + passage) for passage in passages(memory.content)]

    def begin(self, model: str) -> None:
        """Note the end of the change log before the first links are read for a model."""
        if not self._way.ends or self._seen is not None:
            return
        store, newest = self._context.store, self._newest()
        kept = store.setting(_key(model))
        if kept is None and not store.describe().read_only:
            store.keep_setting(_key(model), str(newest))
        self._seen = newest if kept is None else min(int(kept), newest)

    def behind(self, model: str, newest: int | None = None) -> bool:
        """Tell whether anything changed since links were last read; never, where links are not embedded.

        newest: the number of the last change, where the caller knows it
        """
        self.begin(model)
        return self._seen is not None and (self._newest() if newest is None else newest) > self._seen

    def outdated(self, model: str) -> Iterator[Outdated]:
        """Yield the memories whose links changed since they were last read, a few at a time.

        The next are those after what is `done` by then.
        """
        while self.behind(model):
            # By number alone: an index of what a change is about would bring back all that ever was about links.
            where = {"seq": Range((self._seen or 0) + 1)}
            touched: dict[str, None] = {}
            for change in self._context.store.find(Change, where, order="seq", limit=PAGE):
                touched.update(dict.fromkeys(self._touched(change)))
                if len(touched) >= FEW:
                    break
            yield Outdated(tuple(touched), change.seq)

    def done(self, model: str, change: int, *, links: bool) -> None:
        """Note that vectors of a model have the links as of a change; links: whether any changed."""
        self._seen = change
        store = self._context.store
        kept = int(store.setting(_key(model)) or 0)
        if change > kept and (links or change - kept >= STEP):
            store.keep_setting(_key(model), str(change))

    @property
    def _way(self) -> Enrichment:
        return ENRICHMENTS[self._context.settings.enrichment]

    def _newest(self) -> int:
        return self._context.store.generation()[2]

    def _touched(self, change: Change) -> Iterator[str]:
        """Yield the memories whose embedded text a changed link or node label changes."""
        store, edges = self._context.store, list[dict[str, Any]]()
        if change.entity == "graph_edges":
            edges = [msgspec.structs.asdict(edge) for edge in store.get(Edge, [change.entity_id])]
            edges += [change.before] if change.before else []
        elif change.entity == "graph_nodes" and change.action == "update":
            now = store.get(Node, [change.entity_id])
            if now and now[0].label != (change.before or {}).get("label"):
                both = (store.find(Edge, {side: change.entity_id}) for side in ("src", "dst"))
                edges = [msgspec.structs.asdict(edge) for found in both for edge in found]
        for edge in edges:
            for end in (edge[side] for side in self._way.ends if edge["relationship"] not in self._way.ignored):
                if end.startswith(_MEMORY):
                    yield end.removeprefix(_MEMORY)


def related(store: "Store", memory_id: str) -> list[Related]:
    """Return the strongest links of a memory, as many of either direction as are embedded."""
    own = node_id(memory_id)
    edges = [
        edge
        for side in ("src", "dst")
        for edge in store.find(Edge, {side: own}, order="-weight", limit=MAX_RELATIONS)
        if edge.src != edge.dst and (edge.relationship != "CONTRADICTS" or edge.weight >= LEAST_CONTRARY)
    ]
    edges.sort(key=lambda edge: -edge.weight)
    ends = [edge.dst if edge.src == own else edge.src for edge in edges]
    labels = {node.id: node.label for node in store.get(Node, ends)}
    return [
        Related(labels.get(end) or end, edge.relationship, edge.src == own)
        for edge, end in zip(edges, ends, strict=True)
    ]


def _key(model: str) -> str:
    return f"links_embedded/{model}"
