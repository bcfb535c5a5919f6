# ruff: noqa: E501 - the tables read best as one line per thing
"""Pieces of code by construction: the same problem in five languages, the same bug in five files, and what is neither.

A problem is written once, in lines of a small language, and put out in five real ones, each with other names and
another sentence about it, or none. So which pieces belong together is known without anybody judging it.

    label      problem:NAME or bug:NAME is shared by five pieces; alone:NUMBER by one
    half       problems and bugs go by turns to the half that thresholds were fitted on, and to the one held out
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

LANGUAGES = ("python", "javascript", "go", "java", "rust")


class Piece(NamedTuple):
    """A piece of code: what is stored of it, and what it belongs to."""

    content: str
    language: str
    context: str
    label: str
    half: str


class Problem(NamedTuple):
    """A problem: two names for it, its parameters, its lines, and sentences about it, for languages in turn."""

    names: tuple[str, str]
    parameters: str
    lines: str
    said: tuple[str, ...]


PROBLEMS: tuple[Problem, ...] = (
    Problem(("count vowels", "vowel count"), "text", "let total = 0\nfor i in text\n  if isVowel(text[i])\n    set total = total + 1\nreturn total",
            ("Count the vowels of a text", "How many vowels a word has", "")),
    Problem(("is palindrome", "palindrome check"), "text", "let low = 0\nlet high = len(text) - 1\nwhile low < high\n  if text[low] != text[high]\n    return false\n  set low = low + 1\n  set high = high - 1\nreturn true",
            ("Check whether a word is a palindrome", "Palindrome test with two pointers", "")),
    Problem(("celsius to fahrenheit", "convert celsius fahrenheit"), "degrees", "return degrees * 9 / 5 + 32",
            ("Convert a temperature from Celsius to Fahrenheit", "Temperature conversion Celsius Fahrenheit", "")),
    Problem(("greatest common divisor", "euclid common divisor"), "a, b", "while b != 0\n  let rest = a % b\n  set a = b\n  set b = rest\nreturn a",
            ("Greatest common divisor by Euclid", "Euclid's algorithm for the common divisor", "")),
    Problem(("leap year", "is leap year"), "year", "if year % 400 == 0\n  return true\nif year % 100 == 0\n  return false\nreturn year % 4 == 0",
            ("Tell whether a year is a leap year", "Leap year rule of the Gregorian calendar", "")),
    Problem(("binary search", "search sorted binary"), "sorted, wanted", "let low = 0\nlet high = len(sorted) - 1\nwhile low <= high\n  let middle = (low + high) / 2\n  if sorted[middle] == wanted\n    return middle\n  if sorted[middle] < wanted\n    set low = middle + 1\n  if sorted[middle] > wanted\n    set high = middle - 1\nreturn -1",
            ("Binary search in a sorted list", "Find a value by halving the interval: binary search", "")),
    Problem(("moving average", "rolling average"), "samples, window", "let total = 0\nfor i in samples\n  set total = total + samples[i]\n  if i >= window\n    set total = total - samples[i - window]\nreturn total / window",
            ("Moving average over a window of samples", "Rolling mean of the samples in a window", "")),
    Problem(("luhn checksum", "validate luhn"), "digits", "let checksum = 0\nfor i in digits\n  let digit = digits[i]\n  if i % 2 == 0\n    set digit = digit * 2\n  if digit > 9\n    set digit = digit - 9\n  set checksum = checksum + digit\nreturn checksum % 10 == 0",
            ("Luhn checksum of a card number", "Check card digits with the Luhn formula", "")),
    Problem(("collatz steps", "collatz length"), "n", "let steps = 0\nwhile n != 1\n  if n % 2 == 0\n    set n = n / 2\n  if n % 2 == 1\n    set n = 3 * n + 1\n  set steps = steps + 1\nreturn steps",
            ("Steps of the Collatz sequence until one", "Length of the Collatz chain of a number", "")),
    Problem(("haversine distance", "haversine kilometres"), "latitude, longitude", "let angle = sin(latitude / 2) * sin(latitude / 2) + cos(latitude) * sin(longitude / 2)\nreturn 6371 * 2 * asin(sqrt(angle))",
            ("Haversine distance between two points on earth", "Great circle kilometres by the haversine formula", "")),
    Problem(("caesar cipher", "caesar shift"), "letters, shift", "let hidden = emptyList()\nfor i in letters\n  append(hidden, (letters[i] + shift) % 26)\nreturn hidden",
            ("Caesar cipher: shift every letter", "Encrypt letters with a Caesar shift", "")),
    Problem(("compound interest", "interest compounded"), "principal, rate, years", "let balance = principal\nfor i in years\n  set balance = balance * (1 + rate)\nreturn balance",
            ("Balance after years of compound interest", "Compound interest on a principal", "")),
    Problem(("matrix transpose", "transpose matrix"), "matrix", "let flipped = emptyList()\nfor i in matrix\n  append(flipped, column(matrix, i))\nreturn flipped",
            ("Transpose a matrix: rows become columns", "Turn the columns of a matrix into rows", "")),
    Problem(("hamming distance", "hamming difference"), "left, right", "let different = 0\nfor i in left\n  if left[i] != right[i]\n    set different = different + 1\nreturn different",
            ("Hamming distance of two strands", "Positions in which two strands differ (Hamming)", "")),
    Problem(("flood fill", "fill region flood"), "grid, row, paint", "if grid[row] == paint\n  return grid\nset grid[row] = paint\nreturn floodFill(grid, row + 1, paint)",
            ("Flood fill of a region in a grid", "Paint a connected region of the grid (flood fill)", "")),
    Problem(("parse query string", "query string parameters"), "query", "let pairs = split(query, \"&\")\nlet parameters = emptyMap()\nfor i in pairs\n  put(parameters, split(pairs[i], \"=\"))\nreturn parameters",
            ("Parse the query string of a URL into parameters", "URL query string parameters as a map", "")),
    Problem(("bubble sort", "sort bubble"), "items", "for i in items\n  for j in items\n    if items[j] > items[i]\n      swap(items, i, j)\nreturn items",
            ("Bubble sort of a list", "Sort by swapping neighbours: bubble sort", "")),
    Problem(("retry request", "request with retries"), "address, attempts", "for i in attempts\n  if send(address)\n    return true\n  sleep(power(2, i))\nreturn false",
            ("Retry a request with exponential backoff", "Send a request again after a growing pause when it was refused", "")),
    Problem(("token bucket", "rate limit bucket"), "bucket, now", "let refilled = bucket.tokens + (now - bucket.last) * bucket.rate\nif refilled < 1\n  return false\nset bucket.tokens = refilled - 1\nreturn true",
            ("Rate limiting with a token bucket", "Token bucket that limits requests per second", "")),
    Problem(("topological order", "order topological"), "graph, ready", "let order = emptyList()\nwhile len(ready) > 0\n  let node = pop(ready)\n  append(order, node)\n  release(graph, node, ready)\nreturn order",
            ("Topological order of a dependency graph", "Order tasks after what they depend on (topological)", "")),
)  # fmt: skip

# A bug: what it is called, two ways in which people tell of it, the functions it was in, and the line.
BUGS: tuple[tuple[str, tuple[str, str], tuple[str, ...], str], ...] = (
    ("offset page", ("Fix: pagination skips the first row, the offset of page one must be zero ({file})",
     "Second and later pages were right but row one never showed: wrong offset in the pagination of {file}"),
     ("list_orders", "list_users", "list_invoices", "list_comments", "list_products"), "return rows(limit, (page - 1) * limit)"),
    ("naive datetime", ("Bug in {file}: TypeError when a naive datetime is compared with an aware one, use UTC everywhere",
     "{file} failed with TypeError: aware and naive datetime do not compare; store UTC"),
     ("expire_token", "close_auction", "remind_guest", "rotate_log", "renew_license"), "return deadline < now(utc)"),
    ("float money", ("Fixed rounding of cents in {file}: money was a float, totals were wrong by a cent",
     "A cent was missing from the total: floats cannot hold money, {file} counts integer cents now"),
     ("cart_total", "invoice_sum", "refund_amount", "tax_due", "tip_share"), "return round_cents(amount_cents)"),
    ("session closed", ("Crash in {file}: ObjectDisposedException, the database session was closed before lazy loading",
     "ObjectDisposedException after the request in {file}; load eagerly while the database session is open"),
     ("load_profile", "render_basket", "show_report", "read_badge", "open_ticket"), "return session.eager(profile)"),
    ("unicode header", ("UnicodeDecodeError in {file} when a header has latin-1 bytes; decode with replacement fixed it",
     "Fix for a header in latin-1: {file} crashed with UnicodeDecodeError"),
     ("read_mail", "import_csv", "parse_feed", "scan_label", "fetch_banner"), "return header.decode(latin1)"),
    ("stale closure", ("Fix in {file}: the effect saw a stale closure, the counter never went up",
     "The hook of {file} kept the first value of the counter (stale closure), its dependencies were missing"),
     ("use_timer", "use_poll", "use_scroll", "use_upload", "use_search"), "return effect(counter, watched(counter))"),
    ("deadlock order", ("Deadlock in {file}: two locks were taken in different order, always take the account lock first",
     "{file} hung for ever: lock order of account and journal was reversed, a deadlock under load"),
     ("transfer_funds", "merge_accounts", "freeze_account", "audit_account", "close_account"), "return locked(account, journal)"),
    ("leaked handle", ("Fixed a leak in {file}: file handles stayed open after an early return, Too many open files",
     "Too many open files: {file} returned before it closed the handle, a leak"),
     ("read_config", "copy_archive", "hash_upload", "count_lines", "tail_journal"), "return closing(handle)"),
    ("cache stampede", ("Bug in {file}: cache stampede after expiry, every worker recomputed the entry at once",
     "When the cache entry expired, all workers of {file} hung on the same query: stampede, one may refresh"),
     ("home_page", "price_table", "menu_tree", "stock_level", "weather_tile"), "return single_flight(entry)"),
    ("integer overflow", ("Overflow in {file}: the id did not fit into 32 bits, failed on the largest tenant; use 64 bits",
     "Fixed ids above 2147483647 in {file}: 32 bits overflow, the column is 64 bits now"),
     ("next_id", "shard_key", "pack_row", "encode_cursor", "seek_block"), "return long_id(id)"),
)  # fmt: skip

# What belongs to nothing: a function and a sentence each. Some share words, an error or a way of speaking with others.
ALONE: tuple[tuple[str, str], ...] = (
    ("count open orders", "Count the open orders of a customer"), ("send welcome mail", "Send the welcome mail to a new member"),
    ("draw bar chart", "Draw a bar chart of the sales"), ("compress folder", "Compress a folder into an archive"),
    ("play sound", "Play a sound when a level is won"), ("rotate image", "Rotate an image by ninety degrees"),
    ("resize window", "Resize the window to fit the screen"), ("encode base64", "Encode bytes as base64 for an attachment"),
    ("read sensor", "Read the humidity sensor over the serial port"), ("print receipt", "Print a receipt on the thermal printer"),
    ("book room", "Book a meeting room if it is free"), ("shuffle deck", "Shuffle a deck of cards"),
    ("roll dice", "Roll two dice and add the eyes"), ("spell number", "Spell a number in English words"),
    ("mark attendance", "Mark the attendance of pupils"), ("open garage", "Open the garage door from the phone"),
    ("feed fish", "Feed the fish twice a day"), ("water plants", "Water the plants when the soil is dry"),
    ("index chapters", "Index the chapters of a book"), ("grade essays", "Grade essays by a rubric"),
    ("merge calendars", "Merge two calendars without clashes"), ("export playlist", "Export a playlist to a text file"),
    ("blur faces", "Blur faces in a photograph"), ("track parcel", "Track a parcel with the carrier's number"),
    ("estimate tax band", "Estimate the tax band of an employee"), ("plan route", "Plan the route of a delivery van"),
    ("label photos", "Label photos by the people in them"), ("schedule backup", "Schedule the nightly backup"),
    ("translate menu", "Translate the menu into French"), ("check spelling", "Check the spelling of a comment"),
    ("sync contacts", "Sync contacts with the address book"), ("mask email", "Mask an email address before showing it"),
    ("poll thermostat", "Poll the thermostat of the greenhouse"), ("charge battery", "Charge the battery up to eighty percent"),
    ("score bowling", "Score a game of bowling"), ("simulate queue", "Simulate the queue of a supermarket"),
    ("guess language", "Guess the language of a review"), ("hide sidebar", "Hide the sidebar on small screens"),
    ("parse recipe", "Parse a recipe into ingredients"), ("group pupils", "Group pupils by the year of birth"),
    ("missing locale", "Fix: KeyError when a visitor has no locale"), ("empty basket", "Crash on an empty basket: TypeError of undefined"),
    ("slow report", "Debugged a slow report: the join had no index"), ("wrong currency", "Bug: the wrong currency symbol was shown"),
    ("flaky upload", "Fixed a flaky upload test that waited too little"), ("broken link", "Fixed a broken link in the footer"),
    ("retry payment", "Ask the customer for another card when a payment is refused"), ("cache avatar", "Keep the avatar in the browser"),
    ("convert currency", "Convert euros to dollars at today's rate"), ("sort laundry", "Sort the laundry by colour"),
)  # fmt: skip

EMPTY = {"python": ("[]", "{}"), "javascript": ("[]", "new Map()"), "go": ("[]int{}", "map[string]string{}"),
         "java": ("new ArrayList<>()", "new HashMap<>()"), "rust": ("Vec::new()", "HashMap::new()")}  # fmt: skip


def corpus() -> list[Piece]:
    """Return the two hundred pieces, those that belong together far from each other."""
    pieces: list[Piece] = []
    for turn in range(len(LANGUAGES)):
        pieces += [_problem(number, problem, turn) for number, problem in enumerate(PROBLEMS)]
        pieces += [_bug(number, turn) for number in range(len(BUGS))]
        pieces += [_alone(number) for number in range(turn, len(ALONE), len(LANGUAGES))]
    return pieces


def _problem(number: int, problem: Problem, turn: int) -> Piece:
    language = LANGUAGES[turn]
    name = problem.names[(turn + number) % 2]
    said = problem.said[(turn + number) % len(problem.said)]
    content = _written(name, problem.parameters, problem.lines, language)
    return Piece(content, language, said, f"problem:{problem.names[0]}", _half(number))


def _bug(number: int, turn: int) -> Piece:
    name, said, places, line = BUGS[number]
    language = LANGUAGES[(turn + number) % len(LANGUAGES)]
    place = places[turn]
    parameters = ", ".join(
        dict.fromkeys(re.findall(r"\b[a-z]{3,}\b(?!\()", line.removeprefix("return ").split("(", 1)[1]))
    )
    content = _written(place.replace("_", " "), parameters or "value", line, language)
    return Piece(content, language, said[turn % 2].format(file=place), f"bug:{name}", _half(number))


def _alone(number: int) -> Piece:
    name, said = ALONE[number]
    language = LANGUAGES[(number * 3) % len(LANGUAGES)]
    subject = name.split()[-1]
    lines = f"let result = prepare({subject})\nif result == 0\n  return 0\nreturn {name.split()[0]}(result)"
    return Piece(_written(name, subject, lines, language), language, said, f"alone:{number}", _half(number))


def _half(number: int) -> str:
    return "fitted" if number % 2 == 0 else "held out"


# --- from lines to languages ---


def _written(name: str, parameters: str, lines: str, language: str) -> str:
    words = name.split()
    camel = words[0] + "".join(word.title() for word in words[1:])
    named = {"python": "_".join(words), "rust": "_".join(words), "go": camel[0].upper() + camel[1:]}.get(
        language, camel
    )
    taken = [part.strip() for part in parameters.split(",")]
    heads = {
        "python": f"def {named}({', '.join(taken)}):",
        "javascript": f"function {named}({', '.join(taken)}) {{",
        "go": f"func {named}({', '.join(f'{each} []int' for each in taken)}) int {{",
        "java": f"static int {named}({', '.join(f'int[] {each}' for each in taken)}) {{",
        "rust": f"fn {named}({', '.join(f'{each}: &[i64]' for each in taken)}) -> i64 {{",
    }
    body = list(_body(lines.splitlines(), language))
    closing = [] if language == "python" else ["}"]
    return "\n".join([heads[language], *(f"    {line}" for line in body), *closing])


def _body(lines: Sequence[str], language: str) -> Iterator[str]:
    depth = 0
    for line in lines:
        level = (len(line) - len(line.lstrip())) // 2
        while depth > level:
            depth -= 1
            if language != "python":
                yield "    " * depth + "}"
        text, opens = _line(line.strip(), language)
        yield "    " * level + text
        depth = level + 1 if opens else level
    while depth > 0:
        depth -= 1
        if language != "python":
            yield "    " * depth + "}"


def _line(line: str, language: str) -> tuple[str, bool]:
    """Return a line in a language, and whether it opens a block."""
    word, _, rest = line.partition(" ")
    end = "" if language in ("python", "go") else ";"
    if word in ("if", "while"):
        test = _expression(rest, language)
        word = "for" if (word, language) == ("while", "go") else word
        head = f"{word} ({test})" if language in ("javascript", "java") else f"{word} {test}"
        return head + (":" if language == "python" else " {"), True
    if word == "for":
        name, _, what = rest.partition(" in ")
        forms = {
            "python": f"for {name} in range(len({what})):",
            "javascript": f"for (let {name} = 0; {name} < {what}.length; {name}++) {{",
            "go": f"for {name} := range {what} {{",
            "java": f"for (int {name} = 0; {name} < {what}.length; {name}++) {{",
            "rust": f"for {name} in 0..{what}.len() {{",
        }
        return forms[language], True
    if word == "let":
        name, _, value = rest.partition(" = ")
        value = _expression(value, language)
        forms = {"python": f"{name} = {value}", "javascript": f"let {name} = {value};", "go": f"{name} := {value}",
                 "java": f"var {name} = {value};", "rust": f"let mut {name} = {value};"}  # fmt: skip
        return forms[language], False
    return _expression(line.removeprefix("set "), language) + end, False


def _expression(text: str, language: str) -> str:
    length = {"javascript": r"\1.length", "java": r"\1.length", "rust": r"\1.len()"}.get(language, r"len(\1)")
    text = re.sub(r"len\((\w+)\)", length, text)
    text = text.replace("emptyList()", EMPTY[language][0]).replace("emptyMap()", EMPTY[language][1])
    if language == "python":
        text = text.replace("true", "True").replace("false", "False")
    if language in ("python", "rust"):
        text = re.sub(r"\b([a-z]+)([A-Z])([a-z]+)\b", lambda m: f"{m[1]}_{m[2].lower()}{m[3]}", text)
    return text
