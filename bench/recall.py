"""How well: what is recalled of conversations and documents, against labels and against plain BM25.

    python bench/recall.py --data FILE … [--out RANKED.jsonl]        questions about conversations, turn by turn
    python bench/recall.py --supersession FILE [--out RANKED.jsonl]  facts that changed, and facts that did not
    python bench/recall.py … --negative                              what should find nothing: wrong memory, small talk
    python bench/recall.py … --ablate                                what each ingredient of the ranking earns

Nothing but the public engine: every turn goes in through `memories.store`, every question is asked through
`recall.search`. Rankings are made without a threshold; what the engine's default threshold does is measured by
`--negative`. No language model judges anything: the files carry labels. Their shape: bench/conversations.py.

Prints a table, or with `--json` everything as JSON; `--save` prints the JSON too and keeps it under bench/results.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import conversations
import corpus
import measure
import metrics
from conversations import Conversation, Conversations, DocumentSet, Question
from recollect import Engine
from recollect.engine.retrieval.query_arguments import PACK_RELEVANCE

Report = dict[str, Any]

# Enough to be a project's memory, few enough to be embedded in half a minute.
CODE_MEMORIES = 500
# Where the scores of hits are cut to see what another threshold would do.
THRESHOLDS = tuple(step / 20 for step in range(1, 20))
ABLATION_COLUMNS = ("recall@10", "all@10", "mrr", "recall_1000_tokens")
# What --ablate leaves out: groups of signals (recollect.recall.score) and whole stages.
SIGNALS: dict[str, frozenset[str]] = {
    "vectors": frozenset(
        "cosine cosine_relative cosine_z cosine_alone cosine_window cosine_before cosine_after session_cosine "
        "answers_similar both reply_cosine best_cosine".split()
    ),
    "windows": frozenset(
        "words_near words_around words_before words_after covered_around covered_around_squared topic_around "
        "cosine_window cosine_before cosine_after answers_similar".split()
    ),
    "session": frozenset("session_words session_cosine opens_session".split()),
    "author": frozenset("author_named author_not_named author_of_self first_person".split()),
    "replies": frozenset("reply reply_cosine reply_words".split()),
    "form of the answer": frozenset(
        "asks follows_question length length_short tells_time tells_number tells_reason tells_name dated".split()
    ),
    "coverage": frozenset(
        "covered covered_squared covered_around covered_around_squared rarest pairs topic_around".split()
    ),
    "neutral names": frozenset({"neutral"}),
    "several sessions": frozenset({"spread"}),
    "supersession": frozenset({"supersede"}),
}
# What a changed and an unchanged fact are judged by.
SUPERSESSION_COLUMNS = {"updated": ("current_first", "current@1"), "stable": ("current@1",)}


# --- storing and asking ----------------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """What one search gave: our own ids and their scores, best first, and what it cost."""

    ranked: list[str]
    scores: list[float]
    mode: str
    cpu_ms: float


Asked = dict[tuple[str, str], Answer]  # (conversation or set, question) → answer


@contextmanager
def memory() -> Iterator[Engine]:
    """Give an engine with a home of its own, where vectors are made when we say so."""
    with tempfile.TemporaryDirectory() as folder, Engine(home=folder, embed_on_demand=0) as engine:
        yield engine


def store_conversation(engine: Engine, conversation: Conversation) -> Iterator[float]:
    """Store every turn in the conversation's namespace; yield what each cost in CPU milliseconds."""
    for session in conversation.sessions:
        for turn in session.turns:
            # A message without a word (a picture nobody described) cannot be stored and cannot be found.
            if turn.content.strip():
                yield _stored(
                    engine,
                    turn.content,
                    author=turn.speaker,
                    session_id=f"{conversation.id}/{session.id}",
                    valid_from=session.at,
                    namespace=conversation.id,
                    metadata={"turn": turn.id},
                )


def store_documents(engine: Engine, documents: DocumentSet) -> Iterator[float]:
    """Store every document in the set's namespace, oldest first; yield what each cost in CPU milliseconds."""
    for document in documents.documents:
        yield _stored(
            engine,
            document.text,
            valid_from=document.at,
            namespace=documents.id,
            metadata={"document": document.id},
        )


