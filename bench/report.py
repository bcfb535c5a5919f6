"""Write docs/benchmarks.md from results: what was measured, by which command, and what came out.

python bench/recall.py --data … --supersession … --negative --ablate --json > recall.json
python bench/speed.py start store recall > speed.json
python bench/code_search.py --labels … --repos … --json > code.json
python bench/freshness.py --repos … > freshness.json; python bench/freshness.py --across … > formatters.json
python bench/history.py --repos … > history.json
python bench/assistants.py --rig … --clients … > assistants.json
python bench/callgraph.py --suite … --language python --save
python bench/consolidate.py cost > cost.json; python bench/consolidate.py year > year.json
python bench/usefulness.py > usefulness.json
python bench/episodic.py replay > replay.json; …; python bench/episodic.py speed > episodic-speed.json
python bench/hierarchy.py --labels … --repos … --history … --json > hierarchy.json
python bench/report.py > docs/benchmarks.md     # of the newest result of each benchmark in bench/results
python bench/report.py recall.json code.json …   # of these
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import code_search
import context_cost
import episodic
import hierarchy
import told_month
from recall import TABLES

Row = tuple[str, Any, str, str]

HEAD = """# Benchmarks

`bench/report.py` writes this page from the results of the commands below. Numbers are per cent unless a unit is given.
Times are CPU times, not wall times; compare ratios, because machines differ. The data sets are not part of this
repository: each command takes their path.

