"""Where symbols went: only what is new can be a new place, each for one, and the best supported one."""

from __future__ import annotations

from recollect.code.anchors.code_sketch import SAMPLE, likeness, size, sketch
from recollect.code.anchors.follow import Difference, Lost, Went, copies, follow, original
from recollect.code.anchors.normalised_file import Spot, form

LONG = "total = 0\n    for line in lines:\n        total += weigh(line, scale) * 3\n    return total"


def function(name: str, body: str = LONG) -> str:
    return f"def {name}(lines, scale):\n    {body}\n\n\n"


def after(before: dict[str, str], now: dict[str, str], path: str, symbol: str, **renamed: str) -> Went | None:
    """Return where a symbol of one state of some files is in the other."""
    old = {name: form(name, text.encode()) for name, text in before.items()}
    new = {name: form(name, text.encode()) for name, text in now.items()}
    difference = Difference(
        {name: each.spots() for name, each in old.items()}, {name: each.spots() for name, each in new.items()}, renamed
    )
    lost = {"it": Lost(old[path].spots()[symbol], old[path].sketch_of(symbol))}
    return follow(lost, difference, lambda spot: new[spot.path].sketch_of(spot.symbol)).get("it")


def place(went: Went | None) -> tuple[str, str] | None:
    return None if went is None else (went.spot.path, went.spot.symbol)


def test_a_renamed_symbol_is_found_in_its_file() -> None:
    found = after({"a.py": function("one")}, {"a.py": function("two")}, "a.py", "one")
    assert place(found) == ("a.py", "two")
    assert found is not None
    assert found.likeness == 1.0


def test_a_recursive_symbol_is_the_same_under_another_name() -> None:
    body = "return 1 if lines == 0 else {name}(lines - 1, scale) + {name}(lines - 2, scale)"
    before, now = ({"a.py": function(name, body.format(name=name))} for name in ("one", "two"))
    found = after(before, now, "a.py", "one")
    assert found is not None
    assert (place(found), found.likeness) == (("a.py", "two"), 1.0)


def test_a_moved_symbol_is_found_in_another_file() -> None:
    before = {"a.py": function("one") + function("other", "return 1"), "b.py": function("third", "return 3")}
    now = {"a.py": function("other", "return 1"), "b.py": function("third", "return 3") + function("one")}
    assert place(after(before, now, "a.py", "one")) == ("b.py", "one")


def test_a_sibling_with_the_same_body_is_no_new_place() -> None:
    before = {"a.py": function("one") + function("twin")}
    assert after(before, {"a.py": function("twin")}, "a.py", "one") is None
    assert place(after(before, {"a.py": function("twin") + function("two")}, "a.py", "one")) == ("a.py", "two")


def test_of_two_lost_twins_each_goes_to_its_own_name() -> None:
    before = {"a.py": function("one") + function("twin")}
    now = {"b.py": function("twin") + function("one")}
    assert place(after(before, now, "a.py", "one")) == ("b.py", "one")
    assert place(after(before, now, "a.py", "twin")) == ("b.py", "twin")
    # One of the two was deleted: the one whose name is left moved.
    assert after(before, {"b.py": function("twin")}, "a.py", "one") is None


def test_what_says_nothing_is_followed_by_its_name_only() -> None:
    before = {"a.py": function("one", "pass"), "b.py": function("x", "return 1")}
    now = {"a.py": "", "b.py": function("x", "return 1") + function("two", "pass")}
    assert after(before, now, "a.py", "one") is None
    now["b.py"] = function("x", "return 1") + function("one", "pass")
    assert place(after(before, now, "a.py", "one")) == ("b.py", "one")


def test_what_was_edited_on_the_way_is_found_by_its_likeness() -> None:
    edited = LONG.replace("* 3", "* 4")
    found = after({"a.py": function("one")}, {"a.py": "", "b.py": function("one", edited)}, "a.py", "one")
    assert found is not None
    assert place(found) == ("b.py", "one")
    assert 0.5 < found.likeness < 1


def test_what_is_not_alike_is_gone() -> None:
    other = "with open(lines) as file:\n        return [row.strip() for row in file if row]"
    now = {"a.py": "", "b.py": function("two", other)}
    assert after({"a.py": function("one")}, now, "a.py", "one") is None


def test_a_class_is_not_the_new_place_of_a_function() -> None:
    now = {"a.py": f"class One:\n    x = 1\n\n    {LONG}\n"}
    assert after({"a.py": function("one")}, now, "a.py", "one") is None


