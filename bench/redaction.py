"""How well redaction works: planted secrets found, benign lines left alone, time in proportion to the text.

    python bench/redaction.py                          planted secrets, held-out snippets and benign lines
    python bench/redaction.py --ordinary DIR [DIR …]   and the lines of these trees, with the speed over them
    python bench/redaction.py --pump N                 and texts that repeat something, N of them by chance

Prints JSON; `--save` keeps it under bench/results, `--show N` adds examples of misses and alterations. (Not
`secrets.py`: a script's folder comes first on the path, and numpy imports the standard library's module of that name.)
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from measure import publish
from planted import Planted, benign, held_out, planted
from recollect.code.index.exclusions import left_out
from recollect.code.index.languages import detect
from recollect.text.redaction.redact import redact

# --- pump redaction ---

GROWTH_BAR = 2.5
PUMP_SPEED_BAR_MB = 5.0
# A case is measured at this size and at twice that, and at larger sizes while it takes less than `SHORT_S`.
BYTES = 100_000
PUMP_MAX_BYTES = 400_000
SHORT_S = 0.03
# One run alone may meet other work on the machine.
LEAST_RUNS = 3
# Cases near a bar are measured again, all of them so many times in turn; the least times count. Other work on the
# machine only adds to a time, and seldom to all of them.
TURNS = 8

WORDS = """password pass pw pwd passphrase secret token api_key key kennwort contrasena senha clave mnemonic
seed_phrase setPassword DB_PASSWORD PASSWORD TOKEN bearer basic authorization cookie sig identified login
credentials sign_in auth curl mysql redis-cli ssws flyv1 zugangsdaten value name kind: data: stringData:
default variable insert values private""".split()
SIGNS = [
    *"=:;,.|&?!@#$%^*+-_~/\\\"'`()[]{}<> \t\n\r", "::", "=>", "||", "??", "://", ": ", " = ", '="', "='", '":"',
    " is ", " for x is ", "\\n", '\\"', "&quot;", " / ", ' + "', '" "', '" + "', "${", "${{", "%3D", ":-", "=\\\n",
    ": |\n  ", '("', "{\n", " -p ", " -u ", "--", "\x1f",
]  # fmt: skip
RUNS = [
    "a", "A", "1", "A1", "a1B2", "hunter2", "Summer2024!", "aB3/", "eyJ", "eyJ-", "sk-", "ghp_", "AKIA", "SG.",
    "t1.", "xoxb-", "$2a$", "$1$", "$argon2id$", "{SSHA}", "pbkdf2_sha256$", "A-1-", "a_b",
    "-----BEGIN RSA PRIVATE KEY-----\n", "-----BEGIN", "-----END RSA PRIVATE KEY-----", "PuTTY-User-Key-File-2: ",
    "<private>", "<private ", "</private>", "[secret:x]", "[secret:password]", "aGVsbG8gd29ybGQs",
    "cGFzc3dvcmQ9aHVudGVyMg==", "é", "ｐａｓｓ", "密码", "密码是", "раss", "\U0001d429", "\u200b",
    "AKIAQQQQQQQQQQQQQQQQ ",
    "0f" * 20, "x" * 64, "A1b2C3d4E5f6G7h8I9j0", ".atlasv1.", "discord.com/api/webhooks/", "T3BlbkFJ", "+ASt",
    "correct horse ", "|---", "insert into t (password) values (", "('a','b'),", "kind: Secret\n", "  a: b\n",
]  # fmt: skip
PREFIXES = [
    "", "password: ", 'password = "', "token=", "://", "-----BEGIN PRIVATE KEY-----\n", "a,password\n", "<private>",
    '"value": "', "'",
]  # fmt: skip
SUFFIXES = ["", "\n", "!", '"', "@host/", "\x00"]


class Case(NamedTuple):
    """A text that repeats a piece."""

    prefix: str
    piece: str
    suffix: str

    def text(self, size: int) -> str:
        """Return it as so many bytes, nearly."""
        return self.prefix + self.piece * max(1, size // len(self.piece.encode("utf-8", "surrogatepass"))) + self.suffix


def cases(seed: int, pairs: int) -> Iterator[Case]:
    """Yield every piece with every prefix or suffix by chance, and so many pairs and triples of pieces."""
    rng = random.Random(seed)
    samples = [plant.text for plant in planted(seed, 1)]
    pieces = [*WORDS, *SIGNS, *RUNS]
    for piece in [*pieces, *rng.sample(samples, min(len(samples), 60))]:
        yield Case("", piece, "")
        yield Case(rng.choice(PREFIXES), piece, rng.choice(SUFFIXES))
    for word in WORDS:
        for sign in rng.sample(SIGNS, 8):
            yield Case("", word + sign, rng.choice(SUFFIXES))
    for _ in range(pairs):
        count = rng.choice((2, 2, 3, 4))
        yield Case(rng.choice(PREFIXES), "".join(rng.choices(pieces, k=count)), rng.choice(SUFFIXES))


class Measured(NamedTuple):
    """The least CPU seconds of a case at a size and at twice that size."""

    case: Case
    size: int
    once: float
    twice: float

    @property
    def growth(self) -> float:
        """How the time grows when the text doubles."""
        return self.twice / self.once

    @property
    def speed(self) -> float:
        """MB per CPU second."""
        return len(self.case.text(2 * self.size).encode("utf-8", "surrogatepass")) / 1e6 / self.twice

    def again(self) -> Measured:
        """Return the least times of these and of another measurement, at a larger size if these times are short."""
        if self.twice < SHORT_S and self.size < PUMP_MAX_BYTES:
            return measure(self.case, 2 * self.size)
        other = measure(self.case, self.size)
        return other._replace(once=min(self.once, other.once), twice=min(self.twice, other.twice))


def cpu(text: str) -> float:
    """Return the least CPU seconds of redacting a text, over at least three runs that take 30 ms together."""
    times: list[float] = []
    while len(times) < LEAST_RUNS or sum(times) < SHORT_S:
        started = time.process_time()
        redact(text)
        times.append(time.process_time() - started)
    return min(times)


def measure(case: Case, size: int) -> Measured:
    """Return the times of a case at a size and at twice that size."""
    return Measured(case, size, cpu(case.text(size)), cpu(case.text(2 * size)))


def pumped(seed: int, pairs: int, size: int = BYTES, show: int = 10) -> dict[str, Any]:
    """Return the worst growth and the worst speed over all cases."""
    redact("password: warm-up hunter2 " * 50)
    chosen = list(cases(seed, pairs))
    gc.collect()
    gc.freeze()  # the garbage collector skips the objects of the bench
    measured = [measure(case, size) for case in chosen]
    for _ in range(TURNS):
        measured = [
            row.again() if row.growth > 0.9 * GROWTH_BAR or row.speed < 1.2 * PUMP_SPEED_BAR_MB else row
            for row in measured
        ]
    gc.unfreeze()
    slowest = sorted(measured, key=lambda row: row.speed)[:show]
    steepest = sorted(measured, key=lambda row: -row.growth)[:show]
    return {
        "cases": len(measured),
        "bytes": [size, 2 * size],
        "worst_growth": round(steepest[0].growth, 2),
        "growth_bar": GROWTH_BAR,
        "worst_mb_per_cpu_s": round(slowest[0].speed, 1),
        "speed_bar": PUMP_SPEED_BAR_MB,
        "within_bar": steepest[0].growth <= GROWTH_BAR and slowest[0].speed >= PUMP_SPEED_BAR_MB,
        "steepest": [[round(row.growth, 2), *(part[:80] for part in row.case)] for row in steepest],
        "slowest": [[round(row.speed, 1), *(part[:80] for part in row.case)] for row in slowest],
    }


SEED = 20260508
FOUND_BAR = 0.98
ALTERED_BAR = 0.005
SPEED_BAR_MB = 20.0
# Larger files are mostly tables of something.
MAX_BYTES = 400_000


def find_planted(plants: Iterable[Planted], show: int) -> dict[str, Any]:
    """Return how many planted secrets are gone after redaction, and which kinds and contexts were missed."""
    total = 0
    missed: list[tuple[str, str, str]] = []
    kinds: set[str] = set()
    contexts: set[str] = set()
    for plant in plants:
        total += 1
        kinds.add(plant.kind)
        contexts.add(plant.context)
        clean = redact(plant.text).text
        if any(part in clean for part in plant.secrets):
            missed.append((plant.kind, plant.context, clean))
    found = 1 - len(missed) / total
    return {
        "kinds": len(kinds),
        "contexts": len(contexts),
        "planted": total,
        "found": round(found, 5),
        "bar": FOUND_BAR,
        "within_bar": found >= FOUND_BAR,
        "missed": dict(Counter(f"{kind} in {context}" for kind, context, _ in missed).most_common(show or 20)),
        **({"examples": [text for _, _, text in missed[:show]]} if show else {}),
    }


def alter_benign(seed: int) -> dict[str, Any]:
    """Return how many lines without a secret are altered."""
    lines = list(benign(seed))
    altered = [line for line in lines if redact(line).found]
    share = len(altered) / len(lines)
    return {
        "lines": len(lines),
        "altered": len(altered),
        "share": round(share, 6),
        "bar": ALTERED_BAR,
        "within_bar": share <= ALTERED_BAR,
        "examples": altered[:20],
    }


def alter_ordinary(folders: list[Path], lines: int, seed: int, show: int) -> dict[str, Any]:
    """Return the share of ordinary lines that redaction alters, and how fast it goes over them."""
    seen = altered = size = 0
    cpu_s = 0.0
    kinds: Counter[str] = Counter()
    examples: list[str] = []
    for text in sources(folders, seed):
        started = time.process_time()
        found = redact(text).found
        cpu_s += time.process_time() - started
        size += len(text.encode("utf-8", "surrogatepass"))
        seen += text.count("\n") + 1
        touched = {line for finding in found for line in _lines(text, finding.start, finding.end)}
        altered += len(touched)
        kinds.update(finding.kind for finding in found)
        examples += [f"{finding.kind}: {_line(text, finding.start)}" for finding in found]
        if seen >= lines:
            break
    share = altered / max(1, seen)
    return {
        "lines": seen,
        "altered": altered,
        "share": round(share, 6),
        "bar": ALTERED_BAR,
        "within_bar": share <= ALTERED_BAR and size / 1e6 >= SPEED_BAR_MB * cpu_s,
        "kinds": dict(kinds.most_common()),
        "mb_per_cpu_s": round(size / 1e6 / max(cpu_s, 1e-9), 1),
        "speed_bar": SPEED_BAR_MB,
        **({"examples": random.Random(seed).sample(examples, min(show, len(examples)))} if show else {}),
    }


def sources(folders: list[Path], seed: int) -> Iterator[str]:
    """Yield the texts of source files below the folders, in an order by chance that is always the same."""
    paths = sorted(
        path for folder in folders for path in folder.rglob("*.*") if left_out(str(path.relative_to(folder))) is None
    )
    random.Random(seed).shuffle(paths)
    for path in paths:
        try:
            content = path.read_bytes() if path.is_file() and path.stat().st_size <= MAX_BYTES else b""
        except OSError:
            continue
        if content and b"\0" not in content and detect(path.name, content[:8192]) is not None:
            yield content.decode("utf-8", "replace")


def _lines(text: str, start: int, end: int) -> range:
    first = text.count("\n", 0, start)
    return range(first, first + text.count("\n", start, end) + 1)


def _line(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    return text[start : start + 160].split("\n")[0].strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ordinary", type=Path, nargs="+", default=[], metavar="DIR")
    parser.add_argument("--pump", type=int, default=0, metavar="N", help="how many pairs of pieces to repeat")
    parser.add_argument("--lines", type=int, default=400_000, help="how many ordinary lines to read at most")
    parser.add_argument("--rounds", type=int, default=3, help="how many values of each kind in each context")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", type=int, default=0, metavar="N")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    given = parser.parse_args()
    report: dict[str, Any] = {
        "planted": find_planted(planted(given.seed, given.rounds), given.show),
        "held_out": find_planted(held_out(given.seed, 10 * given.rounds), given.show),
        "benign": alter_benign(given.seed),
    }
    if given.pump:
        report["pump"] = pumped(given.seed, given.pump)
    if given.ordinary:
        report["ordinary"] = alter_ordinary(given.ordinary, given.lines, given.seed, given.show)
    publish("redaction", report, save=given.save)
    return 0 if all(part["within_bar"] for part in report.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