def _stored(engine: Engine, content: str, **values: Any) -> float:
    # Kept twice where said twice: labels name every place.
    return measure.cpu_ms(lambda: engine.memories.store(content, memory_type="context", deduplicate=False, **values))


def fill(engine: Engine, stores: Iterable[float]) -> Report:
    """Run the stores, make the vectors, warm up; return the cost of storing and, apart, of embedding."""
    samples = list(stores)
    embedding = measure.cpu_ms(engine.embedding.catch_up)
    # The first search loads what later ones share.
    engine.recall.search("warm up")
    return {
        "store_cpu_ms": measure.summary(samples),
        "embedding_cpu_ms_each": round(embedding / max(1, len(samples)), 3),
    }


def ask(
    engine: Engine, text: str, *, key: str = "", namespace: str | None = None, limit: int = 10, threshold: bool = False
) -> Answer:
    """Return what a search gives.

    key: the name in `metadata` under which our own id was stored
    threshold: leave out what the engine leaves out by default; otherwise everything it found is there
    """
    answers = []
    options = {"min_score": PACK_RELEVANCE if threshold else 0.0}
    spent = measure.cpu_ms(
        lambda: answers.append(engine.recall.search(text, limit=limit, namespace=namespace, **options))
    )
    hits = answers[0].hits
    ranked = [str(hit.memory.metadata.get(key, hit.memory.id)) for hit in hits]
    return Answer(ranked, [hit.score for hit in hits], answers[0].mode, spent)


def ask_conversations(
    engine: Engine, source: Conversations, *, limit: int = metrics.DEPTH, threshold: bool = False
) -> Asked:
    """Ask every question in its own conversation."""
    return {
        (conversation.id, question.id): ask(
            engine, question.text, key="turn", namespace=conversation.id, limit=limit, threshold=threshold
        )
        for conversation in source.conversations
        for question in conversation.questions
    }


def ask_documents(engine: Engine, sets: Sequence[DocumentSet]) -> Asked:
    """Ask every query in its own set, for all documents."""
    return {
        (documents.id, query.id): ask(
            engine, query.text, key="document", namespace=documents.id, limit=min(1000, len(documents.documents))
        )
        for documents in sets
        for query in documents.queries
    }


def write_ranked(out: TextIO | None, asked: Asked, where: str, what: str) -> None:
    """Write one line per question: the two names, and what was found, each id once."""
    for (group, question), answer in asked.items():
        if out is not None:
            line = {where: group, what: question, "ranked": metrics.distinct(answer.ranked)}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


def cost(asked: Asked) -> Report:
    """Return what questions cost and how they were answered."""
    return {
        "query_cpu_ms": measure.summary([answer.cpu_ms for answer in asked.values()]),
        "modes": dict(Counter(answer.mode for answer in asked.values())),
    }


# --- questions about conversations -----------------------------------------------------------------------------------

Ranker = Callable[[Conversation, Question], list[str]]


def by_engine(asked: Asked) -> Ranker:
    """Return the ranking of the engine as a function."""
    return lambda conversation, question: asked[conversation.id, question.id].ranked


def by_bm25(source: Conversations, *, speaker: str | None = None) -> Ranker:
    """Return the plain ranking of the same conversations as a function, as deep as ours.

    speaker: index the turns of this speaker only
    """
    indexes = {
        conversation.id: metrics.Bm25(
            {key: turn.line for key, turn in conversation.turns.items() if speaker in (None, turn.speaker)}
        )
        for conversation in source.conversations
    }
    return lambda conversation, question: indexes[conversation.id].rank(question.text)[: metrics.DEPTH]


def judge_turns(source: Conversations, ranker: Ranker) -> Report:
    """Return the means over the headline categories and per category, for published and corrected evidence."""
    report: Report = {}
    for evidence in ("evidence", "corrected"):
        rows: dict[str, list[metrics.Scores]] = {}
        for conversation, question in _labelled(source):
            ranked = ranker(conversation, question)
            scores = metrics.turn_scores(
                ranked, getattr(question, evidence), tokens=conversation.tokens, session=conversation.session_of
            )
            rows.setdefault(question.category, []).append(scores)
        headline = [row for category in rows if category in source.headline for row in rows[category]]
        report[evidence] = {
            "headline": metrics.mean(headline),
            "categories": {category: metrics.mean(rows[category]) for category in sorted(rows)},
        }
    return report


