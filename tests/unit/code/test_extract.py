"""Extraction where samples do not reach: broken files, other encodings, names, complexity, tests, endpoints."""

from __future__ import annotations

import pytest

from recollect.code.index.extract import extract
from recollect.code.index.languages import BY_NAME, LANGUAGES, Language, detect
from recollect.code.index.symbol_properties import level
from recollect.code.index.symbols import Extracted, Symbol


def read(source: str | bytes, language: str = "python", path: str = "src/a") -> Extracted:
    return extract(source.encode() if isinstance(source, str) else source, path, BY_NAME[language])


def only(source: str | bytes, language: str = "python", path: str = "src/a") -> Symbol:
    (symbol,) = read(source, language, path).symbols
    return symbol


# --- files that are not what they should be -------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
@pytest.mark.parametrize(
    "source", [b"", b"\n", b"\xef\xbb\xbf", b"\r\n\r\n", b"\xff\xfe", b"x", b"\xc3", b"((((", b"'"]
)
def test_next_to_nothing_is_read_without_complaint(language: Language, source: bytes) -> None:
    extracted = extract(source, "a", language)
    assert len(extracted.symbols) <= 1


def test_a_syntax_error_costs_only_what_is_around_it() -> None:
    extracted = read("def before(): pass\n\ndef broken(:\n    ]]\n\nclass After:\n    def method(self): pass\n")
    assert {"before", "After.method"} <= {symbol.qualified for symbol in extracted.symbols}
    assert extracted.notes == ["syntax error at line 3: 1 definition was read from its line alone"]


def test_bytes_that_are_no_text_are_replaced_and_noted() -> None:
    extracted = read(b'def f():\n    """caf\xe9."""\n    g("\xff")\n')
    assert extracted.symbols[0].doc == "caf\ufffd."
    assert extracted.notes == ["not UTF-8: invalid bytes are replaced"]