The weights of recall were fitted on FriendsQA, QMSum, docstrings and conversations written for it
(`scripts/fit_recall.py`), never on the data measured here, and the embedding model was not trained on that. The weights
of code search were fitted on the labelled queries measured here and on messages of past
commits (`scripts/fit_code_search.py`, which also prints the result with each repository left out).
"""


def recall_part(result: dict[str, Any]) -> str:
    """Return the tables of a result of bench/recall.py."""
    parts = [f"\n# Recall\n\n`{_recall_command(result)}`, commit {result['commit']}, {_machine(result)}.\n"]
    for section, table in TABLES.items():
        parts += [f"\n## {section}\n\n{table(report).strip()}\n" for report in result.get(section, ())]
    return "".join(parts)


def code_part(result: dict[str, Any]) -> str:
    """Return the tables of a result of bench/code_search.py."""
    flag = "" if result["embeddings"] else " --no-embeddings"
    command = f"python bench/code_search.py --labels DIR_OR_FILE --repos DIR{flag} --json"
    cost = result["query_cpu_ms"]
    return (
        f"\n# Code search\n\n`{command}`, commit {result['commit']}, {_machine(result)}.\n\n"
        + "\n".join(code_search.tables(result))
        + f"\nCPU ms per query: p50 {cost['p50']}, p95 {cost['p95']}.\n"
    )


def speed_part(result: dict[str, Any]) -> str:
    """Return the tables of a result of bench/speed.py."""
    kinds = ("start", "store_recall", "graph", "hook", "index", "import")
    command = " ".join(name.replace("_", " ") for name in kinds if name in result)
    parts = [
        (
            f"\n# Speed\n\n`python bench/speed.py {command}`, commit {result['commit']}, {_machine(result)}. "
            "CPU milliseconds.\n"
        )
    ]
    started = result.get("start")
    if started:
        rows = {"bare interpreter": started["cpu_ms_bare_interpreter"], **started["cpu_ms_to_tools_list"]}
        parts.append("\n| to the answer of tools/list | p50 | p95 |\n| --- | ---: | ---: |\n")
        parts += [f"| {name} | {row['p50']:.0f} | {row['p95']:.0f} |\n" for name, row in rows.items()]
        parts.append(f"\nRatio to the official SDK: {started['ratio_to_sdk']:.3f}.\n")
    sizes = result.get("store_recall", {}).get("sizes", [])
    sizes = [
        row for row in sizes if "recall_after_a_store_cpu_ms" in row.get("after", row)
    ]  # older results have other columns
    parts += [sizes_part(sizes)] if sizes else []
    if result.get("graph"):
        parts.append(graph_part(result["graph"]["sizes"]))
    if result.get("hook"):
        parts.append(hook_part(result["hook"]))
    if result.get("index"):
        parts.append(index_part(result["index"]))
    if result.get("import"):
        parts.append(import_part(result["import"]))
    return "".join(parts)


def sizes_part(sizes: list[dict[str, Any]]) -> str:
    """Return the table of recalls at sizes, a row per size and source tree."""
    parts = [
        "\n| memories | | recall p50 | p95 | of which embedding p50 | after a store p50 | first recall | ",
        "session start | RSS MB | store p50 |\n",
        "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    ]
    for size in sizes:
        trees = [(name, size[name]) for name in ("before", "after")] if "after" in size else [("", size)]
        for name, row in trees:
            cells = [row["recall_cpu_ms"]["p50"], row["recall_cpu_ms"]["p95"]]
            cells.append(row["of_which_query_embedding_cpu_ms"]["p50"])
            cells += [row[kind]["p50"] for kind in ("recall_after_a_store_cpu_ms", "first_recall_cpu_ms")]
            cells += [row["session_start_cpu_ms"]["p50"], row["rss_mb"]]
            numbers = " | ".join(f"{cell:.1f}" if cell < 100 else f"{cell:.0f}" for cell in cells)
            store = f"{size['store_cpu_ms']['p50']:.1f}" if "store_cpu_ms" in size else ""
            parts.append(f"| {size['memories']:,} | {name} | {numbers} | {store} |\n")
    return "".join(parts)


def index_part(result: dict[str, Any]) -> str:
    """Return the table of what indexing trees costs."""
    bars, watch = result["bars"], result["watch"]
    parts = [
        "\nIndexing, beside a floor that parses every file with its grammar and writes its text to SQLite, no more.\n",
        "\n| tree | files | MB | MB per CPU s | the floor | share | RSS MB | rescan CPU s | one file, p95 | ",
        "search, p95 |\n",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    ]
    parts += [
        f"| {row['tree'].strip('_')} | {row['files']:,} | {row['megabytes']:.1f} | {row['mb_per_cpu_s']:.2f} | "
        f"{row['floor']['mb_per_cpu_s']:.2f} | {row['floor_share']:.2f} | {row['rss_mb']:.0f} | "
        f"{row['rescan_cpu_s']:.2f} | {row['one_file_cpu_ms']['p95']:.0f} | {row['search_cpu_ms']['p95']:.0f} |\n"
        for row in result["trees"]
    ]
    return "".join(
        [
            *parts,
            f"\nWanted: {bars['floor_share']} of the floor's speed, {bars['rescan_cpu_s']} s, ",
            f"{bars['one_file_cpu_ms_p95']:.0f} ms, {bars['search_cpu_ms_p95']:.0f} ms. While watching, a saved file ",
            f"is found after {watch['saved_to_found_ms']['p95']:.0f} ms (p95; at most {watch['bar_p95_ms']:.0f}).\n",
        ]
    )


def import_part(result: dict[str, Any]) -> str:
    """Return what importing transcripts costs."""
    return (
        f"\nImporting {result['mb']:,.0f} MB of transcripts of five assistants, before embedding: "
        f"{result['mb_per_cpu_s']:.1f} MB per CPU second (at least {result['bars']['mb_per_cpu_s']:.0f}), "
        f"{result['observations']:,} events of {result['kb_per_event']:.0f} KB each, "
        f"{result['memories']:,} memories; memory grew by "
        f"{result['rss_grown_mb']:.0f} MB to {result['rss_peak_mb']:.0f} MB. Importing again: "
        f"{result['second_import_cpu_s']:.2f} CPU seconds.\n"
    )


def hook_part(result: dict[str, Any]) -> str:
    """Return the table of what hooks cost."""
    parts = [
        f"\nHooks on a store of {result['memories']:,} memories, beside the interpreter that runs them.\n",
        "\n| process | p50 | p95 | answered |\n| --- | ---: | ---: | ---: |\n",
    ]
    parts += [
        f"| {name} | {row['cpu_ms']['p50']:.0f} | {row['cpu_ms']['p95']:.0f} | {row.get('said', '')} |\n"
        for name, row in result["kinds"].items()
        if "cpu_ms" in row
    ]
    bars = result["bars"]
    return "".join(
        [
            *parts,
            f"\nCapture costs {result['capture_ratio_to_bare']:.2f} times the bare interpreter ",
            f"(at most {bars['capture_ratio']}); a prompt alone may cost {bars['prompt_alone_ms']:.0f} ms.\n",
        ]
    )


def assistants_part(result: dict[str, Any]) -> str:
    """Return the table of a result of bench/assistants.py."""
    parts = [
        f"\n# Real assistants\n\n`python bench/assistants.py --rig RIG.PY --clients DIR`, commit {result['commit']}, ",
        f"{_machine(result)}.\n\n",
        "Six sessions a row. Lines of a log that the rig takes for complaints of a hook, but that quote what we told ",
        "the model, are excluded and counted. Codex tells no exit code: there a failure that shows no error only has ",
        "to be captured as a command, which counts as held.\n\n",
        "| assistant, scope or way | checks that held | of | lines excluded |\n| --- | ---: | ---: | ---: |\n",
    ]
    for row in result["rows"]:
        held = (row["held"], row["of"]) if "held" in row else (row["status"], row["why"])
        parts.append(f"| {row['row']} | {held[0]} | {held[1]} | {row.get('complaints_set_aside', '')} |\n")
    return "".join(parts)


def graph_part(sizes: list[dict[str, Any]]) -> str:
    """Return the table of the graph's algorithms, networkx beside them where it was measured."""
    head = "".join(f" {row['nodes']:,} nodes, {row['edges']:,} edges |" for row in sizes)
    parts = [f"\n| graph | networkx at the first size |{head}\n| --- | ---: |{' ---: |' * len(sizes)}\n"]
    beside = sizes[0].get("networkx_cpu_ms", {})
    for name in sizes[0]["cpu_ms"]:
        other = f"{beside[name]:,.0f}" if name in beside else ""
        cells = "".join(f" {row['cpu_ms'][name]:,.0f} |" for row in sizes)
        parts.append(f"| {name.replace('_', ' ')} | {other} |{cells}\n")
    cells = "".join(f" {row['impact_cpu_ms']['p95']:.1f} |" for row in sizes)
    return "".join([*parts, f"| what a change reaches, p95 | |{cells}\n"])