def _labelled(source: Conversations) -> Iterator[tuple[Conversation, Question]]:
    """Yield the questions that can be scored: those with evidence."""
    for conversation in source.conversations:
        for question in conversation.questions:
            if question.evidence:
                yield conversation, question


def conversation_report(source: Conversations, asked: Asked, costs: Report) -> Report:
    """Return everything about one file of conversations."""
    ours, plain = judge_turns(source, by_engine(asked)), judge_turns(source, by_bm25(source))
    user = judge_turns(source, by_bm25(source, speaker=conversations.USER)) if conversations.has_user(source) else None
    sessions = [session for conversation in source.conversations for session in conversation.sessions]
    return {
        "name": source.name,
        "conversations": len(source.conversations),
        "sessions": len(sessions),
        "sessions_without_date": sum(session.at is None for session in sessions),
        "turns": sum(len(conversation.turns) for conversation in source.conversations),
        "questions": len(asked),
        "questions_without_evidence": len(asked) - sum(1 for _ in _labelled(source)),
        "headline_categories": sorted(source.headline),
        "category_names": dict(source.category_names),
        **costs,
        **cost(asked),
        "recollect": ours,
        "bm25": plain,
        **({"bm25_user": user} if user else {}),
        "newest_first": conversations.newest_first(source, asked),
        "unanswerable": conversations.unanswerable(source, asked, PACK_RELEVANCE),
        "ratio_to_bm25": metrics.ratio(ours["evidence"]["headline"], plain["evidence"]["headline"]),
    }


# --- facts that changed ----------------------------------------------------------------------------------------------


def judge_documents(sets: Sequence[DocumentSet], ranked: Mapping[tuple[str, str], Sequence[str]]) -> Report:
    """Return the means over queries on changed facts, on facts stated once, and on the sets of chats among these."""
    rows: dict[str, list[metrics.Scores]] = {"updated": [], "stable": [], "chats": []}
    for documents in sets:
        for query in documents.queries:
            scores = metrics.document_scores(ranked[documents.id, query.id], query.current, query.superseded)
            rows["updated" if query.superseded else "stable"].append(scores)
            if documents.kind == "chats":
                rows["chats"].append(scores)
    return {name: metrics.mean(found) for name, found in rows.items()}


def plain_documents(sets: Sequence[DocumentSet], *, newest_first: bool) -> dict[tuple[str, str], list[str]]:
    """Return the plain ranking of every query, or what blind recency makes of it."""
    ranked = {}
    for documents in sets:
        index = metrics.Bm25({document.id: document.text for document in documents.documents})
        position = {document.id: number for number, document in enumerate(documents.documents)}
        for query in documents.queries:
            order = index.rank(query.text)
            ranked[documents.id, query.id] = metrics.newest_first(order, position) if newest_first else order
    return ranked


def supersession_report(name: str, sets: Sequence[DocumentSet], asked: Asked, costs: Report) -> Report:
    """Return everything about one file of document sets."""
    ours = judge_documents(sets, {key: answer.ranked for key, answer in asked.items()})
    plain = judge_documents(sets, plain_documents(sets, newest_first=False))
    return {
        "name": name,
        "sets": len(sets),
        "documents": sum(len(documents.documents) for documents in sets),
        "queries": len(asked),
        **costs,
        **cost(asked),
        "recollect": ours,
        "bm25": plain,
        "bm25_newest_first": judge_documents(sets, plain_documents(sets, newest_first=True)),
        "ratio_to_bm25": {kind: metrics.ratio(ours[kind], plain[kind]) for kind in plain},
    }


# --- what should find nothing ----------------------------------------------------------------------------------------