def test_a_byte_order_mark_hides_nothing() -> None:
    assert only(b"\xef\xbb\xbfdef f(): pass\n").name == "f"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read_with_a_note(encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    extracted = read(mark + "def größe(): pass\n".encode(encoding))
    assert [symbol.name for symbol in extracted.symbols] == ["größe"]
    assert extracted.notes[0].startswith("UTF-16")


def test_names_and_columns_count_characters_not_bytes() -> None:
    extracted = read('größe = 1\ndef f():\n    "ü"; über.größer(größe)\n')
    assert [symbol.name for symbol in extracted.symbols] == ["größe", "f"]
    assert [(each.name, each.receiver, each.line, each.column) for each in extracted.references] == [
        ("größer", "über", 3, 14),
        ("größe", "", 3, 21),
    ]


def test_thousands_of_errors_end_the_reading_in_bounded_time() -> None:
    extracted = read(b"def f(): pass\n" + b"(" * 60_000)
    assert [symbol.name for symbol in extracted.symbols] in ([], ["f"])
    assert any("thousands of syntax errors" in note for note in extracted.notes)


def test_a_file_that_takes_too_long_is_read_as_far_as_time_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.code.index.page.PARSE_SECONDS", -1.0)
    extracted = read("def f(): pass\n" * 2_000)
    assert extracted.symbols == []
    assert "was stopped" in extracted.notes[0]


def test_long_files_are_read_in_chunks_to_their_end() -> None:
    extracted = read("".join(f'def f{number}():\n    return "ä" + g{number}()\n' for number in range(3_000)))
    assert [symbol.name for symbol in extracted.symbols] == [f"f{number}" for number in range(3_000)]
    assert [each.name for each in extracted.references] == [f"g{number}" for number in range(3_000)]


@pytest.mark.parametrize(("depth", "found"), [(900, ["f"]), (3_000, [])])
def test_deep_nesting_does_not_recurse_and_is_read_to_a_limit(depth: int, found: list[str]) -> None:
    extracted = read("x = " + "[" * depth + "f()" + "]" * depth + "\n")
    assert [each.name for each in extracted.references] == found


def test_a_long_chain_of_calls_keeps_every_name() -> None:
    extracted = read("a" + "".join(f".b{number}(x)" for number in range(400)) + "\n")
    assert {each.name for each in extracted.references} == {f"b{number}" for number in range(400)}
    assert max(len(each.receiver) for each in extracted.references) < 100


def test_a_document_of_data_gives_only_its_first_keys() -> None:
    rows = ",".join(f'"k{number}": {{"deep": {{"deeper": 1}}}}' for number in range(3_000))
    extracted = read("{" + rows + "}", "json")
    assert len(extracted.symbols) == 1_000
    assert "6000 definitions" in extracted.notes[0]


# --- names ----------------------------------------------------------------------------------------------------------


def test_overloads_and_setters_share_a_name_and_differ_in_place() -> None:
    source = "class A:\n    @property\n    def x(self): ...\n    @x.setter\n    def x(self, v): ...\n"
    first, second = read(source).symbols[1:]
    assert first.qualified == second.qualified == "A.x"
    assert (first.start_line, second.start_line) == (2, 4)


def test_a_constant_is_defined_by_its_first_assignment_at_the_top() -> None:
    extracted = read("x = 1\nx = 2\ndef f():\n    y = 3\nclass A:\n    lower = 1\n    UPPER = 2\n")
    assert [symbol.qualified for symbol in extracted.symbols] == ["x", "f", "A", "A.UPPER"]


def test_methods_of_an_implementation_belong_to_a_type_defined_later() -> None:
    extracted = read("impl Ring { fn push(&self) {} }\nimpl Far { fn go() {} }\nstruct Ring;\n", "rust")
    push, go, ring = extracted.symbols
    assert (push.qualified, push.kind, extracted.symbols[push.parent]) == ("Ring::push", "Method", ring)
    assert (go.qualified, go.kind, go.parent) == ("Far::go", "Method", -1)


def test_references_know_the_innermost_symbol_around_them() -> None:
    extracted = read(
        "a()\nclass A(B):\n    x = c()\n    def m(self):\n        d()\n        def n(): e()\n        f()\n"
    )
    inside = {each.name: each.inside for each in extracted.references}
    names = [symbol.qualified for symbol in extracted.symbols]
    assert {name: names[place] if place >= 0 else "" for name, place in inside.items()} == {
        "a": "", "B": "A", "c": "A", "d": "A.m", "e": "A.m.n", "f": "A.m",
    }  # fmt: skip


def test_decorators_are_part_of_a_symbol_and_of_its_hash() -> None:
    plain, cached = only("def f():\n    return 1\n"), only("@cache\n# why\n@other(1)\ndef f():\n    return 1\n")
    assert cached.decorators == ("cache", "other(1)")
    assert (cached.start_line, cached.end_line, cached.signature) == (1, 5, "def f()")
    assert cached.hash != plain.hash


def test_a_comment_describes_what_stands_directly_below_it() -> None:
    source = (
        "# Far.\n\nx = 1  # beside\ndef f(): pass\n\n# eslint-disable\n# Near,\n# and long.\n#\n# More.\ndef g(): 1\n"
    )
    assert [symbol.doc for symbol in read(source).symbols] == ["", "", "Near, and long."]


def test_a_comment_may_stand_between_a_decorator_and_what_it_describes() -> None:
    assert only("#[derive(Debug)]\n/// Near.\nstruct A;\n", "rust").doc == "Near."


# --- measures -------------------------------------------------------------------------------------------------------


def test_complexity_is_the_documented_score() -> None:
    simple = only("def f():\n    return 1\n")
    assert simple.complexity == 2 / 10 + 0 * 2 + 1
    branched = only(
        "def f(x):\n    if x:\n        for y in x:\n            while y:\n                y()\n    return x\n"
    )
    assert branched.complexity == 6 / 10 + 3 * 2 + 4
    assert [level(score) for score in (0, 4.9, 5, 14.9, 15, 99)] == ["low", "low", "medium", "medium", "high", "high"]


@pytest.mark.parametrize(
    ("language", "path", "source", "expected"),
    [
        ("python", "tests/test_a.py", "def test_x(): pass", True),
        ("python", "src/net.py", "def test_connection(): pass", False),
        ("python", "tests/test_a.py", "def fixture(): pass", False),
        ("python", "src/a.py", "@pytest.mark.slow\ndef anything(): pass", True),
        ("go", "a_test.go", "package a\nfunc TestX(t *testing.T) {}", True),
        ("go", "a.go", "package a\nfunc TestX(t *testing.T) {}", False),
        ("go", "a_test.go", "package a\nfunc Testify() {}", False),
        ("rust", "src/lib.rs", "#[tokio::test]\nasync fn works() {}", True),
        ("java", "src/main/A.java", "class A { @Test void works() {} }", True),
        ("javascript", "src/a.js", "it('works', () => {})", True),
        ("javascript", "src/a.js", "submit('works', () => {})", None),
    ],
)
def test_a_test_is_known_by_its_name_in_a_test_file_or_by_a_mark(
    language: str, path: str, source: str, expected: bool | None
) -> None:
    symbols = read(source, language, path).symbols
    assert (symbols[-1].test if symbols else None) is expected


@pytest.mark.parametrize(
    ("language", "path", "source", "endpoint"),
    [
        ("python", "a.py", '@app.get("/users/{id}")\ndef f(): pass', "GET /users/{id}"),
        ("python", "a.py", '@app.route("/users", methods=["PUT"])\ndef f(): pass', "PUT /users"),
        ("python", "a.py", '@app.route("/users")\ndef f(): pass', "GET /users"),
        ("python", "shop/urls.py", 'urlpatterns = [path("users/<int:id>/", views.show)]', "ANY /users/<int:id>"),
        ("javascript", "a.js", "app.delete('/users/:id', remove)", "DELETE /users/:id"),
        ("typescript", "a.ts", "@Controller('users')\nclass A { @Get(':id') one() {} }", "GET /users/:id"),
        ("java", "A.java", '@RequestMapping("/a") class A { @PostMapping("/b") void f() {} }', "POST /a/b"),
        ("go", "a.go", 'package a\nfunc f() { r.GET("/users", list) }', "GET /users"),
        ("go", "a.go", 'package a\nfunc f() { mux.HandleFunc("POST /users", add) }', "POST /users"),
        ("rust", "a.rs", 'fn f() { Router::new().route("/users", post(add)) }', "POST /users"),
        ("ruby", "config/routes.rb", "get '/users', to: 'users#index'", "GET /users"),
        ("ruby", "config/routes.rb", "resources :posts", "ANY /posts"),
        ("php", "a.php", "<?php Route::patch('/users/{id}', [A::class, 'f']);", "PATCH /users/{id}"),
        ("csharp", "A.cs", '[Route("api")] class A { [HttpGet("{id}")] void F() {} }', "GET /api/{id}"),
        ("csharp", "A.cs", 'class A { void F() { app.MapPut("/users", g); } }', "PUT /users"),
    ],
)
def test_endpoints_are_found_where_frameworks_put_them(language: str, path: str, source: str, endpoint: str) -> None:
    assert endpoint in [symbol.endpoint for symbol in read(source, language, path).symbols]


@pytest.mark.parametrize(
    ("language", "path", "source", "kinds"),
    [
        (
            "python",
            "tests/test_a.py",
            "class TestA:\n    def test_b(self): pass\n    def c(self): pass",
            "Class Test Method",
        ),
        ("python", "a.py", '@app.get("/x")\ndef x(): pass\n', "Endpoint"),
        ("python", "a.py", "Number = Union[int, float]\nId: TypeAlias = int\nLIMIT = 3\n", "Type Type Constant"),
        ("java", "ATest.java", "class ATest {\n  @Test void one() {}\n  void two() {}\n}", "Class Test Method"),
        ("java", "A.java", '@Path("/a") class A {\n  @GET @Path("/b") int b() { return 1; }\n}', "Class Endpoint"),
        ("go", "a_test.go", "package a\nfunc TestA(t *testing.T) {}\nfunc help() {}\n", "Test Function"),
        ("go", "a.go", "package a\nconst _ = 1\nvar _ Sender = (*Folder)(nil)\nvar a, _ = both()\n", "Constant"),
        ("rust", "src/lib.rs", "const _: () = check();\npub const A: u32 = 1;\n", "Constant"),
        ("rust", "src/lib.rs", "pub mod other;\n#[test]\nfn one() {}\npub type Id = u32;\n", "Module Test Type"),
        ("csharp", "ATests.cs", "class ATests {\n  [Fact] public void One() {}\n}", "Class Test"),
        ("php", "tests/ATest.php", "<?php\nclass ATest {\n  public function testOne() {}\n}", "Class Test"),
        ("ruby", "test/a_test.rb", "class ATest\n  def test_one; end\nend\n", "Class Test"),
        ("ruby", "config/routes.rb", 'post "login", to: "a#b"\nroot "home#index"\n', "Endpoint Endpoint"),
        ("php", "routes/web.php", "<?php\nRoute::resource('photos', P::class);\n", "Endpoint"),
    ],
)
def test_tests_endpoints_and_aliases_have_their_kind(language: str, path: str, source: str, kinds: str) -> None:
    assert [symbol.kind for symbol in read(source, language, path).symbols] == kinds.split()


def test_a_method_and_a_path_in_two_decorators_are_one_endpoint() -> None:
    source = '@Path("/a") class A {\n  @GET @Path("/b") int b() { return 1; }\n  @POST int c() { return 1; }\n}'
    assert [symbol.endpoint for symbol in read(source, "java").symbols] == [None, "GET /a/b", "POST /a"]
    client = "interface Api {\n  @GET Call<User> user(@Url String url);\n}"
    assert not [symbol for symbol in read(client, "java").symbols if symbol.endpoint]


def test_a_patched_name_is_no_endpoint() -> None:
    source = '@mock.patch("app.send")\ndef test_send(send): pass\n'
    assert [symbol.endpoint for symbol in read(source, "python").symbols] == [None]


@pytest.mark.parametrize(
    "source",
    ["cache.get('/tmp/a', 1)", "// app.get('/a', f)\nlet x", "const s = \"app.get('/a', f)\"", "expect.get('/a')"],
)
def test_what_only_looks_like_an_endpoint_is_none(source: str) -> None:
    assert [symbol for symbol in read(source, "javascript").symbols if symbol.endpoint] == []


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        ("python", "def _f(): pass", "private"),
        ("python", "def __init__(): pass", "public"),
        ("go", "package a\nfunc f() {}", "internal"),
        ("rust", "pub(crate) fn f() {}", "internal"),
        ("rust", "fn f() {}", "private"),
        ("java", "class A { protected void f() {} }", "protected"),
        ("csharp", "class A { void F() {} }", "private"),
        ("kotlin", "internal fun f() {}", "internal"),
        ("swift", "fileprivate func f() {}", "private"),
        ("c", "static int f(void) { return 1; }", "private"),
        ("cpp", "class A { void f(); };", "private"),
        ("cpp", "struct A { void f(); };", "public"),
        ("cpp", "class A { public: class B { private: int x; }; void f(); };", "public"),
        ("ruby", "class A\n  private\n  def f; end\nend", "private"),
        ("javascript", "export const f = () => 1", "public"),
        ("javascript", "function f() {}\nmodule.exports = { g }", "internal"),
        ("javascript", "function f() {}", "public"),
        ("php", "<?php class A { private function f() {} }", "private"),
        ("lua", "local function f() end", "private"),
        ("elixir", "defmodule A do\n  defp f(x), do: x\nend", "private"),
        ("zig", "pub fn f() void {}", "public"),
    ],
)
def test_visibility_follows_the_rules_of_the_language(language: str, source: str, expected: str) -> None:
    assert read(source, language).symbols[-1].visibility == expected