def freshness_part(result: dict[str, Any]) -> str:
    """Return the tables of a result of bench/freshness.py."""
    repositories = ", ".join(f"{name} {count}" for name, count in result["repositories"].items())
    stale = sum(result["never_stale"].values())
    harmless = sum(result["kinds"][kind]["n"] for kind in result["never_stale"])
    command = "python bench/freshness.py --repos DIR …"
    parts = [
        f"\n# Freshness\n\n`{command}`, commit {result['commit']}, {_machine(result)}.\n",
        f"\n{result['edits']:,} edits of symbols ({repositories}), ",
        "each with a memory of the symbol and one of its file. ",
        f"Of {harmless:,} whose code was commented, formatted, edited elsewhere or put back, {stale} went stale.\n",
        "\n| verdict | n | precision | recall |\n| --- | ---: | ---: | ---: |\n",
    ]
    parts += [
        f"| {name} | {row['n']:,} | {100 * row['precision']:.1f} | {100 * row['recall']:.1f} |\n"
        for name, row in result["verdicts"].items()
    ]
    parts.append("\n| edit | n | verdict right | place right |\n| --- | ---: | ---: | ---: |\n")
    parts += [
        f"| {kind} | {row['n']:,} | {100 * row['verdict']:.1f} | {100 * row['place']:.1f} |\n"
        for kind, row in result["kinds"].items()
    ]
    return "".join(parts)


