"""Train the statement model and print how well it does on writers that it has not seen.

    python bench/train_statements.py [--check] [--write]

All it reads is in the repository: the labels in bench/statements_written/ and in the corpus of the unit tests, and the
weights of an earlier model, where the training begins. The earlier model has read 5,295 sentences of real prompts that
belong to others (ADR 49); the labels here are written. `--check` prints precision and recall on the sentences of each
writer, left out of the training in turn. `--write` writes the weights of the package; their first line has the checksum
of what they were made from.

A word that no label has gets a weight too. The shipped embedding model makes a vector of each word of its vocabulary,
and the vectors of the words of a sentence are features of the training. Their weights are folded into one number per
word, so reading a message needs no vectors.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import runpy
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from recollect.capture.prose import Sentence, sentences
from recollect.capture.sentence_features import Lexicon, features, message_features
from recollect.capture.statement_model import KINDS, SCALE, Model, read
from recollect.capture.statements import may_state, start_of
from recollect.providers import local
from statements import messages, overlap

HERE = Path(__file__).parent
WRITTEN = HERE / "statements_written"
EARLIER = WRITTEN / "earlier_weights.tsv.gz"
CORPUS = HERE.parent / "tests/unit/capture/statement_corpus.py"
WEIGHTS = HERE.parent / "src/recollect/capture/statement_weights.tsv.gz"

SAME = 0.6
# A shorter sentence may be a fragment.
FRAGMENT = 4
# Sentences on which sensible people differ count half.
HALF = {"keep": 0.5, "drop": 0.5}
# A feature of one sentence or of one topic says nothing about others.
LEAST_SENTENCES, LEAST_PROJECTS = 3, 2
# How much the sentences of a file count. In long messages and in running sessions most sentences state nothing, as in
# real prompts; half of the older sentences state something. The tests hold the model to their corpus. In
# "passing", files in different habits of writing, statements are made in passing beside many look-alikes; in "beside"
# they are next to a request, in "bare" they are the whole message. In "reports" they stand beside reports of what is
# wrong at present, which say it in the same words.
COUNTS = {
    "passing": 4.0,
    "beside": 4.0,
    "bare": 4.0,
    "long": 3.0,
    "sessions": 3.0,
    "brief": 4.0,
    "written-test": 6.0,
    "short": 2.0,
    "everyday": 4.0,
    "answers": 4.0,
    "reports": 3.0,
    "terse": 4.0,
    "tasks": 2.0,
}
COUNT = 0.6
L2, STEPS, RATE = 0.4, 150, 0.05
# The words of the embedding model with a vector, the most frequent ones.
VOCABULARY = 12_000
# The features whose weights follow from vectors: the words, and the first word.
WITH_VECTORS = ("w:", "1:")
# Classes of words: of the first word of a sentence, and of later ones. Pairs of them
# tell a rule from an order for one task, whatever the other words are.
FIRST = {
    "we": "our ours us we we'll we're we've",
    "i": "i i'd i'll i'm i've im ive me mine my",
    "you": "u ur you you're you've your",
    "it": "he here it it's its she that that's them these they this those",
    "there": "there there's theres",
    "the": "a an the",
    "all": "all always any anything both each every everyone everything never no nobody none nothing only whatever",
    "when": "after before if once unless until when whenever while",
    "let": "let let's lets",
    "do": "don't dont",
    "in": "as at by for from in inside on to under with",
    "order": """
        add adjust align allow analyze append apply ask avoid build bump call change check clean commit compare
        complete configure confirm consider continue convert copy create debug delete deploy describe disable display
        do document double download draft drop edit enable ensure explain extract fetch find finish fix follow
        format generate get give go handle help hide ignore implement improve include increase insert install
        integrate investigate keep leave limit list load log look make mark match merge modify move note open organize
        pass paste plan prefer prepare print proceed push put read rebase rebuild redo reduce refactor regenerate
        remember remove rename render replace rerun restart return revert review reword rewrite run save scan search
        see send set show simplify skip sort split squash start stop store summarize support switch take tell test
        think translate treat try turn undo update upload use validate verify wait wrap write""",
    "ask": "are can could did does has have how is should was were what whats where which who why will would",
}
LATER = {
    "need": "must need needed needs required requires",
    "should": "ought should shouldn't shouldnt",
    "will": "going gonna i'll it'll we'll will",
    "want": "i'd like wanna want wants we'd wish",
    "can": "can cannot cant could",
    "all": """
        all always any anyone anything anywhere both each ever every everything everywhere no nobody none nothing
        nowhere only whenever""",
    "this": """
        above again already below currently first here just later next now that then these this those today tomorrow
        tonight yesterday yet""",
    "not": "can't didn't doesn't doesnt don't dont never nor not without won't",
    "why": "because cause caused due reason since therefore thus",
    "instead": "anymore except instead longer over rather than unless",
    "past": "been broke came chose did done gave got had happened made said took used was went were",
    "be": "are aren't be is isn't it's that's there's",
    "use": "belongs comes go goes live lives run runs sits stays use uses using",
    "person": "customer customers he legal ops people qa she team users",
    "we": "our us we we're we've",
    "i": "i i'm i've me my",
    "you": "you your",
    "please": "kindly please pls plz",
    "it": "it its them they",
}
# Smaller weights change no decision and cost space.
LEAST_WEIGHT, LEAST_KIND_WEIGHT = 0.15, 0.5
SHOWN_AT = (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
# Of the sentences of "passing" whose author is left out of the training about 86 of 100 are right (docs/adr/0068).
THRESHOLDS = {"rule": 0.66, "preference": 0.78, "decision": 0.64, "correction": 0.45, "cause": 0.75, "fact": 0.78}


class Row(NamedTuple):
    """A labelled sentence in its message.

    writer: who wrote it. project: the writer and the topic. of_work: it says how people work; None: nobody said
    """

    writer: str
    project: str
    said: list[Sentence]
    place: int
    label: str
    is_answer: bool = False
    of_work: bool | None = None

    @property
    def is_right(self) -> bool:
        """Whether it is worth keeping."""
        return self.label in KINDS or self.label == "keep"


# --- labelled sentences ---


def labelled(may: Callable[[Sentence, int], bool] = may_state) -> list[Row]:
    """Return the labelled sentences that may be statements, each once per topic."""
    found: dict[tuple[str, str], Row] = {}
    for row in (*(row for message in messages(WRITTEN) for row in _message(message, may)), *_corpus(may)):
        found.setdefault((row.project, row.said[row.place].plain), row)
    return list(found.values())


def checksum() -> str:
    """Return a checksum of what the training reads."""
    files = (*sorted(WRITTEN.iterdir()), CORPUS)
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


def _message(message: dict[str, Any], may: Callable[[Sentence, int], bool]) -> Iterator[Row]:
    project = message["project"]
    said = sentences(message["text"])
    for place, sentence in enumerate(said):
        label, of_work = _label(message, sentence.text.strip())
        if label and may(sentence, start_of(sentence)):
            writer = project.split()[0].rstrip("0123456789")
            yield Row(writer, project, said, place, label, message["speaker"] == "assistant", of_work)


def _label(message: dict[str, Any], text: str) -> tuple[str, bool | None]:
    """Return the label of a sentence, empty for a fragment of a statement, and whether it says how people work."""
    named = [*zip(message["statements"], message["kinds"], message.get("of_work") or repeat(None), strict=False)]
    named += zip(message.get("borderline", ()), message.get("leaning", ()), repeat(None), strict=False)
    part, label, of_work = next((each for each in named if overlap(text, each[0]) >= SAME), ("", "none", None))
    size = len(text.split())
    return "" if size < FRAGMENT and 2 * size < len(part.split()) else label, of_work


def _corpus(may: Callable[[Sentence, int], bool]) -> Iterator[Row]:
    """Yield the sentences of the unit tests, as five topics."""
    corpus = runpy.run_path(str(CORPUS))
    blocks = [*corpus["STATED"].items(), *(("none", block) for block in corpus["NEVER_STATED"])]
    for label, block in blocks:
        for text in corpus["lines"](block):
            said = sentences(text)
            if said and may(said[-1], start_of(said[-1])):
                project = f"written-test{zlib.crc32(text.encode()) % 5}"
                yield Row("written-test", project, said, len(said) - 1, label)


# --- training ---


def word_vectors() -> dict[str, np.ndarray]:
    """Return the vectors of frequent words, of unit length, without what they have in common."""
    vocabulary = json.loads(Path(local.__file__).with_name("minilm").joinpath("tokenizer.json").read_text())
    names = [word for word in vocabulary["model"]["vocab"] if word.isascii() and word.isalpha() and len(word) > 1]
    names = names[:VOCABULARY]
    vectors = local.LocalEmbedder().embed(names).astype(np.float64)
    vectors -= vectors.mean(0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return dict(zip(names, vectors, strict=True))


class Table(NamedTuple):
    """Features of sentences: row, column and value of each known feature, and the vectors of their words."""

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    vectors: np.ndarray
    shape: tuple[int, int]

    def dot(self, weights: np.ndarray) -> np.ndarray:
        known = np.bincount(self.rows, self.values * weights[self.columns], minlength=self.shape[0])
        return known + self.vectors @ weights[self.shape[1] :]

    def gradient(self, errors: np.ndarray) -> np.ndarray:
        known = np.bincount(self.columns, self.values * errors[self.rows], minlength=self.shape[1])
        return np.concatenate((known, errors @ self.vectors))


def table(sets: Sequence[frozenset[str]], index: Mapping[str, int], vectors: Mapping[str, np.ndarray]) -> Table:
    """Return the features of sentences; the bias is the last column."""
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    size = len(next(iter(vectors.values())))
    dense = np.zeros((len(sets), len(WITH_VECTORS), size))
    for place, found in enumerate(sets):
        scale = SCALE / max(1, len(found)) ** 0.5
        known = [index[name] for name in found if name in index]
        rows += [place] * (len(known) + 1)
        columns += [*known, len(index)]
        values += [*[scale] * len(known), 1.0]
        for part, prefix in enumerate(WITH_VECTORS):
            for name in found:
                if name.startswith(prefix) and (vector := vectors.get(name[len(prefix) :])) is not None:
                    dense[place, part] += vector * scale
    flat = dense.reshape(len(sets), -1)
    return Table(
        np.array(rows, dtype=int), np.array(columns, dtype=int), np.array(values), flat, (len(sets), len(index) + 1)
    )


def descend(data: Table, wanted: np.ndarray, counts: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic model near those at the start; one row per class, one class is yes or no."""
    weights = start.copy()
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = np.stack([data.dot(row) for row in weights], 1)
        if wanted.shape[1] == 1:
            chance = 1 / (1 + np.exp(-scores))
        else:
            powers = np.exp(scores - scores.max(1, keepdims=True))
            chance = powers / powers.sum(1, keepdims=True)
        errors = (chance - wanted) * counts[:, None]
        slope = np.stack([data.gradient(column) for column in errors.T]) + L2 * (weights - start)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights


