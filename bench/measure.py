"""What every benchmark needs: CPU time, percentiles, memory, the machine, and one result file per commit.

CPU time is reported instead of wall time, since machines are noisy; claims are ratios of numbers from the same run.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"


def cpu_ms(work: Callable[[], object]) -> float:
    """Return the CPU milliseconds, of all threads of this process, that `work` takes."""
    before = time.process_time_ns()
    work()
    return (time.process_time_ns() - before) / 1e6


def summary(samples: Sequence[float]) -> dict[str, float]:
    """Return p50, p95, mean and count of samples."""
    ordered = sorted(samples)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return {
        "p50": round(statistics.median(ordered), 3),
        "p95": round(p95, 3),
        "mean": round(statistics.fmean(ordered), 3),
        "n": len(ordered),
    }


def child_cpu_ms(command: Sequence[str], stdin: bytes = b"") -> float:
    """Return the CPU milliseconds a child process uses from start to end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def rss_mb() -> float:
    """Return the resident memory of this process in MB."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return round(int(line.split()[1]) / 1024, 1)
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def machine() -> dict[str, Any]:
    """Return what the numbers were measured on."""
    return {"machine": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}


def commit() -> str:
    """Return the first twelve characters of the commit, with a plus when the tree differs from it."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False
        ).stdout.strip()

    return (git("rev-parse", "--short=12", "HEAD") or "unknown") + ("+" if git("status", "--porcelain") else "")


def publish(name: str, result: dict[str, Any], *, save: bool) -> None:
    """Print a result as JSON and, with `save`, keep it as bench/results/<commit>-<name>.json."""
    document = {"benchmark": name, "commit": commit(), **machine(), **result}
    text = json.dumps(document, indent=2)
    sys.stdout.write(text + "\n")
    if save:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{document['commit'].rstrip('+')}-{name}.json").write_text(text + "\n", encoding="utf-8")