def formatters_part(result: dict[str, Any]) -> str:
    """Return the table of a result of bench/freshness.py --across."""
    parts = [
        "\n# Freshness across a formatter\n\n",
        "`python bench/freshness.py --across REPO@COMMIT … --typescript DIR --java`, ",
        f"commit {result['commit']}, {_machine(result)}.\n\n",
        "Symbols of files that a commit reformatted, with edits planted into some. Fresh means the same syntax ",
        "tree before and after, by Python's `ast`, by the TypeScript compiler and by javac.\n\n",
        "| repository | commit | symbols | edits | fresh: n | precision | recall | changed: n | precision | recall |\n",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    ]
    for row in result["repositories"]:
        shares = " | ".join(
            f"{row[name]['n']:,} | {100 * row[name]['precision']:.1f} | {100 * row[name]['recall']:.1f}"
            for name in ("fresh", "changed")
        )
        parts.append(f"| {row['repository']} | {row['commit']} | {row['symbols']:,} | {row['planted']} | {shares} |\n")
    return "".join(parts)


def history_part(result: dict[str, Any]) -> str:
    """Return the table of a result of bench/history.py."""
    flag = " --vectors" if result["vectors"] else ""
    kinds = list(dict.fromkeys(kind for row in result["repositories"].values() for kind in row["kinds"]))
    overall = result["overall"]
    parts = [
        f"\n# History\n\n`python bench/history.py --repos DIR …{flag}`, ",
        f"commit {result['commit']}, {_machine(result)}.\n\n",
        "Questions about the past of repositories, after `import-history`: how many have the right source among the ",
        "first five hits, of written questions (asked) among the first three. ",
        f"Of all {overall['questions']:,}: {100 * overall.get('right', overall.get('top_5', 0)):.1f}, ",
        f"first hit {100 * overall['first']:.1f}.\n\n",
        f"| repository | commits | memories | import CPU s | {' | '.join(kinds)} |\n",
        f"| --- | ---: | ---: | ---: |{' ---: |' * len(kinds)}\n",
    ]
    for name, row in result["repositories"].items():
        shares = " | ".join(
            f"{100 * (row['kinds'][kind].get('top_3') or row['kinds'][kind].get('top_5') or 0):.0f}"
            if kind in row["kinds"]
            else ""
            for kind in kinds
        )
        parts.append(f"| {name} | {row['commits']:,} | {row['memories']:,} | {row['import_cpu_s']} | {shares} |\n")
    return "".join(parts)


def callgraph_part(result: dict[str, Any]) -> str:
    """Return the table of a result of bench/callgraph.py."""
    parts = [
        f"\n# Call graphs\n\n`python bench/callgraph.py --suite DIR --language {result['language']}`, ",
        f"commit {result['commit']}, {_machine(result)}.\n\n",
        f"{result['cases']} programs, {result['exact']} of them without a mistake; {result['edges']} calls: ",
        f"precision {100 * result['precision']:.1f}, recall {100 * result['recall']:.1f}.\n\n",
        "| kind of program | calls | found wrongly | missed |\n| --- | ---: | ---: | ---: |\n",
    ]
    parts += [
        f"| {name} | {row['edges']} | {row['wrong']} | {row['missed']} |\n" for name, row in result["groups"].items()
    ]
    return "".join(parts)


# What asks for each section of a result of bench/recall.py.
FLAGS = {
    "recall": "--data FILE",
    "supersession": "--supersession FILE",
    "negative": "--negative",
    "ablation": "--data FILE --ablate",
}


def _recall_command(result: dict[str, Any]) -> str:
    limit = f" --limit {result['limit']}" if result.get("limit") else ""
    return "python bench/recall.py " + " ".join(FLAGS[name] for name in FLAGS if name in result) + f"{limit} --json"


def _machine(result: dict[str, Any]) -> str:
    return f"{result['machine']}, {result['cores']} cores, Python {result['python']}"


