"""A grant covers what its scope and its projects say, and nothing of another project can be named."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.capabilities import OPERATIONS
from recollect.engine.admin.access_rules import (
    EVERYWHERE,
    MOVES,
    PROJECTS,
    ROWS,
    RULES,
    SEARCHES,
    SPENDING,
    UNKNOWN,
    Row,
    Rule,
    arguments_for,
)
from recollect.engine.admin.access_tokens import LOCAL, SCOPES, Grant
from recollect.errors import Forbidden, InvalidInput
from recollect.operations import WORDS, Operation, choices

MINE = Grant("t", "ci", "admin", ("mine",))
BOTH = MINE._replace(projects=("mine", "ours"))
CONFINED = [row for row in OPERATIONS.values() if not RULES[row.name].is_whole]
EACH = pytest.mark.parametrize("row", OPERATIONS.values(), ids=lambda row: row.name)
EACH_CONFINED = pytest.mark.parametrize("row", CONFINED, ids=lambda row: row.name)

# Parameters that name neither a project nor a row nor a file: words, numbers, and paths and symbols inside the code of
# the project. A new parameter belongs into one of the tables of access_rules, or here.
HARMLESS = set(
    """
    action active algorithm amend anchors apply archived as_of author branch category code code_type code_types
    confidence content context cycle damping deduplicate depth description direction expansion_depth explain focus
    freshness graph importance importance_threshold kind kinds language last level limit max_depth metadata
    min_centrality min_confidence min_relevance min_score name observed of offset order path pattern_types plan preview
    profile query range recency relationship relationships reset resolution since source strict subject symbol
    tags task temporal useless prompt
    id_prefix threshold_days title token tokens type undo until valid_from vector weight
    """.split()
)


def required(row: Operation) -> dict[str, Any]:
    """Return valid values of the required parameters."""
    values: dict[str, Any] = {}
    for parameter in row.parameters:
        if parameter.required:
            values[parameter.name] = next(iter(choices(parameter.type)), "x")
    return {name: "mine" if name in PROJECTS else value for name, value in values.items()}


def known(kind: str, given: str, projects: tuple[str, ...]) -> Row | None:
    """Find a row by the name of its project."""
    return Row(f"full-{given}", given) if given in ("mine", "ours", "theirs") else None


def everything(kind: str, given: str, projects: tuple[str, ...]) -> Row | None:
    return Row(given, "mine")


# --- the table ---


def test_every_operation_has_a_rule_and_every_rule_an_operation() -> None:
    assert set(RULES) == set(OPERATIONS)
    assert len(RULES) >= 77


@EACH
def test_the_level_of_an_operation_follows_from_what_it_does(row: Operation) -> None:
    level = RULES[row.name].level
    # What only a hook event changes is read without one.
    assert level != "read" or row.read_only or "payload" in RULES[row.name].guarded
    assert not row.destructive or level == "admin"


def test_operations_on_files_hooks_tokens_and_the_whole_store_are_for_admins() -> None:
    names = (
        "index_codebase import_history export_memories distil context_window_start rebuild undo set_scoring_weights "
        "create_token list_tokens revoke_token ingest submit_prompt"
    )
    assert {RULES[name].level for name in names.split()} == {"admin"}
    guarded = {(name, parameter) for name, rule in RULES.items() for parameter in rule.guarded}
    assert guarded >= {("review_diff", "path"), ("import_memories", "path"), ("session_context", "payload")}
    assert all(parameter in {each.name for each in OPERATIONS[name].parameters} for name, parameter in guarded), (
        "a guarded parameter does not exist"
    )


@EACH_CONFINED
def test_every_parameter_that_a_limited_grant_may_give_was_looked_at(row: Operation) -> None:
    named = {parameter.name for parameter in row.parameters}
    assert named & {*PROJECTS, *ROWS}, "it names no project: is_whole"
    assert named <= {*PROJECTS, *ROWS, *EVERYWHERE, *SPENDING, *RULES[row.name].guarded, *HARMLESS}


def test_an_operation_without_a_rule_needs_a_grant_for_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.engine.admin.access_rules.RULES", {})
    assert Rule("admin", is_whole=True) == UNKNOWN
    for grant in (MINE, LOCAL._replace(scope="write")):
        with pytest.raises(Forbidden):
            arguments_for(grant, OPERATIONS["recall_memory"], {"query": "x", "project": "mine"}, everything)
    assert arguments_for(LOCAL, OPERATIONS["recall_memory"], {"query": "x"}, everything) == {"query": "x"}


# --- scopes ---


@EACH
@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_covers_its_level_and_those_below(row: Operation, scope: Any) -> None:
    grant = LOCAL._replace(scope=scope)
    if SCOPES.index(scope) < SCOPES.index(RULES[row.name].level):
        with pytest.raises(Forbidden):
            arguments_for(grant, row, required(row), everything)
    else:
        assert arguments_for(grant, row, required(row), everything) == required(row)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("review_diff", {"path": "/etc"}),
        ("import_memories", {"path": "memories.jsonl"}),
        ("session_context", {"payload": "{}"}),
        ("summarize_session", {"assistant": "claude"}),
    ],
)
def test_files_and_hook_events_need_an_admin_of_all_projects(name: str, given: dict[str, str]) -> None:
    row = OPERATIONS[name]
    for grant in (LOCAL._replace(scope="write"), MINE):
        with pytest.raises(Forbidden):
            arguments_for(grant, row, given, everything)
    assert arguments_for(LOCAL, row, given, everything) == given


def test_a_guarded_parameter_may_have_its_default() -> None:
    reader = LOCAL._replace(scope="read")
    assert arguments_for(reader, OPERATIONS["review_diff"], {"path": ".", "diff": "x"}, everything)["diff"] == "x"


def test_a_reader_cannot_spend_the_budget_of_the_language_model() -> None:
    row, asked = OPERATIONS["recall_memory"], {"query": "x", "judge": True}
    for grant in (LOCAL._replace(scope="read"), MINE._replace(scope="read")):
        with pytest.raises(Forbidden, match="judge needs a token with scope write"):
            arguments_for(grant, row, asked, everything)
        assert arguments_for(grant, row, {**asked, "judge": False}, everything)["judge"] is False
    assert arguments_for(LOCAL._replace(scope="write"), row, asked, everything)["judge"] is True


# --- projects ---


@EACH
def test_a_limited_grant_names_its_own_projects_only(row: Operation) -> None:
    if RULES[row.name].is_whole:
        with pytest.raises(Forbidden):
            arguments_for(MINE, row, required(row), everything)
        return
    checked = arguments_for(MINE, row, required(row), everything)
    named = {checked[name] for name in PROJECTS if name in checked}
    takes_one = any(parameter.name in PROJECTS for parameter in row.parameters)
    assert named == ({"mine"} if takes_one and row.name not in MOVES else set())


@EACH_CONFINED
def test_no_parameter_names_a_foreign_project(row: Operation) -> None:
    spelled = {public: python for python, public in WORDS.items()}
    for parameter in row.parameters:
        if parameter.name not in PROJECTS:
            continue
        for name in (parameter.name, spelled.get(parameter.name, parameter.name)):
            given = {key: value for key, value in required(row).items() if key != parameter.name}
            for foreign in ("theirs", " theirs ", "", "-", ".", "..", "mine/..", "MINE", "./mine", "/"):
                with pytest.raises(Forbidden):
                    arguments_for(MINE, row, {**given, name: foreign}, everything)
            assert arguments_for(MINE, row, {**given, name: " mine "}, everything)[parameter.name] == "mine"


@EACH_CONFINED
def test_a_grant_for_two_projects_must_name_one(row: Operation) -> None:
    given = {key: value for key, value in required(row).items() if key not in PROJECTS}
    projects = [parameter.name for parameter in row.parameters if parameter.name in PROJECTS]
    if not projects or row.name in MOVES | SEARCHES:
        assert not set(PROJECTS) & arguments_for(BOTH, row, given, everything).keys()
        return
    if not any(parameter.required for parameter in row.parameters if parameter.name in PROJECTS):
        with pytest.raises(Forbidden) as refused:
            arguments_for(BOTH, row, given, everything)
        assert "mine, ours" in refused.value.hint
    assert arguments_for(BOTH, row, {**given, projects[0]: "ours"}, everything)[projects[0]] == "ours"


@EACH_CONFINED
def test_what_names_no_project_is_private_for_a_person(row: Operation) -> None:
    ada = BOTH._replace(projects=("private:ada", *BOTH.projects))
    given = {key: value for key, value in required(row).items() if key not in PROJECTS}
    projects = [parameter.name for parameter in row.parameters if parameter.name in PROJECTS]
    if projects and row.name not in MOVES | SEARCHES and not any(name in required(row) for name in PROJECTS):
        assert arguments_for(ada, row, given, everything)[projects[0]] == "private:ada"


@EACH_CONFINED
def test_no_switch_widens_a_limited_grant(row: Operation) -> None:
    for parameter in row.parameters:
        if parameter.name in EVERYWHERE:
            name = {"global": "global_"}.get(parameter.name, parameter.name)
            for spelled in (parameter.name, name):
                for value in (True, "true", 1):
                    with pytest.raises(Forbidden):
                        arguments_for(MINE, row, {**required(row), spelled: value}, everything)
            assert arguments_for(MINE, row, {**required(row), parameter.name: False}, everything)


@EACH_CONFINED
def test_no_parameter_names_a_foreign_row(row: Operation) -> None:
    rows = [parameter.name for parameter in row.parameters if parameter.name in ROWS]
    for name in rows:
        given = {**required(row), **dict.fromkeys(set(rows) & set(required(row)), "mine")}
        for foreign in ("theirs", "unknown"):
            with pytest.raises(Forbidden) as refused:
                arguments_for(MINE, row, {**given, name: foreign}, known)
            # The same for a row of another project as for one that does not exist.
            assert refused.value.message == f"no {ROWS[name]} of this token's projects has the id {foreign}"
        assert arguments_for(MINE, row, {**given, name: "mine"}, known)[name] == "full-mine"


@EACH_CONFINED
def test_a_memory_for_all_projects_may_be_read_and_not_changed(row: Operation) -> None:
    for name, kind in ROWS.items():
        if name not in {parameter.name for parameter in row.parameters}:
            continue
        given = {**required(row), name: "shared"}

        def find(kind: str, id_: str, projects: tuple[str, ...]) -> Row | None:
            return Row(id_, None if id_ == "shared" else "mine")

        if row.read_only and kind != "session":
            assert arguments_for(MINE, row, given, find)[name] == "shared"
        else:
            with pytest.raises(Forbidden):
                arguments_for(MINE, row, given, find)


def test_moving_a_memory_keeps_it_where_it_is_unless_a_project_is_named() -> None:
    row = OPERATIONS["update_memory"]
    assert arguments_for(MINE, row, {"memory_id": "m", "title": "x"}, everything) == {"memory_id": "m", "title": "x"}
    with pytest.raises(Forbidden):
        arguments_for(MINE, row, {"memory_id": "m", "project": ""}, everything)


def test_arguments_are_checked_before_anything_is_found() -> None:
    row = OPERATIONS["list_memories"]
    for wrong in ({"project": ["mine"]}, {"project": "mine", "namespace": "theirs"}, {"nonsense": 1}):
        with pytest.raises(InvalidInput):
            arguments_for(MINE, row, wrong, everything)
