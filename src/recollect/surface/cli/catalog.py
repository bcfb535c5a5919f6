"""The catalog of commands: what is typed, which operation it runs, an example and related commands.

This is the one place that names commands. Every other name of an operation (its tool name, its older command name) is a
hidden alias, see command_table.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Entry(NamedTuple):
    """One command. `runs` names an operation or a handwritten command; `example` is what follows `recollect`."""

    runs: str
    example: str = ""
    related: tuple[str, ...] = ()


class Section(NamedTuple):
    """Commands under one title. Those of a group are typed after its name; common ones are in the overview."""

    title: str
    entries: Mapping[str, Entry]
    group: str = ""
    is_common: bool = False


CATALOG: tuple[Section, ...] = (
    Section(
        "Memories",
        {
            "store": Entry(
                "store_memory",
                'store "We use tabs in Makefiles" --type decision --tags make,style',
                ("search", "update", "snippet add"),
            ),
            "search": Entry("recall_memory", 'search "indentation in make" -n 5', ("pack", "list", "code")),
            "list": Entry("list_memories", "list --type decision --since 2w", ("search", "get")),
            "get": Entry("get_memory", "get 1f0c9a2e", ("list", "update", "changes")),
            "update": Entry("update_memory", 'update 1f0c9a2e --content "Makefiles use tabs"', ("delete", "undo")),
            "delete": Entry("delete_memory", "delete 1f0c9a2e", ("undo", "admin purge")),
            "undo": Entry("undo", "undo", ("changes",)),
            "pack": Entry("pack_context", 'pack "add a retry to the client" --tokens 4000', ("search", "code")),
        },
        is_common=True,
    ),
    Section(
        "Code",
        {
            "index": Entry("index_codebase", "index .", ("watch", "code", "map")),
            "code": Entry("search_code", 'code "where do we parse dates"', ("symbol", "symbols", "search")),
            "symbol": Entry("get_symbol_info", "symbol parse_date", ("symbols", "impact", "dependencies")),
            "impact": Entry("get_impact", "impact parse_date --depth 2", ("review", "dependencies")),
            "review": Entry("review_diff", "review main..HEAD", ("impact", "drift")),
        },
        is_common=True,
    ),
    Section(
        "Setup",
        {
            "init": Entry("init", "init --assistant claude", ("doctor", "uninit")),
            "import-history": Entry("import_history", "import-history . --since 2y", ("index", "import")),
            "doctor": Entry("doctor", "doctor", ("health", "init", "config")),
            "config": Entry("config", "config", ("doctor",)),
            "viz": Entry("viz", "viz", ("search", "health", "serve")),
        },
        is_common=True,
    ),
    Section(
        "More about memories",
        {
            "changes": Entry("list_changes", "changes -n 5", ("undo",)),
            "drift": Entry("drift", "drift --since 1w", ("settle", "review")),
            "settle": Entry("settle_drift", "settle 1f0c9a2e keep", ("drift",)),
            "import": Entry("import_memories", "import memories.jsonl --dry-run", ("export", "import-history")),
            "export": Entry("export_memories", "export memories.jsonl", ("import",)),
            "share": Entry("share_memories", "share 1f0c9a2e", ("trust", "export")),
            "trust": Entry("trust_repository", "trust .", ("untrust", "share")),
            "untrust": Entry("untrust_repository", "untrust .", ("trust",)),
            "stats": Entry("stats", "stats", ("health", "workspace stats")),
            "health": Entry("health", "health --thorough", ("doctor", "stats")),
        },
    ),
    Section(
        "More about code",
        {
            "watch": Entry("watch", "watch .", ("index",)),
            "map": Entry("repo_map", "map --tokens 2000", ("index", "symbols")),
            "symbols": Entry("search_symbols", "symbols parse --kind Function", ("symbol", "code")),
            "dependencies": Entry("get_dependencies", "dependencies parse_date", ("impact", "symbol")),
            "cycles": Entry("find_cycles", "cycles --of calls", ("dead-code",)),
            "dead-code": Entry("find_dead_code", "dead-code --min-confidence 0.8", ("cycles",)),
            "cross-repo": Entry("get_cross_repo", "cross-repo", ("dependencies",)),
        },
    ),
    Section(
        "More about setup",
        {
            "migrate": Entry("migrate", "migrate --to copy.db", ("config", "export")),
            "uninit": Entry("uninit", "uninit --dry-run", ("init",)),
            "serve": Entry("serve", "serve --toolset core,code", ("init", "doctor")),
            "completion": Entry("completion", "completion bash"),
            "help": Entry("help", "help graph traverse"),
        },
    ),
    Section(
        "Links between memories and code",
        {
            "traverse": Entry("graph_traverse", "graph traverse 1f0c9a2e --max-depth 2"),
            "expand": Entry("recall_with_expansion", 'graph expand "why do we retry"'),
            "impact": Entry("recall_with_impact", 'graph impact "retry policy"'),
            "link": Entry("associate_memories", "graph link 1f0c9a2e 77b0d41c --relationship LEADS_TO"),
            "pagerank": Entry("get_pagerank", "graph pagerank -n 10"),
            "clusters": Entry("get_clusters", "graph clusters"),
            "layout": Entry("graph_layout", "graph layout -n 500 --json"),
            "embedding-map": Entry("embedding_map", "graph embedding-map -n 500 --json"),
            "recompute": Entry("recompute_centrality", "graph recompute"),
        },
        group="graph",
    ),
    Section(
        "Clean-up of old and repeated memories",
        {
            "run": Entry("consolidate", "consolidate run --cycle decay"),
            "status": Entry("consolidation_status", "consolidate status"),
            "decay": Entry("consolidate_decay", "consolidate decay --threshold-days 60"),
            "creative": Entry("consolidate_creative", "consolidate creative"),
            "cluster": Entry("consolidate_cluster", "consolidate cluster"),
            "forget": Entry("consolidate_forget", "consolidate forget --importance-threshold 0.1"),
            "archive": Entry("archive_memory", "consolidate archive 1f0c9a2e"),
            "restore": Entry("restore_memory", "consolidate restore 1f0c9a2e"),
        },
        group="consolidate",
    ),
    Section(
        "Context window of the current task",
        {
            "show": Entry("context_window", "window show"),
            "start": Entry("context_window_start", 'window start "fix the date parser" --files dates.py'),
            "get": Entry("context_window_look_up", "window get dates.py"),
            "set": Entry("context_window_set", 'window set "Tests fail on Python 3.11" --name note'),
            "promote": Entry("context_window_promote", "window promote dates.py"),
            "demote": Entry("context_window_demote", "window demote dates.py"),
            "clean": Entry("context_window_clean", "window clean"),
            "complete": Entry("context_window_complete", "window complete"),
        },
        group="window",
    ),
    Section(
        "Projects and workspaces",
        {
            "list": Entry("list_namespaces", "workspace list"),
            "stats": Entry("namespace_stats", "workspace stats shop"),
            "init": Entry("workspace_init", "workspace init"),
            "create": Entry("workspace_create", "workspace create shop"),
            "get": Entry("workspace_retrieve", "workspace get shop"),
            "delete": Entry("delete_namespace", "workspace delete shop"),
        },
        group="workspace",
    ),
    Section(
        "Sessions of assistants",
        {
            "list": Entry("list_sessions", "session list -n 5"),
            "show": Entry("get_session", "session show 1f0c9a2e"),
            "context": Entry("session_context", "session context"),
            "preview": Entry("preview_context", 'session preview "how do we deploy?"'),
            "summarize": Entry("summarize_session", "session summarize 1f0c9a2e"),
        },
        group="session",
    ),
    Section(
        "Hook events and injected memories",
        {
            "ingest": Entry("ingest", "hooks ingest"),
            "prompt": Entry("submit_prompt", "hooks prompt < payload.json"),
            "usefulness": Entry("memory_usefulness", "hooks usefulness"),
        },
        group="hooks",
    ),
    Section(
        "Patterns across sessions",
        {
            "find": Entry("detect_patterns", "patterns find --since 2w"),
            "insights": Entry("pattern_insights", "patterns insights"),
            "decisions": Entry("get_decision_chain", "patterns decisions dates.py"),
            "commands": Entry("list_commands", "patterns commands --kind test"),
            "distil": Entry("distil", "patterns distil . --file AGENTS.md"),
        },
        group="patterns",
    ),
    Section(
        "Reusable code snippets",
        {
            "add": Entry("store_coding_memory", 'snippet add "retry = backoff(tries=3)" --code-type solution'),
            "find": Entry("retrieve_relevant_memories", 'snippet find "retry with backoff"'),
            "evolve": Entry("evolve_memory_network", "snippet evolve --scope recent"),
        },
        group="snippet",
    ),
    Section(
        "Administration",
        {
            "weights": Entry("set_scoring_weights", "admin weights --recency 0.2"),
            "spending": Entry("model_spending", "admin spending --days 7"),
            "rebuild": Entry("rebuild", "admin rebuild"),
            "purge": Entry("purge_memories", "admin purge 1f0c9a2e --dry-run"),
            "create-token": Entry("create_token", "admin create-token ci --scope write --projects shop"),
            "tokens": Entry("list_tokens", "admin tokens"),
            "revoke-token": Entry("revoke_token", "admin revoke-token ci"),
            "audit": Entry("list_token_calls", "admin audit --since 1d"),
        },
        group="admin",
    ),
)

# Older names of groups.
GROUP_ALIASES: Mapping[str, str] = {"context-window": "window", "namespace": "workspace", "sessions": "session"}

# What people type who do not know the commands yet → the command they mean.
SYNONYMS: Mapping[str, str] = {
    word: command
    for command, words in {
        "store": "add create new remember save",
        "session preview": "briefing",
        "get": "cat read show view",
        "init": "connect install setup",
        "update": "edit",
        "search": "find grep query recall",
        "delete": "forget remove rm",
        "list": "ls",
        "serve": "mcp server start",
        "workspace list": "projects",
        "undo": "revert",
        "config": "settings",
        "health": "status",
        "uninit": "uninstall",
    }.items()
    for word in words.split()
}