def test_an_operator_of_swift_is_named_by_its_signs() -> None:
    source = (
        "struct A {\n  static func == (a: A, b: A) -> Bool { true }\n  static func <+> (a: A, b: A) -> A { a }\n}\n"
    )
    assert [symbol.name for symbol in read(source, "swift").symbols] == ["A", "==", "<+>"]


# --- which language -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "head", "expected"),
    [
        ("a/b.py", b"", "python"),
        ("A.TSX", b"", "tsx"),
        ("a\\b\\c.rs", b"", "rust"),
        ("Rakefile", b"", "ruby"),
        ("run", b"#!/usr/bin/env python3.12\n", "python"),
        ("run", b"#!/bin/bash -e\n", "bash"),
        ("run", b"#!/usr/bin/env -S node --flag\n", "javascript"),
        ("run", b"#!/usr/bin/perl\n", None),
        ("run", b"plain text", None),
        ("a.unknown", b"#!/bin/sh\n", None),
        ("a.py", b"\x00\x01binary", None),
        ("a.py", b"\xff\xfed\x00e\x00f\x00", "python"),
        ("a.h", b"#include <stdio.h>\nstruct a { int class_; };\n", "c"),
        ("a.h", b"#pragma once\nnamespace a {\nclass B {};\n}\n", "cpp"),
        ("a.h", b"template <typename T>\nT f(T a);\n", "cpp"),
        ("a.h", b"#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n", "c"),
        ("a.d.ts", b"", "typescript"),
        (".bashrc", b"", "bash"),
        (".gitignore", b"", None),
    ],
)  # fmt: skip
def test_a_language_is_known_by_name_then_by_content(path: str, head: bytes, expected: str | None) -> None:
    language = detect(path, head)
    assert (language.name if language else None) == expected


def test_no_two_languages_claim_the_same_files_but_c_and_its_child() -> None:
    claims = [claim for language in LANGUAGES for claim in (*language.extensions, *language.files)]
    assert sorted({claim for claim in claims if claims.count(claim) > 1}) == []
