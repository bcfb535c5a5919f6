"""The code search benchmark from end to end, on an invented repository: what it searches, writes and says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.harbour import FILES
from tests.trees import git, write

import code_search

Bench = Callable[..., dict[str, Any]]


def head(root: Path) -> str:
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repos(tmp_path: Path) -> Path:
    """A folder with one repository of two commits: in the second, the tide is computed elsewhere."""
    root = tmp_path / "repos" / "harbour"
    write(root, {f"code/{path}": text for path, text in FILES.items()})
    write(root, {"attic/old_tide.py": "def PredictTide(moon):\n    return moon\n"})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    first = head(root)
    git(root, "mv", "code/cmd/tide.go", "code/cmd/moon.go")
    git(root, "commit", "-q", "-m", "two")
    labels = {
        "repo": "harbour",
        "source": "coast/harbour",
        "commit": first,
        "language": "mixed",
        "root": "code",
        "queries": [
            {
                "id": "q1",
                "text": "PredictTide",
                "category": "symbol",
                "relevant": [{"path": "code/cmd/tide.go", "lines": [11, 14]}],
            },
            {
                "id": "q2",
                "text": "how the burner is lit and put out",
                "category": "semantic",
                "relevant": [{"path": "code/src/harbour/lamp.py"}, {"path": "code/src/harbour/nothing.py"}],
            },
        ],
    }
    issues = {
        "instances": [
            {
                "id": f"coast-{number}",
                "source": "coast/harbour",
                "commit": commit,
                "language": "go",
                "text": "PredictTide returns the wrong height at full moon",
                "files": [file],
            }
            for number, (commit, file) in enumerate(
                [(first, "code/cmd/tide.go"), (head(root), "code/cmd/moon.go"), (head(root), "code/cmd/tide.go")]
            )
        ]
    }
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "harbour.json").write_text(json.dumps(labels), encoding="utf-8")
    (tmp_path / "issues.json").write_text(json.dumps(issues), encoding="utf-8")
    return tmp_path / "repos"


@pytest.fixture
def bench(repos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    """Run the benchmark without an embedder and return its JSON."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> dict[str, Any]:
        monkeypatch.setattr(sys, "argv", ["code_search.py", *words, "--repos", "repos", "--no-embeddings", "--json"])
        code_search.main()
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        return printed

    return run


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_queries_are_asked_of_the_labelled_folder_at_the_labelled_commit(bench: Bench, tmp_path: Path) -> None:
    found = bench("--labels", "labels", "--out", "ranked.jsonl")
    first, second = lines(tmp_path / "ranked.jsonl")
    assert (first["repo"], first["query"]) == ("harbour", "PredictTide")
    assert first["ranked"][0] == "code/cmd/tide.go:11-14"
    assert second["ranked"][0].startswith("code/src/harbour/lamp.py:")
    assert all(path.startswith("code/") for row in (first, second) for path in row["ranked"])
    search = found["code_search"]
    assert (search["all"]["n"], search["all"]["hit@1"], search["all"]["mrr"]) == (2, 1.0, 1.0)
    assert search["categories"]["symbol"]["ndcg@10"] == 1.0
    # One of two labelled files: gain 1 of 1 + 1 / log2(3).
    assert search["categories"]["semantic"] == {"n": 1, "ndcg@10": 0.6131, "recall@10": 0.5, "hit@1": 1.0, "mrr": 1.0}
    assert search["spans@10"] == {"n": 1, "mean": 1.0}
    assert search["worst_language"] == {"mixed": search["all"]["ndcg@10"]}
    assert (found["embeddings"], found["skipped"]) == (False, [])
    assert found["query_cpu_ms"]["n"] == 2


def test_issues_are_asked_of_the_tree_at_their_own_commit(bench: Bench, tmp_path: Path) -> None:
    found = bench("--labels", "issues.json", "--out", "ranked.jsonl")
    then, now, wrong = lines(tmp_path / "ranked.jsonl")
    assert then["query"] == "coast-0"
    assert "code/cmd/tide.go" in {path.rpartition(":")[0] for path in then["ranked"]}
    for row in (now, wrong):
        named = {path.rpartition(":")[0] for path in row["ranked"]}
        assert "code/cmd/moon.go" in named and "code/cmd/tide.go" not in named
    issues = found["issues"]["all"]
    assert (issues["n"], issues["acc@10"]) == (3, 0.6667)
    assert issues["acc@1"] <= issues["acc@3"] <= issues["acc@5"] <= issues["acc@10"]


def test_both_kinds_of_labels_are_read_in_one_run_and_a_table_is_made_of_each(bench: Bench) -> None:
    report = bench("--labels", "labels", "issues.json", "--limit", "1", "--ablate")
    assert (report["code_search"]["all"]["n"], report["issues"]["all"]["n"]) == (1, 1)
    assert {"path", "definitions", "penalties"} <= set(report["earned_points"])
    shown = list(code_search.tables(report))
    assert len(shown) == 3
    assert "| all | 1 |" in shown[0]
    assert "| points earned by |" in shown[2]


def test_a_checkout_that_is_no_repository_is_searched_as_it_is(bench: Bench, repos: Path, tmp_path: Path) -> None:
    import shutil

    shutil.rmtree(repos / "harbour" / ".git")
    bench("--labels", "labels", "--out", "ranked.jsonl")
    assert lines(tmp_path / "ranked.jsonl")[0]["ranked"][0] == "code/cmd/moon.go:11-14"


def test_what_has_no_checkout_is_named(bench: Bench, repos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repos / "harbour").rename(repos / "elsewhere")
    with pytest.raises(SystemExit):
        bench("--labels", "labels")
    assert "no checkout found below repos for coast/harbour" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["harbour", "coast__harbour", "coast+harbour", "coast/harbour"])
def test_a_checkout_is_found_by_any_of_its_usual_names(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir(parents=True)
    assert code_search.checkout_of(tmp_path, "coast/harbour", "harbour") == tmp_path / name
    assert code_search.checkout_of(tmp_path, "coast/lamp", "lamp") is None


def test_spans_count_where_they_overlap_and_files_once() -> None:
    hits = [code_search.Hit("a.py", 1, 5), code_search.Hit("a.py", 50, 60), code_search.Hit("b.py", 1, 9)]
    relevant = [{"path": "b.py"}, {"path": "a.py", "lines": [55, 70]}, {"path": "a.py", "lines": [10, 20]}]
    scores = code_search.query_scores(hits, relevant)
    assert (scores["recall@10"], scores["hit@1"], scores["ndcg@10"]) == (1.0, 1.0, 1.0)
    assert scores["spans@10"] == 0.5
    assert code_search.query_scores([], relevant)["ndcg@10"] == 0.0
    assert code_search.issue_scores(hits, ["b.py"]) == {
        "acc@1": 0.0,
        "acc@3": 1.0,
        "acc@5": 1.0,
        "acc@10": 1.0,
        "mrr": 0.5,
    }
