r"""How well statements are extracted from messages that somebody labelled.

    python bench/statements.py DIR_OR_FILE [--show N] [--save]

bench/statements_written has prompts to develop with, bench/statements_held some to measure with; both were written for
this and are easier than real ones.

Input: text with a message in each line, "\n" for a line break, `# ` before a topic, `< ` before an
answer of an assistant, and marked statements ("{rule| no
tabs}, please", or "rule| no tabs" for a whole line; "ruleW|" says how people work, "ruleP|" what the product is); or
JSON Lines, one message each: {"id", "speaker": "user" |
"assistant", "text", "statements": [a sentence or part of it], "kinds": [one for each], "net": true for a message that
was sampled by words and not by chance, "borderline": [sentences on which sensible people differ], "leaning": ["keep" or
"drop" for each]}. Prints JSON: the share of extracted statements that are right, and of labelled ones that are
found, by kind. An extracted statement is right if it shares at least 60 % of the words of the shorter with a labelled
one, or with a borderline one to keep; `strict` counts the former only.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from measure import publish
from recollect.capture.statements import statements
from recollect.providers.local import LocalEmbedder
from recollect.providers.provider_protocol import Classify

OVERLAP = 0.6
PRECISION_BAR, RULES_BAR = 0.9, 0.7
_WORD = re.compile(r"\w+")
LEANING = ("keep", "drop")
_KIND = "(rule|preference|decision|correction|cause|fact|keep|drop)([WP]?)"
_WHOLE, _MARKED = re.compile(rf"{_KIND}\| "), re.compile(rf"\{{{_KIND}\| ([^{{}}]*)\}}")
# Types of memories that every session is told, as they say how people work.
OF_WORK = frozenset({"preference", "style"})


class Compared(NamedTuple):
    """One statement: what was extracted or labelled, its kind, and whether the other side has it."""

    kind: str
    text: str
    is_matched: bool
    group: str
    is_strict: bool = True


def messages(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the labelled messages of a file, or of all files of a folder."""
    for file in sorted((*path.glob("*.jsonl"), *path.glob("*.txt"))) if path.is_dir() else (path,):
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        found = _marked(lines, file.stem) if file.suffix == ".txt" else map(json.loads, lines)
        yield from ({"speaker": "user", "project": file.stem} | message for message in found)


def _marked(lines: Iterable[str], name: str) -> Iterator[dict[str, Any]]:
    """Yield messages whose statements are marked in the text."""
    topic = ""
    for line in lines:
        if line.startswith("# "):
            topic = line[1:].split(",")[0]
            continue
        is_answer = line.startswith("< ")
        text = line.removeprefix("< ").replace("\\n", "\n")
        whole = _WHOLE.match(text)
        marked = [(whole[1], whole[2], text[whole.end() :])] if whole else _MARKED.findall(text)
        sure = [each for each in marked if each[0] not in LEANING]
        unsure = [each for each in marked if each[0] in LEANING]
        yield {
            "project": f"{name}{topic}",
            "speaker": "assistant" if is_answer else "user",
            "text": marked[0][2] if whole else _MARKED.sub(r"\3", text),
            "statements": [text for _, _, text in sure],
            "kinds": [kind for kind, _, _ in sure],
            "of_work": [letter == "W" if letter else None for _, letter, _ in sure],
            "borderline": [text for _, _, text in unsure],
            "leaning": [kind for kind, _, _ in unsure],
        }


def overlap(one: str, other: str) -> float:
    """Return the share of the words of the shorter text that the other one has."""
    ours, theirs = (Counter(word.lower() for word in _WORD.findall(text)) for text in (one, other))
    return (ours & theirs).total() / max(1, min(ours.total(), theirs.total()))


def compare(rows: Iterable[dict[str, Any]], classify: Classify | None = None) -> tuple[list[Compared], list[Compared]]:
    """Return the extracted statements, and the labelled ones."""
    extracted: list[Compared] = []
    labelled: list[Compared] = []
    for row in rows:
        found, wanted = statements(row["text"], row["speaker"], classify=classify), row["statements"]
        leaning = zip(row.get("borderline", ()), row.get("leaning", ()), strict=True)
        right = [*wanted, *(text for text, side in leaning if side == "keep")]
        group = f"{row['speaker']}, {'by words' if row.get('net') else 'by chance'}"
        named = zip(row.get("kinds") or ["statement"] * len(wanted), wanted, strict=True)
        extracted += [
            Compared(each.kind, each.text, _has(right, each.text), group, _has(wanted, each.text)) for each in found
        ]
        labelled += [Compared(kind, text, _has([each.text for each in found], text), group) for kind, text in named]
    return extracted, labelled


def _has(texts: Iterable[str], text: str) -> bool:
    return any(overlap(text, other) >= OVERLAP for other in texts)


def of_work(rows: Iterable[dict[str, Any]], classify: Classify | None = None) -> dict[str, float]:
    """Return how well statements of how people work are told from others, where the labels say it."""
    count: Counter[tuple[bool, bool]] = Counter()
    for row in rows:
        wanted = [*zip(row["statements"], row.get("of_work", ()), strict=False)]
        for each in statements(row["text"], row["speaker"], classify=classify) if wanted else ():
            own = next((work for text, work in wanted if overlap(text, each.text) >= OVERLAP), None)
            if own is not None:
                count[own, each.memory_type in OF_WORK] += 1
    taken = count[True, True] + count[False, True]
    return {
        "n": count.total(),
        "precision": round(count[True, True] / max(1, taken), 3),
        "recall": round(count[True, True] / max(1, count[True, True] + count[True, False]), 3),
    }


def shares(rows: list[Compared]) -> dict[str, dict[str, float]]:
    """Return how many statements are matched: all, by kind, and by how messages were sampled."""
    told: dict[str, dict[str, float]] = {}
    named = {"all": rows} | {name: [row for row in rows if row.kind == name] for name in sorted({r.kind for r in rows})}
    named |= {name: [row for row in rows if row.group == name] for name in sorted({row.group for row in rows})}
    for name, some in named.items():
        matched = sum(row.is_matched for row in some)
        told[name] = {"n": len(some), "matched": matched, "share": round(matched / max(1, len(some)), 3)}
    return told


def measured(path: Path, show: int, classify: Classify | None = None) -> dict[str, Any]:
    """Return precision and recall on labelled messages."""
    rows = list(messages(path))
    extracted, labelled = compare(rows, classify)
    precision, recall = shares(extracted), shares(labelled)
    rules = recall.get("rule", {"share": 1.0})["share"]
    return {
        "messages": len(rows),
        "precision": precision,
        "strict": round(sum(row.is_strict for row in extracted) / max(1, len(extracted)), 3),
        "recall": recall,
        "of_work": of_work(rows, classify),
        "bars": {"precision": PRECISION_BAR, "recall of rules": RULES_BAR},
        "within_bars": precision["all"]["share"] >= PRECISION_BAR and rules >= RULES_BAR,
        **({"wrong": [row.text for row in extracted if not row.is_matched][:show]} if show else {}),
        **({"missed": [f"{row.kind}: {row.text}" for row in labelled if not row.is_matched][:show]} if show else {}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="add N wrong and N missed statements")
    parser.add_argument("--by-words", action="store_true", help="without the classifier, as without the local model")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    given = parser.parse_args()
    classify = None if given.by_words else LocalEmbedder().classify
    publish("statements", measured(given.labels, given.show, classify), save=given.save)


if __name__ == "__main__":
    main()