class Trained(NamedTuple):
    """A trained model: classes of words, vectors, columns of features, weights for keeping and for the kinds."""

    lexicon: Lexicon
    vectors: Mapping[str, np.ndarray]
    index: dict[str, int]
    keep: np.ndarray
    kinds: np.ndarray

    def judge(self, rows: Sequence[Row]) -> tuple[np.ndarray, list[str]]:
        """Return probabilities and kinds."""
        data = table([_features(row, self.lexicon) for row in rows], self.index, self.vectors)
        kinds = np.stack([data.dot(weights) for weights in self.kinds], 1).argmax(1)
        return 1 / (1 + np.exp(-data.dot(self.keep[0]))), [KINDS[place] for place in kinds]

    def folded(self) -> dict[str, np.ndarray]:
        """Return the weights of each feature, for keeping and for the kinds, with those of its vector."""
        both = np.concatenate((self.keep, self.kinds))
        found = {name: both[:, place] for name, place in self.index.items()}
        size = len(next(iter(self.vectors.values())))
        for part, prefix in enumerate(WITH_VECTORS):
            start = len(self.index) + 1 + part * size
            for word, vector in self.vectors.items():
                name = prefix + word
                found[name] = found.get(name, 0) + both[:, start : start + size] @ vector
        return found


def _features(row: Row, lexicon: Lexicon) -> frozenset[str]:
    return features(
        row.said, row.place, start_of(row.said[row.place]), lexicon, message_features(row.said, row.is_answer)
    )