def wrong_conversations(engine: Engine, source: Conversations, asked: Asked) -> Report:
    """Ask every question in the next conversation, where nothing answers it, and the answerable ones where they belong.

    asked: the answers in the right conversation, without a threshold
    """
    if len(source.conversations) < 2:
        return {"name": source.name, "skipped": "needs two conversations"}
    wrong: Asked = {}
    silent = 0
    for right, other in zip(source.conversations, _next(source.conversations), strict=True):
        for question in right.questions:
            silent += not ask(engine, question.text, key="turn", namespace=other.id, threshold=True).ranked
            wrong[right.id, question.id] = ask(engine, question.text, key="turn", namespace=other.id)
    answerable = [
        (conversation, question) for conversation, question in _labelled(source) if question.category in source.headline
    ]
    cut = ask_conversations(engine, source, limit=10, threshold=True)
    without, within = _any_at_10(answerable, asked), _any_at_10(answerable, cut)
    return {
        "name": source.name,
        "wrong_conversation": {"n": len(wrong), "silent": _share(silent, len(wrong))},
        "answerable": {
            "n": len(answerable),
            "any@10": without,
            "any@10_at_threshold": within,
            "lost_points": round(100 * (without - within), 2),
        },
        "at_other_thresholds": [
            {
                "threshold": least,
                "silent": _share(sum(not _kept(answer, least) for answer in wrong.values()), len(wrong)),
                "any@10": _any_at_10(answerable, asked, least),
            }
            for least in THRESHOLDS
        ],
    }


def _next(conversations_: Sequence[Conversation]) -> list[Conversation]:
    return [*conversations_[1:], *conversations_[:1]]


def _kept(answer: Answer, least: float) -> list[str]:
    return [key for key, score in zip(answer.ranked, answer.scores, strict=True) if score >= least]


def _any_at_10(questions: Sequence[tuple[Conversation, Question]], asked: Asked, least: float = 0.0) -> float:
    found = 0
    for conversation, question in questions:
        top = metrics.distinct(_kept(asked[conversation.id, question.id], least))[:10]
        found += not set(question.evidence).isdisjoint(top)
    return _share(found, len(questions))


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def unrelated_prompts(engine: Engine, name: str, namespaces: Sequence[str | None], limit: int | None) -> Report:
    """Ask everyday prompts in every namespace of a code memory, and in all of it at once."""
    prompts = conversations.UNRELATED_PROMPTS[:limit]
    report: Report = {"name": name, "prompts": len(prompts)}
    scopes: dict[str, Sequence[str | None]] = {"each_namespace": namespaces, "all_at_once": [None]}
    for scope, names in scopes.items():
        pairs = list(itertools.product(prompts, names))
        spoken = [pair for pair in pairs if ask(engine, pair[0], namespace=pair[1], threshold=True).ranked]
        best = [max(ask(engine, text, namespace=where).scores, default=0.0) for text, where in pairs]
        report[scope] = {
            "n": len(pairs),
            "silent": _share(len(pairs) - len(spoken), len(pairs)),
            "loudest": [text for text, _ in Counter(text for text, _ in spoken).most_common(10)],
            "silent_at_other_thresholds": {
                str(least): _share(sum(score < least for score in best), len(best)) for least in THRESHOLDS
            },
        }
    return report


def code_memory(engine: Engine) -> None:
    """Store sentences from documentation, for want of a file with documents about code."""
    fill(engine, (_stored(engine, text, namespace="code") for text in corpus.memories(CODE_MEMORIES)))


# --- what each ingredient earns --------------------------------------------------------------------------------------


@contextmanager
def leaving_out(engine: Engine, names: frozenset[str]) -> Iterator[None]:
    """Have the engine rank without some signals for a while; nothing is stored or embedded anew."""
    before, engine.recall.leave_out = engine.recall.leave_out, names
    try:
        yield
    finally:
        engine.recall.leave_out = before


def ablate(engine: Engine, name: str, score: Callable[[], Mapping[str, float]]) -> Report:
    """Return the measures with everything, and what is lost without each ingredient in turn, in points."""
    whole = dict(score())
    rows = {}
    for signal, names in SIGNALS.items():
        _say(f"{name} without {signal}")
        with leaving_out(engine, names):
            rows[signal] = {measured: round(100 * (whole[measured] - value), 2) for measured, value in score().items()}
    return {"name": name, "everything": whole, "earned_points": rows}


