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
# A case is measured at this size and at twice that.
BYTES = 100_000
# One that looks slow or steep is measured so often again; the least counts: other work on the machine only adds.
AGAIN = 8
LEAST_S = 0.03

WORDS = """password pass pw pwd passphrase secret token api_key key kennwort contrasena senha clave mnemonic
seed_phrase setPassword DB_PASSWORD PASSWORD TOKEN bearer basic authorization cookie sig identified login
credentials sign_in auth curl mysql redis-cli ssws flyv1 zugangsdaten value name kind: data: stringData:
default variable insert values private""".split()
SIGNS = [
    *"=:;,.|&?!@#$%^*+-_~/\\\"'`()[]{}<> \t\n\r",
    "::",
    "=>",
    "||",
    "??",
    "://",
    ": ",
    " = ",
    '="',
    "='",
    '":"',
    " is ",
    " for x is ",
    "\\n",
    '\\"',
    "&quot;",
    " / ",
    ' + "',
    '" "',
    '" + "',
    "${",
    "${{",
    "%3D",
    ":-",
    "=\\\n",
    ": |\n  ",
    '("',
    "{\n",
    " -p ",
    " -u ",
    "--",
    "\x1f",
]
RUNS = [
    "a",
    "A",
    "1",
    "A1",
    "a1B2",
    "hunter2",
    "Summer2024!",
    "aB3/",
    "eyJ",
    "eyJ-",
    "sk-",
    "ghp_",
    "AKIA",
    "SG.",
    "t1.",
    "xoxb-",
    "$2a$",
    "$1$",
    "$argon2id$",
    "{SSHA}",
    "pbkdf2_sha256$",
    "A-1-",
    "a_b",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----BEGIN",
    "-----END RSA PRIVATE KEY-----",
    "PuTTY-User-Key-File-2: ",
    "<private>",
    "<private ",
    "</private>",
    "[secret:x]",
    "[secret:password]",
    "aGVsbG8gd29ybGQs",
    "cGFzc3dvcmQ9aHVudGVyMg==",
    "é",
    "ｐａｓｓ",
    "密码",
    "密码是",
    "раss",
    "\U0001d429",
    "\u200b",
    "AKIAQQQQQQQQQQQQQQQQ ",
    "0f" * 20,
    "x" * 64,
    "A1b2C3d4E5f6G7h8I9j0",
    ".atlasv1.",
    "discord.com/api/webhooks/",
    "T3BlbkFJ",
    "+ASt",
    "correct horse ",
    "|---",
    "insert into t (password) values (",
    "('a','b'),",
    "kind: Secret\n",
    "  a: b\n",
]
PREFIXES = [
    "",
    "password: ",
    'password = "',
    "token=",
    "://",
    "-----BEGIN PRIVATE KEY-----\n",
    "a,password\n",
    "<private>",
    '"value": "',
    "'",
]
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


def cpu(text: str) -> float:
    """Return the CPU seconds that redaction of a text takes; the clock ticks too slowly for one run of a short one."""
    started, runs = time.process_time(), 0
    while (spent := time.process_time() - started) < LEAST_S:
        redact(text)
        runs += 1
    return spent / runs


def measure(case: Case, size: int, again: int) -> tuple[float, float]:
    """Return MB per CPU second at the larger size, and how the time grows when the text doubles."""
    small, large = case.text(size), case.text(2 * size)
    gc.collect()
    least = [cpu(small), cpu(large)]
    megabytes = len(large.encode("utf-8", "surrogatepass")) / 1e6
    for _ in range(again):
        # Only what looks bad is worth another look.
        if least[1] <= 2.2 * least[0] and megabytes >= least[1] * 1.5 * SPEED_BAR_MB:
            break
        least = [min(least[0], cpu(small)), min(least[1], cpu(large))]
    return megabytes / max(least[1], 1e-9), least[1] / max(least[0], 1e-9)


def pumped(seed: int, pairs: int, size: int = BYTES, show: int = 10) -> dict[str, Any]:
    """Return the worst growth and the worst speed over all cases."""
    redact("password: warm-up hunter2 " * 50)
    measured = [(*measure(case, size, AGAIN), case) for case in cases(seed, pairs)]
    slowest = sorted(measured, key=lambda row: row[0])[:show]
    steepest = sorted(measured, key=lambda row: -row[1])[:show]
    return {
        "cases": len(measured),
        "bytes": [size, 2 * size],
        "worst_growth": round(steepest[0][1], 2),
        "growth_bar": GROWTH_BAR,
        "worst_mb_per_cpu_s": round(slowest[0][0], 1),
        "speed_bar": SPEED_BAR_MB,
        "within_bar": steepest[0][1] <= GROWTH_BAR and slowest[0][0] >= SPEED_BAR_MB,
        "steepest": [[round(growth, 2), *case] for _, growth, case in steepest],
        "slowest": [[round(speed, 1), *(part[:80] for part in case)] for speed, _, case in slowest],
    }