def _lexicon(earlier: Model) -> Lexicon:
    first, later = ({word: name for name, each in table.items() for word in each.split()} for table in (FIRST, LATER))
    return Lexicon(earlier.lexicon.frequent, first, later)


def train(rows: Sequence[Row], vectors: Mapping[str, np.ndarray], earlier: Model) -> Trained:
    """Return the model of labelled sentences."""
    lexicon = _lexicon(earlier)
    sets = [_features(row, lexicon) for row in rows]
    count: Counter[str] = Counter()
    projects: dict[str, set[str]] = defaultdict(set)
    for row, found in zip(rows, sets, strict=True):
        count.update(found)
        for name in found:
            projects[name].add(row.project)
    frequent = (name for name in count if count[name] >= LEAST_SENTENCES and len(projects[name]) >= LEAST_PROJECTS)
    index = {name: place for place, name in enumerate(sorted({*earlier.rows, *frequent}))}
    data = table(sets, index, vectors)
    start = np.zeros((1 + len(KINDS), data.shape[1] + data.vectors.shape[1]))
    start[0, len(index)] = earlier.bias
    for name, place in index.items():
        if name in earlier.rows:
            start[:, place] = (*earlier.weights(name), *[0] * len(KINDS))[: 1 + len(KINDS)]
    right = np.array([[float(row.is_right)] for row in rows])
    counts = [HALF.get(row.label, 1.0) * _count(row.writer) for row in rows]
    keep = descend(data, right, np.array(counts), start[:1])
    named = [place for place, row in enumerate(rows) if row.label in KINDS]
    wanted = np.eye(len(KINDS))[[KINDS.index(rows[place].label) for place in named]]  # type: ignore[arg-type]
    kinds = descend(table([sets[place] for place in named], index, vectors), wanted, np.ones(len(named)), start[1:])
    return Trained(lexicon, vectors, index, keep, kinds)