def turn_score(engine: Engine, source: Conversations) -> dict[str, float]:
    """Return the measures of conversations that an ablation shows."""
    ranker = by_engine(ask_conversations(engine, source))
    headline = judge_turns(source, ranker)["evidence"]["headline"]
    return {name: headline.get(name, 0.0) for name in ABLATION_COLUMNS}


def document_score(engine: Engine, sets: Sequence[DocumentSet]) -> dict[str, float]:
    """Return the measures of document sets that an ablation shows."""
    asked = ask_documents(engine, sets)
    report = judge_documents(sets, {key: answer.ranked for key, answer in asked.items()})
    return {
        f"{kind} {name}": report[kind].get(name, 0.0) for kind, names in SUPERSESSION_COLUMNS.items() for name in names
    }


# --- tables ----------------------------------------------------------------------------------------------------------


def conversation_table(report: Report) -> str:
    """Return the means of one file of conversations in per cent, ours and BM25's."""
    rows = []
    for who in ("recollect", "bm25", *(["bm25_user"] if "bm25_user" in report else [])):
        for evidence, means in report[who].items():
            suffix = ", corrected" if evidence == "corrected" else ""
            rows.append((f"{who}, headline{suffix}", means["headline"]))
            named = {f"{key} {report['category_names'].get(key, '')}".strip(): key for key in means["categories"]}
            rows.extend((f"{who}, {name}{suffix}", means["categories"][key]) for name, key in named.items())
    body = [[name, str(row["n"]), *metrics.percents(row, metrics.TURN_COLUMNS)] for name, row in rows]
    none = {"n": 0}  # results before these were measured
    newest, silent = report.get("newest_first", none), report.get("unanswerable", none)
    told = _titled(f"{report['questions']} questions", report, ["", "n", *metrics.TURN_COLUMNS.values()], body)
    return told + conversations.told(newest, silent, PACK_RELEVANCE)


def supersession_table(report: Report) -> str:
    """Return the means of one file of document sets in per cent, ours and BM25's."""
    body = [
        [f"{kind}, {who}", str(row["n"]), *metrics.percents(row, metrics.DOCUMENT_COLUMNS)]
        for kind in ("updated", "stable", "chats")
        for who in ("recollect", "bm25", "bm25_newest_first")
        for row in [report[who][kind]]
    ]
    return _titled(f"{report['queries']} queries", report, ["", "n", *metrics.DOCUMENT_COLUMNS.values()], body)


