"""Texts that repeat something, to find where redaction takes more than time in proportion to them.

A case is a prefix, a piece or a pair of pieces that is repeated, and a suffix. The pieces are the words, signs and runs
that redaction looks for, samples of every planted kind, and every character by itself.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from planted import planted
from recollect.text.redact import redact

GROWTH_BAR = 2.5
SPEED_BAR_MB = 5.0
# A case is measured at this size and at twice that, and at larger sizes while it takes less than `SHORT_S`.
BYTES = 100_000
MAX_BYTES = 400_000
SHORT_S = 0.03
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
        if self.twice < SHORT_S and self.size < MAX_BYTES:
            return measure(self.case, 2 * self.size)
        other = measure(self.case, self.size)
        return other._replace(once=min(self.once, other.once), twice=min(self.twice, other.twice))


def cpu(text: str) -> float:
    """Return the least CPU seconds of redacting a text, over runs that take 30 ms together."""
    times: list[float] = []
    while sum(times) < SHORT_S:
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
            row.again() if row.growth > 0.9 * GROWTH_BAR or row.speed < 1.2 * SPEED_BAR_MB else row for row in measured
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
        "speed_bar": SPEED_BAR_MB,
        "within_bar": steepest[0].growth <= GROWTH_BAR and slowest[0].speed >= SPEED_BAR_MB,
        "steepest": [[round(row.growth, 2), *(part[:80] for part in row.case)] for row in steepest],
        "slowest": [[round(row.speed, 1), *(part[:80] for part in row.case)] for row in slowest],
    }