def patterns_part(result: dict[str, Any]) -> str:
    """Return the summary of a result of bench/patterns.py."""
    rows = result["rows"]
    planted, found = sum(row["planted"] for row in rows), sum(row["found"] for row in rows)
    reported, false = sum(row["reported"] for row in rows), sum(row["false"] for row in rows)
    worst = max(row["false"] / max(1, row["reported"]) for row in rows)
    sessions = sorted(row["sessions"] for row in rows)
    command = f"python bench/patterns.py --seeds {result['seeds']} --first {result['first']} --json"
    return (
        f"\n# Patterns\n\n`{command}`, commit {result['commit']}, {_machine(result)}.\n\n"
        f"{len(rows)} months of {sessions[0]} to {sessions[-1]} sessions, "
        "each with planted patterns of all five kinds and near misses.\n\n"
        "| planted | found | reported | false | false in the worst month |\n| ---: | ---: | ---: | ---: | ---: |\n"
        f"| {planted} | {100 * found / planted:.1f} | {reported} | {100 * false / reported:.1f} | {100 * worst:.1f} |\n"
    )


def consolidation_cost_part(result: dict[str, Any]) -> str:
    """Return the table of `bench/consolidate.py cost`."""
    rows = "".join(
        f"| {row['cycle']} | {row['by']} | {row['memories']:,} | {row['steps']:,} | {row['plan_cpu_s']} "
        f"| {row['plan_us_per_memory']:.0f} | {'' if row['apply_cpu_s'] is None else row['apply_cpu_s']} |\n"
        for row in result["rows"]
    )
    return (
        f"\n# Cycles of consolidation\n\n`python bench/consolidate.py cost`, commit {result['commit']}, "
        f"{_machine(result)}; CPU seconds, and microseconds a memory for the plan.\n\n"
        "| cycle | by | memories | steps | plan s | plan µs each | apply s |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n" + rows
    )


def consolidation_year_part(result: dict[str, Any]) -> str:
    """Return what `bench/consolidate.py year` found, a row for each thing that must hold."""
    runs = ", ".join(f"{cycle} {number}" for cycle, number in result["runs"].items())
    closely = result["closely"]
    same = result["previews_in_the_year"] - len(result["previews_differing"])
    before, after = result["own_words_without_cycles"], result["own_words_after"]
    rows = [
        ("previews that were what was applied, of runs in the year", f"{same} of {result['previews_in_the_year']}"),
        *(
            (
                f"{row['cycle']} of {row['affected']:,} memories: preview is applied, lost or changed, undo restores",
                f"{_yes(row['preview_is_applied'])}, {row['lost'] + row['changed']}, {_yes(row['undo_restores'])}",
            )
            for row in closely
        ),
        ("every text is there that is there without cycles", _yes(result["every_text_is_there"])),
        (
            f"found by own words ({after['n']}): first, among five, among ten; without cycles",
            " ".join(f"{100 * after[name]:.1f}" for name in ("first", "among_five", "found"))
            + "; "
            + " ".join(f"{100 * before[name]:.1f}" for name in ("first", "among_five", "found")),
        ),
        *(
            (f"conversations, {name}: with and without cycles", f"{100 * with_:.2f}, {100 * without:.2f}")
            for name, with_, without in _dev_rows(result)
        ),
        ("database MB with cycles", _over_days(result["database_mb"])),
        ("database MB without", _over_days(result["database_mb_without_cycles"])),
    ]
    return (
        f"\n# A year of consolidation\n\n`python bench/consolidate.py year --memories 10000 --data …`, commit "
        f"{result['commit']}, {_machine(result)}. {result['memories']:,} memories are captured in its first months "
        f"beside {result['turns']:,} turns of conversations; runs: {runs}, of {sum(result['cpu_s'].values()):.0f} CPU "
        f"seconds together. {result['summaries']:,} summaries.\n\n| | |\n| --- | ---: |\n"
        + "".join(f"| {name} | {value} |\n" for name, value in rows)
    )


def _dev_rows(result: dict[str, Any]) -> list[tuple[str, float, float]]:
    after, before = result["dev_recall_after"], result["dev_recall_without_cycles"]
    return [(name, after[name], before[name]) for name in after if name != "n"]