def _titled(size: str, report: Report, head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    query, store = report["query_cpu_ms"], report["store_cpu_ms"]
    return (
        f"{report['name']}: {size}, model {report['model']}, modes {report['modes']}\n\n{metrics.table(head, body)}\n"
        f"CPU ms: query p50 {query['p50']}, p95 {query['p95']}; store p50 {store['p50']}, p95 {store['p95']}; "
        f"embedding {report['embedding_cpu_ms_each']} each\n"
    )


def negative_table(report: Report) -> str:
    """Return how often nothing was said where nothing was to be said, and what that silence cost."""
    body = [[title, str(row["n"]), *metrics.percents(row, [name])] for title, row, name in _negative_rows(report)]
    return metrics.table(["", "n", "%"], body)


def _negative_rows(report: Report) -> Iterator[tuple[str, Mapping[str, float], str]]:
    for found in report["conversations"]:
        if "skipped" not in found:
            yield f"{found['name']}: wrong conversation, silent", found["wrong_conversation"], "silent"
            for name in ("any@10", "any@10_at_threshold"):
                yield f"{found['name']}: answerable, {name}", found["answerable"], name
    found = report["prompts"]
    for scope in ("each_namespace", "all_at_once"):
        yield f"{found['name']}: unrelated prompts, {scope}, silent", found[scope], "silent"


def ablation_table(report: Report) -> str:
    """Return the measures in per cent, and by how many points they change without each ingredient, the best first."""
    names = list(report["everything"])
    earned = sorted(report["earned_points"].items(), key=lambda row: -row[1][names[0]])
    rows = [["everything", *metrics.percents(report["everything"], names)]]
    rows += [[f"without {signal}", *(f"{0 - row[name]:+.1f}" for name in names)] for signal, row in earned]
    return f"{report['name']}\n\n{metrics.table(['', *names], rows)}"


TABLES: dict[str, Callable[[Report], str]] = {
    "recall": conversation_table,
    "supersession": supersession_table,
    "negative": negative_table,
    "ablation": ablation_table,
}


# --- the run ---------------------------------------------------------------------------------------------------------


def run(chosen: argparse.Namespace, out: TextIO | None) -> dict[str, Any]:
    """Measure what was asked for; return the sections of the report, each a list."""
    result: dict[str, Any] = {}
    negative: Report = {"conversations": []}
    for path in chosen.data:
        _conversations(chosen, path, out, result, negative)
    if chosen.supersession:
        _supersession(chosen, out, result, negative)
    elif chosen.negative:
        with memory() as engine:
            code_memory(engine)
            negative["prompts"] = unrelated_prompts(engine, "documentation", ["code"], chosen.limit)
    if chosen.negative:
        result["negative"] = [negative]
    return {section: result[section] for section in TABLES if section in result}


def _conversations(
    chosen: argparse.Namespace, path: Path, out: TextIO | None, result: dict[str, Any], negative: Report
) -> None:
    source = conversations.read_conversations(path, limit=chosen.limit)
    with memory() as engine:
        _say(f"storing {source.name}")
        stores = (store_conversation(engine, conversation) for conversation in source.conversations)
        costs = {"model": engine.embedding.model_id or "none", **fill(engine, itertools.chain.from_iterable(stores))}
        _say(f"asking {source.name}")
        asked = ask_conversations(engine, source)
        write_ranked(out, asked, "conversation", "question")
        result.setdefault("recall", []).append(conversation_report(source, asked, costs))
        if chosen.negative:
            _say(f"asking {source.name} what it cannot know")
            negative["conversations"].append(wrong_conversations(engine, source, asked))
        if chosen.ablate:
            score = ablate(engine, source.name, lambda: turn_score(engine, source))
            result.setdefault("ablation", []).append(score)


def _supersession(chosen: argparse.Namespace, out: TextIO | None, result: dict[str, Any], negative: Report) -> None:
    name, sets = conversations.read_document_sets(chosen.supersession, limit=chosen.limit)
    with memory() as engine:
        _say(f"storing {name}")
        stores = (store_documents(engine, documents) for documents in sets)
        costs = {"model": engine.embedding.model_id or "none", **fill(engine, itertools.chain.from_iterable(stores))}
        _say(f"asking {name}")
        asked = ask_documents(engine, sets)
        write_ranked(out, asked, "set", "query")
        result["supersession"] = [supersession_report(name, sets, asked, costs)]
        if chosen.negative:
            _say(f"asking {name} about everyday matters")
            negative["prompts"] = unrelated_prompts(engine, name, [each.id for each in sets], chosen.limit)
        if chosen.ablate:
            result.setdefault("ablation", []).append(ablate(engine, name, lambda: document_score(engine, sets)))


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, nargs="+", default=[], metavar="FILE", help="conversations, .json or .json.gz"
    )
    parser.add_argument("--supersession", type=Path, metavar="FILE", help="document sets, .json or .json.gz")
    parser.add_argument(
        "--out", type=Path, metavar="RANKED", help="write the rankings here, one JSON line per question"
    )
    parser.add_argument("--negative", action="store_true", help="ask what should find nothing")
    parser.add_argument("--ablate", action="store_true", help="repeat without each ingredient")
    parser.add_argument("--limit", type=int, metavar="N", help="questions per conversation or set, for a quick look")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results; prints JSON, too")
    chosen = parser.parse_args()
    if not (chosen.data or chosen.supersession or chosen.negative):
        parser.error("give --data, --supersession or --negative")
    if chosen.ablate and not (chosen.data or chosen.supersession):
        parser.error("--ablate needs --data or --supersession")
    if chosen.out:
        with chosen.out.open("w", encoding="utf-8") as out:
            result = run(chosen, out)
    else:
        result = run(chosen, None)
    if not chosen.json:
        for section, reports in result.items():
            for report in reports:
                sys.stdout.write(f"\n## {section}\n\n{TABLES[section](report)}")
    if chosen.json or chosen.save:
        measure.publish("-".join(result), {"limit": chosen.limit, **result}, save=chosen.save)


if __name__ == "__main__":
    main()