def _count(writer: str) -> float:
    """Return how much the sentences of a writer count: by the name of the file, or by its beginning."""
    return COUNTS.get(writer, COUNTS.get(writer.partition("-")[0], COUNT))


def write(trained: Trained, path: Path) -> int:
    """Write the weights that matter and return how many features have one."""
    lines = [f"# Made by bench/train_statements.py from {checksum()}: feature, weight for keeping, weights of the"]
    lines[0] += " kinds, in hundredths."
    lines.append(f"words\t{' '.join(sorted(trained.lexicon.frequent))}")
    for name, classes in (("first", FIRST), ("later", LATER)):
        lines.append("\t".join((name, *(f"{each}={' '.join(some.split())}" for each, some in classes.items()))))
    lines.append(f"bias\t{trained.keep[0][len(trained.index)]:.3f}")
    lines.append("thresholds\t" + "\t".join(str(THRESHOLDS[kind]) for kind in KINDS))
    head = len(lines)
    for name, (weight, *row) in sorted(trained.folded().items()):
        kept = f"{weight * 100:.0f}" if abs(weight) >= LEAST_WEIGHT else ""
        of_kinds = [f"{each * 100:.0f}" for each in row] if max(map(abs, row)) >= LEAST_KIND_WEIGHT else []
        if kept or of_kinds:
            lines.append("\t".join((name, kept or "0", *of_kinds)))
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))
    return len(lines) - head


# --- measuring ---


def left_out(rows: Sequence[Row], vectors: Mapping[str, np.ndarray], earlier: Model) -> list[tuple[Row, float, str]]:
    """Return every sentence with what a model says that has not seen its writer."""
    found = []
    for writer in sorted({row.writer for row in rows}):
        own = [row for row in rows if row.writer == writer]
        chances, kinds = train([row for row in rows if row.writer != writer], vectors, earlier).judge(own)
        found += list(zip(own, chances, kinds, strict=True))
    return found


def shares(judged: Sequence[tuple[Row, float, str]]) -> dict[str, Any]:
    """Return precision and recall at several thresholds, and at those of the kinds."""
    rules = [each for each in judged if each[0].label in ("rule", "preference")]
    stated = [each for each in judged if each[0].label in KINDS]

    def at(name: str, bound: dict[str, float]) -> dict[str, Any]:
        kept = [row for row, chance, kind in judged if chance >= bound[kind]]
        return {
            "threshold": name,
            "kept": len(kept),
            "precision": round(sum(row.is_right for row in kept) / max(1, len(kept)), 3),
            "recall of rules": round(sum(c >= bound[k] for _, c, k in rules) / max(1, len(rules)), 3),
            "recall": round(sum(c >= bound[k] for _, c, k in stated) / max(1, len(stated)), 3),
        }

    lines = [at(str(bound), dict.fromkeys(KINDS, bound)) for bound in SHOWN_AT] + [at("chosen", THRESHOLDS)]
    right_kind = sum(row.label == kind for row, _, kind in stated)
    return {
        "sentences": len(judged),
        "stated": len(stated),
        "rules": len(rules),
        "right kind": round(right_kind / max(1, len(stated)), 3),
        "at": lines,
    }


def measured(rows: Sequence[Row], vectors: Mapping[str, np.ndarray], earlier: Model) -> dict[str, Any]:
    """Return precision and recall on unseen writers: all, and each."""
    judged = left_out(rows, vectors, earlier)
    parts = {"all": judged}
    parts |= {
        writer: [each for each in judged if each[0].writer == writer] for writer in sorted({row.writer for row in rows})
    }
    return {name: shares(part) for name, part in parts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="leave each writer out in turn")
    parser.add_argument("--write", action="store_true", help="write the weights of the package")
    given = parser.parse_args()
    rows = labelled()
    vectors, earlier = word_vectors(), read(EARLIER.read_bytes())
    told: dict[str, Any] = {"sentences": len(rows), "topics": len({row.project for row in rows})}
    told["labels"] = dict(Counter(row.label for row in rows).most_common())
    if given.check:
        told["left out"] = measured(rows, vectors, earlier)
    if given.write:
        told["features"] = write(train(rows, vectors, earlier), WEIGHTS)
        told["bytes"] = WEIGHTS.stat().st_size
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