def _over_days(sizes: dict[str, float]) -> str:
    return ", ".join(f"{name} {size:.1f}" for name, size in sizes.items())


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def usefulness_part(result: dict[str, Any]) -> str:
    """Return what `bench/usefulness.py` found."""
    told = "".join(
        f"| {'learning' if row['learning'] else 'forgetting'} "
        + "".join(f"| {third['told']} | {third['used']} | {third['helped']} " for third in row["thirds"])
        + f"| {row['facts_before']['hits@1']} → {row['facts_after']['hits@1']} |\n"
        for row in result["streams"]
    )
    bad = result["adversary"]
    return (
        f"\n# What is told, and used\n\n`python bench/usefulness.py`, by {result['by']}, commit {result['commit']}, "
        f"{_machine(result)}. {result['streams'][0]['sessions']} sessions in thirds: how many memories were told "
        "unasked, how many of them were used, in how many sessions the one that helps was among them; then how many of "
        "40 facts a plain question finds first, before and after.\n\n"
        "| stream | told | used | helped | told | used | helped | told | used | helped | facts |\n"
        f"| --- {'| ---: ' * 10}|\n{told}\n"
        f"{bad['sessions']} hostile sessions end at a confidence of {bad['confidence_of_wrong']} for what they cite, "
        f"{bad['confidence_of_contradicted'][0]} for what they contradict (bounds {bad['bounds'][0]} and "
        f"{bad['bounds'][1]}), and at leanings from {bad['leaning'][0]} to {bad['leaning'][2]} (bounds "
        f"{bad['leaning_bounds'][0]} and {bad['leaning_bounds'][1]}); facts found first: "
        f"{bad['facts_before']['hits@1']} → {bad['facts_after']['hits@1']}.\n"
    )


def hierarchy_part(result: dict[str, Any]) -> str:
    """Return the tables of a result of bench/hierarchy.py."""
    past, sources = result["history"], result["sources"]
    words = {
        "issues": "--labels FILE --repos DIR",
        "commits": f"--history REPOSITORY … --tasks {past['tasks']} --seed {past['seed']}",
    }
    told = [f"{group} of {', '.join(names)}" for group, names in sources.items()]
    command = f"python bench/hierarchy.py {' '.join(words[group] for group in sources)} --json"
    return (
        f"\n# Hierarchy\n\n`{command}`, commit {result['commit']}, {_machine(result)}; without vectors.\n\n"
        "What is in the window once a task was begun with its description alone: the share of the files it turned out "
        "to need that is there at all, as text (the whole file, or the symbols around a changed line) or by its "
        f"outline, and the share of tasks with all files there. Tasks: {'; '.join(told)}.\n\n"
        "The other ways fill the same bytes. grep: the files that hold most of the names in the task, whole. map: "
        "what the repository map, drawn around the task and as large as level 4, names, which counts as outlined. "
        "rare words: all words of the task, rare ones and names counting more, in paths too, and tests by half if "
        "they come last; a small search engine. map, opened: the files of a large map, whole, most central first.\n\n"
        + "\n".join(hierarchy.tables(result))
        + "\nHow much of a file comes as text, and how long outlines are, was chosen on commits of five other "
        "projects and with a look at these issues. A map names more files in 50 KB than level 1, which holds their "
        "text.\n"
    )


# Benchmark → the part of the page it makes; all others are results of bench/recall.py.
PARTS = {
    "hierarchy": hierarchy_part,
    **dict.fromkeys(("episodic-replay", "episodic-recall", "episodic-speed"), episodic.part),
    "usefulness": usefulness_part,
    "consolidate-cost": consolidation_cost_part,
    "consolidate-year": consolidation_year_part,
    "patterns": patterns_part,
    "speed": speed_part,
    "code-search": code_part,
    "freshness": freshness_part,
    "formatters": formatters_part,
    "history": history_part,
    "assistants": assistants_part,
    "context-cost": context_cost.part,
    "callgraph": callgraph_part,
}