def test_a_renamed_file_takes_its_symbols_along_even_those_that_were_edited() -> None:
    rest = "".join(function(f"f{number}", f"return lines[{number}] + scale") for number in range(4))
    edited = function("one", "return scale")
    before, now = {"a.py": rest + function("one")}, {"b/c.py": rest + edited}
    assert place(after(before, now, "a.py", "f2")) == ("b/c.py", "f2")
    # Little is left of it: in a file that was renamed its name is enough, in another one it is not.
    assert place(after(before, now, "a.py", "one")) == ("b/c.py", "one")
    assert after(before, {"a.py": rest, "b/c.py": edited}, "a.py", "one") is None


def test_a_symbol_that_another_one_became_is_nobody_elses_new_place() -> None:
    owner = "class {name}:\n    def make(self, lines, scale):\n        {body}\n\n\n"
    body = LONG.replace("\n", "\n    ")
    one, two = (owner.format(name=name, body=body) for name in ("One", "Two"))
    edited = owner.format(name="Two", body=body.replace("* 3", "* 4"))
    before = {"a.py": one, "b.py": two, "c.py": function("other", "return 1")}
    now = {"c.py": function("other", "return 1") + edited}
    assert after(before, now, "a.py", "One.make") is None
    assert place(after(before, now, "b.py", "Two.make")) == ("c.py", "Two.make")


def test_of_copies_made_earlier_the_best_supported_one_is_meant() -> None:
    gone = form("a.py", function("one").encode()).spots()["one"]
    copied = [form(path, function(name).encode()).spots()[name] for path, name in (("b.py", "two"), ("c.py", "one"))]
    assert original(gone, copied) == copied[1]
    assert original(gone, copied[:1]) == copied[0]
    assert original(gone, [copied[1], copied[1]._replace(path="d.py")]) is None
    assert original(gone, []) is None
    assert original(gone, [copied[0]._replace(size_bytes=10)]) is None


def test_what_moved_is_no_copy() -> None:
    before, now = (
        {path: form(path, text.encode()).spots()}
        for path, text in (("a.py", function("one")), ("b.py", function("one") + function("two")))
    )
    assert [spot.symbol for spot in copies(Difference(before, now))] == ["two"]


def test_git_knows_a_rename_that_content_does_not_show() -> None:
    difference = Difference({"a.py": {}}, {"b.py": {}}, {"a.py": "b.py", "x.py": "y.py"})
    assert difference.renames() == {"a.py": "b.py"}


def test_overloads_of_one_name_are_one_symbol() -> None:
    java = "class A { int f(int a) { return a; } int f(long a) { return 2; } }"
    one, other = (form("A.java", text.encode()).spots() for text in (java, java.replace("return 2", "return 3")))
    assert list(one) == ["A", "A.f"]
    assert one["A.f"].hash != other["A.f"].hash


def test_a_file_has_one_hash_whatever_its_comments_and_blanks() -> None:
    source = function("one") + "X = 1\n"
    same = "# why\n\n" + function("one").replace("= 0", "=   0  # from nothing") + "\n\nX = 1   # one\n"
    assert form("a.py", source.encode()).hash == form("a.py", same.encode()).hash
    assert form("a.py", source.encode()).hash == form("a.py", same.replace("\n", "\r\n").encode()).hash
    assert form("a.py", source.encode()).hash != form("a.py", source.replace("X = 1", "X = 2").encode()).hash
    assert form("a.unknown", b"one  two\n").hash == form("a.unknown", b"one\ntwo").hash


def test_a_sketch_does_not_see_line_ends_of_another_system() -> None:
    source = function("zero", "return '\\n'") + function("one")
    plain, other = form("a.py", source.encode()), form("a.py", source.replace("\n", "\r\n").encode())
    assert plain.sketch_of("one") == other.sketch_of("one") != ""


def test_sketches_of_long_texts_estimate_what_they_share() -> None:
    words = [f"word{number}".encode() for number in range(2000)]
    one, half = sketch(words), sketch(words[:1000])
    assert size(one) == SAMPLE
    assert abs(likeness(one, half) - 0.5) < 0.15
    assert likeness(one, one) == 1.0
    # In a sample of so many, one word is likely not to be seen: but the whole is another.
    words[1000] = b"other"
    assert likeness(one, sketch(words)) < 1.0
    assert likeness(one, "") == likeness("", "") == 0.0
    assert likeness(one, "no sketch at all") == 0.0


def test_nothing_lost_asks_for_no_file() -> None:
    def refuse(spot: Spot) -> str:
        raise AssertionError(spot)

    assert follow({}, Difference({}, {"a.py": form("a.py", b"def f(): pass").spots()}), refuse) == {}
