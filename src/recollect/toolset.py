"""Toolsets: the groups of tools that a server lists. Every tool can be called, listed or not.

--toolset core            the default: what an assistant needs daily, in 2,000 tokens
--toolset core,graph      several groups
--toolset documented      the 39 tools of the original documents
--toolset all             everything
"""

from __future__ import annotations

from collections.abc import Mapping

# No tool of `core` can lose data: `undo` reverts their changes.
_TOOLS: Mapping[str, str] = {
    "core": (
        "recall_memory store_memory get_memory update_memory delete_memory pack_context search_code get_symbol_info "
        "get_impact review_diff list_sessions index_codebase"
    ),
    "memory": (
        "recall_memory store_memory get_memory list_memories update_memory delete_memory associate_memories "
        "pack_context drift settle_drift store_coding_memory retrieve_relevant_memories evolve_memory_network undo"
    ),
    "code": (
        "index_codebase search_code search_symbols get_symbol_info get_dependencies get_impact review_diff repo_map "
        "find_cycles find_dead_code get_cross_repo"
    ),
    "graph": (
        "recall_with_expansion recall_with_impact associate_memories graph_traverse get_pagerank get_clusters "
        "graph_layout embedding_map recompute_centrality"
    ),
    "sessions": (
        "session_context preview_context list_sessions get_session summarize_session submit_prompt ingest "
        "detect_patterns pattern_insights get_decision_chain list_commands distil memory_usefulness"
    ),
    "consolidation": (
        "consolidate consolidation_status consolidate_decay consolidate_creative consolidate_cluster "
        "consolidate_forget archive_memory restore_memory"
    ),
    "workspaces": "list_namespaces namespace_stats workspace_init workspace_create workspace_retrieve",
    "window": (
        "context_window_start context_window_look_up context_window_set context_window_promote context_window_demote "
        "context_window_clean context_window_complete context_window"
    ),
    "admin": (
        "stats health model_spending rebuild list_changes undo set_scoring_weights import_history import_memories "
        "export_memories share_memories delete_namespace purge_memories"
    ),
    "documented": (
        "store_memory recall_memory recall_with_expansion update_memory delete_memory associate_memories "
        "graph_traverse index_codebase search_symbols get_symbol_info get_dependencies get_impact get_clusters "
        "get_cross_repo get_pagerank search_code set_scoring_weights list_namespaces namespace_stats delete_namespace "
        "export_memories import_memories consolidate_decay consolidate_creative consolidate_cluster "
        "consolidate_forget consolidation_status recall_with_impact get_decision_chain detect_patterns "
        "pattern_insights codemem_stats codemem_health store_coding_memory retrieve_relevant_memories "
        "evolve_memory_network workspace_init workspace_create workspace_retrieve"
    ),
}
GROUPS: Mapping[str, tuple[str, ...]] = {group: tuple(names.split()) for group, names in _TOOLS.items()}
EVERYTHING = "all"
TOOLSETS = (*GROUPS, EVERYTHING)
DEFAULT = "core"


def parse_toolset(value: object) -> str:
    """Return the names of groups joined by commas, each once; raises ValueError with the groups there are."""
    names = [name.strip().lower() for name in str(value).split(",") if name.strip()]
    if not names or not {*TOOLSETS}.issuperset(names):
        raise ValueError(f"expected one or more of {', '.join(TOOLSETS)}, joined by commas")
    return ",".join(dict.fromkeys(names))


def tool_names(toolset: str) -> tuple[str, ...] | None:
    """Return the names of the tools in a toolset, in order; None: every tool."""
    groups = toolset.split(",")
    if EVERYTHING in groups:
        return None
    return tuple(dict.fromkeys(name for group in groups for name in GROUPS[group]))