def headlines(results: list[dict[str, Any]]) -> str:
    """Return one screen of numbers, each with what it is compared with and the commit it was measured at."""
    rows = [row for result in results for row in HEADLINES.get(result["benchmark"], _recall_headlines)(result)]
    lines = [f"| {what} | {value} | {beside} | {commit} |\n" for what, value, beside, commit in rows]
    return "\n| | recollect | beside | commit |\n| --- | ---: | --- | --- |\n" + "".join(lines)


def _recall_headlines(result: dict[str, Any]) -> Iterator[Row]:
    for report in result.get("recall", ()):
        ours, words = (report[name]["evidence"]["headline"] for name in ("recollect", "bm25"))
        for metric in ("recall@10", "mrr"):
            yield (
                f"{report['name']}: {metric}",
                _percent(ours[metric]),
                f"BM25 {_percent(words[metric])}",
                result["commit"],
            )
    for report in result.get("supersession", ()):
        ours, words = (report[name]["updated"]["current_first"] for name in ("recollect", "bm25"))
        yield "changed facts: current version first", _percent(ours), f"BM25 {_percent(words)}", result["commit"]
    for report in result.get("negative", ()):
        silent = report["conversations"][0]["wrong_conversation"]["silent"]
        yield "questions to the wrong conversation: nothing injected", _percent(silent), "", result["commit"]


def _code_headlines(result: dict[str, Any]) -> Iterator[Row]:
    kind = "with vectors" if result["embeddings"] else "by words"
    yield f"code search {kind}: nDCG@10", _percent(result["code_search"]["all"]["ndcg@10"]), "", result["commit"]


def _told_headlines(result: dict[str, Any]) -> Iterator[Row]:
    for split in filter(result.__contains__, told_month.SPLITS):
        found = result[split]["server"]
        tokens = f"{found['tokens_per_start']['mean']:.0f} tokens per session start"
        yield (
            f"briefings and injections, {split}: useful lines",
            _percent(found["lines"]["useful"]),
            tokens,
            result["commit"],
        )


def _notes_headlines(result: dict[str, Any]) -> Iterator[Row]:
    for kind, first in (("asked", "hit@1"), ("paraphrased", "hit@5")):
        rows = result["recall"][kind]
        beside = ", ".join(f"{name} {rows[way][first]}" for name, way in (("cosine", "cosine"), ("words", "lexical")))
        name = f"engineering notes, {result['split']} half: {kind} {first}"
        yield name, f"{rows['engine'][first]} %", beside, result["commit"]


def _formatter_headlines(result: dict[str, Any]) -> Iterator[Row]:
    least = min(row["fresh"]["recall"] for row in result["repositories"])
    told = f"the worst of {len(result['repositories'])} repositories"
    yield "unchanged code stays fresh across a formatter", _percent(least), told, result["commit"]


def _cost_headlines(result: dict[str, Any]) -> Iterator[Row]:
    tokens = {name: row["tools_list_tokens"] for name, row in result["servers"].items()}
    beside = ", ".join(f"{name} {count:,}" for name, count in tokens.items() if not name.startswith("recollect"))
    yield "tokens of the tool list", f"{tokens['recollect']:,}", beside, result["commit"]


def _redaction_headlines(result: dict[str, Any]) -> Iterator[Row]:
    altered = f"{result['benign']['altered']} of {result['benign']['lines']:,} benign lines altered"
    yield "held-out secrets replaced", f"{result['held_out']['found']:.2%}", altered, result["commit"]


def _speed_headlines(result: dict[str, Any]) -> Iterator[Row]:
    if result.get("hook"):
        ratio = f"{result['hook']['capture_ratio_to_bare']:.2f} ×"
        yield "capture hook, CPU", ratio, "a bare interpreter", result["commit"]


def _call_headlines(result: dict[str, Any]) -> Iterator[Row]:
    total, names = result["total"], ", ".join(result["projects"])
    yield "calls that tests make and the code names: linked", _percent(total["written_recall"]), names, result["commit"]


def _mutant_headlines(result: dict[str, Any]) -> Iterator[Row]:
    kept, rows = result["kept_of_what_all_found_have"], result["median_rows_shown"]
    what = f"failing tests of {result['mutants']} broken functions in a review of {rows:g} rows (median)"
    yield (
        what,
        _percent(result["recall_of_rows_shown"]),
        f"{_percent(kept)} of what the whole list has",
        result["commit"],
    )


def _imported_headlines(result: dict[str, Any]) -> Iterator[Row]:
    same, names = result["overall"]["same"], ", ".join(row["repository"] for row in result["repositories"])
    told = f"precision {_percent(same['precision'])}; {names}, against syntax trees at both commits"
    yield "imported memories whose code is unchanged: fresh", _percent(same["recall"]), told, result["commit"]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


# Benchmark → its rows of the first table; those of bench/recall.py are found by their sections.
HEADLINES: dict[str, Callable[[dict[str, Any]], Iterator[Row]]] = {
    **dict.fromkeys(PARTS, lambda result: iter(())),
    "code-search": _code_headlines,
    "told": _told_headlines,
    "notes-recall": _notes_headlines,
    "formatters": _formatter_headlines,
    "context-cost": _cost_headlines,
    "redaction": _redaction_headlines,
    "speed": _speed_headlines,
    "dynamic-calls": _call_headlines,
    "review-mutants": _mutant_headlines,
    "history-freshness": _imported_headlines,
}
# Results that have their numbers in the first table and in an ADR, and no tables of their own.
WITHOUT_PART = ("told", "notes-recall", "redaction", "dynamic-calls", "review-mutants", "history-freshness")


# The results of the page in its order, by the name that follows the commit in their file's name.
ORDER = (
    *("recall-negative", "recall-supersession-negative", "notes-recall", "told", "code-search-embeddings"),
    *("code-search", "dynamic-calls", "formatters", "history-freshness", "review-mutants", "context-cost", "redaction"),
    *("speed-hook", "recall-ablation"),
    *(
        "freshness",
        "assistants",
        "history",
        "history-git",
        "speed",
        "speed-graph",
        "speed-import",
        "patterns",
        "callgraph",
    ),
    *("consolidate-cost", "consolidate-year", "usefulness", "episodic-replay", "episodic-recall", "episodic-speed"),
    "hierarchy",
)
RESULTS = Path(__file__).parent / "results"
# What every result begins with; the section that follows tells measurements of one name apart.
STAMP = ("benchmark", "commit", "at", "machine", "cores", "python")


def newest() -> list[Path]:
    """Return the newest result of each measurement, in the order of the page."""
    found: dict[tuple[str, str], Path] = {}
    for path in sorted(RESULTS.glob("*.json"), key=_committed_at):
        section = next(name for name in json.loads(path.read_text(encoding="utf-8")) if name not in STAMP)
        found[path.stem.partition("-")[2], section] = path
    kept = [(ORDER.index(name), path) for (name, _section), path in found.items() if name in ORDER]
    return [path for _place, path in sorted(kept)]


def _committed_at(path: Path) -> int:
    """Return when a result was committed; one that is not yet is the newest."""
    command = ["git", "log", "-1", "--format=%ct", "--", str(path)]
    said = subprocess.run(command, cwd=RESULTS, capture_output=True, text=True, check=True).stdout.strip()
    return int(said or 2**62)


def without_repeated(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the results without sections of bench/recall.py that an earlier one has."""
    shown: set[str] = set()
    left = []
    for result in results:
        is_recall = result["benchmark"].startswith("recall")
        left.append({name: value for name, value in result.items() if not (is_recall and name in shown)})
        shown |= {name for name in TABLES if is_recall and name in result}
    return left


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or newest()
    results = without_repeated([json.loads(path.read_text(encoding="utf-8")) for path in paths])
    parts = [
        PARTS.get(result["benchmark"], recall_part)(result)
        for result in results
        if result["benchmark"] not in WITHOUT_PART
    ]
    sys.stdout.write(HEAD + headlines(results) + "".join(parts))


if __name__ == "__main__":
    main()
