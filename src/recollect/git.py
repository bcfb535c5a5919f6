"""The one place that runs git.

A repository is untrusted: its settings may name commands (filters, hooks, monitors, ssh, pagers, helpers), include
other files and fetch objects. So git never runs in the repository itself. It runs in a stand-in, an empty repository in
a temporary folder with our own settings, which uses only files without settings of the real one:

    stand-in/   config, written here          real/.git/   config, hooks, info/attributes, modules: not read
                HEAD, *_HEAD           ◄─ copied
                index, packed-refs, shallow, objects, refs, logs   ◄─ linked

The environment is built from nothing, and no transport is allowed. Git sees a work tree only to list its files. It
never reads their content, because that is where filters run; `code.diff.work_tree` does that.

A failure is a value: `Answer.problem` says that git is missing, that it ran out of time, or git's own error.
"""

from __future__ import annotations

import os
import re
import select
import stat
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect import processes
from recollect.files import open_file

if TYPE_CHECKING:
    from recollect.processes import Popen

# Git answers in milliseconds. Comparing large commits takes seconds; a slow network drive takes longer.
TIMEOUT_S = 60.0
# Listing 27,000 files takes 0.1 s. A hostile .gitignore can make matching one name take forever.
LIST_S = 30.0
# After a listing timed out, it is not tried again for this long.
SLOW_S = 600.0
# Reading the user's own settings.
USER_S = 5.0
MISSING = "git is not installed"
# Git's error for a missing object: a partial clone, or a damaged repository.
UNREADABLE = "fatal: unable to read"
LATE = "git timed out"
MAX_COMPLAINT = 300

# A reference, a `.git` file or a `commondir` is one line.
MAX_LINE_BYTES = 4096
MAX_CONFIG_BYTES = 1_000_000
BLOCK_BYTES = 1 << 16

# Git reads these variables, and nothing of the caller's environment.
_VARIABLES: Mapping[str, str] = {
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    # A missing object stays missing: no protocol may be used to fetch it, and no helper may ask for a password.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_TERMINAL_PROMPT": "0",
    **dict.fromkeys(("GIT_ASKPASS", "SSH_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND"), "false"),
    **dict.fromkeys(("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "PAGER"), "false"),
}
# The settings of a stand-in. Those that name commands are set although nothing else could set them.
_SETTINGS = f"""\
[core]
\tbare = {{is_bare}}
\tfsmonitor = false
\tuntrackedCache = false
\thooksPath = {os.devnull}
\tattributesFile = {os.devnull}
\tquotePath = false
[protocol]
\tallow = never
[submodule]
\trecurse = false
[gc]
\tauto = 0
"""
# Settings of a repository that are kept: they describe the file system and the object names, and name nothing.
_KEPT = r"(?i)\b(filemode|ignorecase|precomposeunicode|symlinks|objectformat)\s*+=\s*+(true|false|sha1|sha256)\b"
_LINKED = r"index|sharedindex\.[0-9a-f]{40,64}"
_SHARED = ("objects", "refs", "packed-refs", "shallow", "logs/refs", "info/exclude")
_COPIED = r"HEAD|[A-Z_]{1,40}_HEAD"


class Answer(NamedTuple):
    """The output of git, and why it failed ("": it did not)."""

    output: bytes
    problem: str = ""

    @property
    def text(self) -> str:
        """The output as text."""
        return self.output.decode("utf-8", "replace")

    @property
    def is_refused(self) -> bool:
        """Whether git ran and failed; not if it is missing or timed out."""
        return self.problem not in ("", MISSING) and not self.problem.startswith(LATE)


class Folders(NamedTuple):
    """A work tree, its own git folder, and the one that all work trees of the repository share."""

    root: Path
    own: Path
    common: Path


def folders(root: Path | str) -> Folders | None:
    """Return the git folders of the work tree at `root`; None where there are none."""
    tree = Path(root)
    marker = tree / ".git"
    try:
        own = marker if marker.is_dir() else tree / line(marker).removeprefix("gitdir:").strip()
        if own == tree or not own.is_dir():
            return None
    except (OSError, ValueError):
        return None
    return Folders(tree, own, own / (line(own / "commondir") or "."))


def line(file: Path) -> str:
    """Return the content of a small file of git; "" if there is no such regular file."""
    content = read(file, MAX_LINE_BYTES)
    return content[:MAX_LINE_BYTES].decode("utf-8", "replace").strip() if content is not None else ""


def read(file: Path | str, most: int, *, follows: bool = True) -> bytes | None:
    """Return a regular file up to one byte more than `most`; None where there is none. A pipe cannot block this.

    follows: whether the file may be a link
    """
    try:
        with open_file(file, follows=follows) as opened:
            return opened.read(most + 1)
    except (OSError, ValueError):
        return None


class Repository:
    """A stand-in repository to run git in, any number of times."""

    def __init__(self, folder: Path, root: Path, *, sees_files: bool) -> None:
        import shutil  # here, not above: with tempfile it takes 7 ms, and a hook that runs no git does without

        self.folder = folder
        path = os.pathsep.join(_path(root))
        self._program = shutil.which("git", path=path) or ""
        self._at = root if sees_files else folder
        self._variables = {**_VARIABLES, **_user(), "PATH": path, "GIT_DIR": str(folder)}
        if sees_files:
            self._variables["GIT_WORK_TREE"] = str(root)

    @property
    def has_modes(self) -> bool:
        """Whether the file system stores which files are executable."""
        return "filemode = false" not in (self.folder / "config").read_text("utf-8")

    def excludes(self) -> tuple[str, ...]:
        """Return the option that names the user's own ignore file, if there is one."""
        if not self._program:
            return ()
        found = _excludes(self._program, tuple(_user().items()), self._variables["PATH"])
        return ("-c", f"core.excludesFile={found}") if found else ()

    def keep_objects(self) -> Path:
        """Return a folder for additional objects that git can read."""
        kept = self.folder / "kept"
        kept.mkdir(exist_ok=True)
        self._variables["GIT_OBJECT_DIRECTORY"] = str(kept)
        self._variables["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = str(self.folder / "objects")
        return kept

    def run(self, *words: str, given: bytes = b"", timeout_s: float = TIMEOUT_S) -> Answer:
        """Return what git prints."""
        if not self._program:
            return Answer(b"", MISSING)
        try:
            done = processes.run(
                self._command(words), given=given, timeout_s=timeout_s, folder=self._at, environment=self._variables
            )
        except TimeoutError:
            return Answer(b"", _late(timeout_s))
        except OSError as problem:
            return Answer(b"", f"git could not be started: {problem.strerror}")
        return Answer(done.output, _complaint(done.status, done.errors))

    def stream(self, *words: str, timeout_s: float = TIMEOUT_S) -> Iterator[Answer]:
        """Yield the output of git as it comes, and its problem last if there is one.

        timeout_s: how long to wait for more output; time that the caller spends between two blocks does not count
        """
        if not self._program:
            yield Answer(b"", MISSING)
            return
        import tempfile

        with tempfile.TemporaryFile() as errors:
            with processes.start(
                self._command(words), errors=errors, folder=self._at, environment=self._variables
            ) as process:
                try:
                    is_late = yield from _blocks(process, timeout_s)
                finally:
                    process.kill()
            errors.seek(0)
            problem = _late(timeout_s) if is_late else _complaint(process.returncode, errors.read(MAX_LINE_BYTES))
        if problem:
            yield Answer(b"", problem)

    def blobs(self, names: Iterable[str], timeout_s: float = TIMEOUT_S) -> tuple[dict[str, bytes], str]:
        """Return the content of blobs by name, without unknown ones, and a problem or ""."""
        wanted = [name for name in dict.fromkeys(names) if name and "\n" not in name]
        if not wanted:
            return {}, ""
        asked = "".join(f"{name}\n" for name in wanted).encode("utf-8", "surrogateescape")
        told, problem = self.run("cat-file", "--batch", given=asked, timeout_s=timeout_s)
        found: dict[str, bytes] = {}
        at = 0
        for name in wanted:
            end = told.find(b"\n", at)
            if end < 0:
                break
            words = told[at:end].split(b" ")
            at = end + 1
            if len(words) == 3 and words[2].isdigit():
                size = int(words[2])
                if words[1] == b"blob":
                    found[name] = told[at : at + size]
                at += size + 1
        return found, problem

    @contextmanager
    def objects(self) -> Iterator[Objects]:
        """Yield a reader of single blobs; one process answers all requests of a kind."""
        reader = Objects(self._asked)
        try:
            yield reader
        finally:
            reader.close()

    def _asked(self, how: str) -> Popen[bytes] | None:
        """Start a process that answers requests for objects; None where git cannot be started."""
        command = self._command(("cat-file", how))
        with suppress(OSError), open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a device
            if self._program:
                return processes.start(
                    command, takes_input=True, errors=nowhere, folder=self._at, environment=self._variables
                )
        return None

    def _command(self, words: Iterable[str]) -> list[str]:
        return [self._program, "--no-pager", "--literal-pathspecs", *words]


class Stored(NamedTuple):
    """The id and the size of a blob."""

    id: str
    size_bytes: int


class Objects:
    """Blobs by name, `commit:path` or an id, one after the other. After a failure all are unknown."""

    def __init__(self, start: Callable[[str], Popen[bytes] | None]) -> None:
        self._start = start
        self._pipes: dict[str, _Pipe | None] = {}

    def find(self, name: str) -> Stored | None:
        """Return the id and the size of a blob without reading it; None if there is none."""
        return self._asked("--batch-check", name)

    def is_commit(self, name: str) -> bool:
        """Tell whether there is a commit of this id."""
        return self._answer("--batch-check", name)[1:2] == [b"commit"]

    def content(self, blob: str) -> bytes | None:
        """Return the content of a blob by its id."""
        found = self._asked("--batch", blob)
        pipe = self._pipes.get("--batch")
        # A line feed follows the content.
        content = pipe.taken(found.size_bytes + 1) if found is not None and pipe is not None else None
        return content[:-1] if content is not None else None

    def close(self) -> None:
        """End the processes."""
        for how in self._pipes:
            self._end(how)

    def _asked(self, how: str, name: str) -> Stored | None:
        words = self._answer(how, name)
        if words[1:2] == [b"blob"]:
            return Stored(words[0].decode("ascii", "replace"), int(words[2]))
        if words and how == "--batch":  # the content of a tree or a commit would follow
            self._end(how)
        return None

    def _answer(self, how: str, name: str) -> list[bytes]:
        """Return the id, the type and the size of an object; empty if there is none."""
        if how not in self._pipes:
            process = self._start(how)
            self._pipes[how] = _Pipe(process) if process is not None else None
        pipe = self._pipes[how]
        if pipe is None or not name or "\n" in name or "\0" in name:
            return []
        words = pipe.asked(name).split(b" ")
        if len(words) == 3 and words[2].isdigit():
            return words
        if words[-1] not in (b"missing", b"ambiguous"):  # late, or ended
            self._end(how)
        return []

    def _end(self, how: str) -> None:
        pipe = self._pipes[how]
        if pipe is not None:
            pipe.close()
        self._pipes[how] = None


class _Pipe:
    """A running git that answers one line for each line."""

    def __init__(self, process: Popen[bytes]) -> None:
        self._process = process
        self._read = b""

    def asked(self, line: str) -> bytes:
        """Return the answer to a line; empty if there is none."""
        source = self._process.stdin
        with suppress(OSError):
            if source is not None:
                source.write(f"{line}\n".encode("utf-8", "surrogateescape"))
                source.flush()
                while b"\n" not in self._read and len(self._read) <= MAX_LINE_BYTES and self._more():
                    pass
        answer, _, self._read = self._read.partition(b"\n")
        return answer

    def taken(self, size: int) -> bytes | None:
        """Return the next bytes; None if they do not come."""
        pieces = [self._read]
        missing = size - len(self._read)
        while missing > 0:
            self._read = b""
            if not self._more():
                return None
            pieces.append(self._read)
            missing -= len(self._read)
        whole = b"".join(pieces)
        self._read = whole[size:]
        return whole[:size]

    def close(self) -> None:
        """End the process."""
        with self._process as process:
            process.kill()

    def _more(self) -> bool:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        handle = self._process.stdout.fileno()
        piece = os.read(handle, BLOCK_BYTES) if select.select([handle], [], [], TIMEOUT_S)[0] else b""
        self._read += piece
        return bool(piece)


@contextmanager
def opened(where: Folders | None, *, tree: Path | None = None) -> Iterator[Repository]:
    """Yield a stand-in for a repository; None gives an empty one.

    tree: the work tree whose files git may list. Without it git sees none.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="recollect-git-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "config").write_text(_settings(where, is_bare=tree is None), "utf-8")
        if where is not None:
            _borrow(where, folder)
        for needed in ("objects", "refs"):
            (folder / needed).mkdir(exist_ok=True)
        if not (folder / "HEAD").exists():
            (folder / "HEAD").write_text("ref: refs/heads/main\n", "ascii")
        root = tree or (where.root if where is not None else folder)
        yield Repository(folder, root, sees_files=tree is not None)


def run(root: Path | str, *words: str, given: bytes = b"", timeout_s: float = TIMEOUT_S) -> Answer:
    """Return what git prints about the repository whose work tree is at `root`."""
    where = folders(root)
    if where is None:
        return Answer(b"", f"{root} is not a git work tree")
    with opened(where) as repository:
        return repository.run(*words, given=given, timeout_s=timeout_s)


def listed(
    root: Path, paths: Iterable[str] = (), *, is_repository: bool = True, kinds: Sequence[str] = ("-c", "-o")
) -> Answer:
    """Return the names of the files that are tracked (-c) or neither tracked nor ignored (-o), each followed by NUL.

    is_repository: whether the tree has a repository. Without one, git still applies .gitignore files.
    """
    where = folders(root) if is_repository else None
    if where is None and is_repository:
        return Answer(b"", f"{root} is not a git work tree")
    if not _is_plain(root / ".gitignore"):  # git would wait for a pipe
        return Answer(b"", ".gitignore is not a regular file")
    if _SLOW.get(root, 0.0) > time.monotonic():
        return Answer(b"", _late(LIST_S))
    with opened(where, tree=root) as repository:
        words = (*repository.excludes(), "ls-files", "-z", *kinds, "--exclude-standard", "--", *paths)
        answer = repository.run(*words, timeout_s=LIST_S)
    if answer.problem.startswith(LATE):
        _SLOW[root] = time.monotonic() + SLOW_S
    return answer


# Trees whose listing timed out, and until when git is not asked about them.
_SLOW: dict[Path, float] = {}


def _is_plain(path: Path) -> bool:
    """Return whether a path is a regular file or does not exist."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True


# --- the stand-in ---


def _borrow(where: Folders, folder: Path) -> None:
    """Copy and link the needed files of a repository into a stand-in."""
    own, common = Path(os.path.realpath(where.own)), Path(os.path.realpath(where.common))
    try:
        names = [entry.name for entry in own.iterdir()]
    except OSError:
        names = []
    for name in names:
        # Git refuses a HEAD that is a link.
        if re.fullmatch(_COPIED, name) and (content := line(own / name)):
            (folder / name).write_text(f"{content}\n", "utf-8")
        elif re.fullmatch(_LINKED, name):
            _link(own / name, folder / name)
    _link(own / "logs/HEAD", folder / "logs/HEAD")
    for name in _SHARED:
        _link(common / name, folder / name)


def _link(source: Path, place: Path) -> None:
    """Link to a folder or a regular file; git would wait for a pipe."""
    if source.is_file() or source.is_dir():
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(source)


def _settings(where: Folders | None, *, is_bare: bool) -> str:
    """Return the settings of a stand-in: ours, and the harmless ones of the repository."""
    content = read(where.common / "config", MAX_CONFIG_BYTES) if where is not None else None
    kept = {
        name.lower(): value.lower() for name, value in re.findall(_KEPT, (content or b"").decode("utf-8", "replace"))
    }
    form = kept.pop("objectformat", "sha1")
    core = "".join(f"\t{name} = {value}\n" for name, value in kept.items() if value in ("true", "false"))
    extensions = f"[extensions]\n\tobjectFormat = {form}\n" if form == "sha256" else ""
    ours = _SETTINGS.format(is_bare=str(is_bare).lower())
    return f"{ours}[core]\n\trepositoryformatversion = {int(bool(extensions))}\n{core}{extensions}"


# --- the program and its environment ---


def _path(root: Path) -> list[str]:
    """Return the folders to look for programs in: absolute ones outside of the project and of the current one."""
    avoided = tuple(f"{tree}{os.sep}" for tree in {*_trees(root), *_trees(Path.cwd())})
    return [
        folder
        for folder in os.get_exec_path()
        if os.path.isabs(folder) and not f"{os.path.realpath(folder)}{os.sep}".startswith(avoided)  # noqa: PTH117
    ]


def _trees(folder: Path) -> Iterator[str]:
    """Yield the outermost git work tree that a folder lies in, if there is one."""
    place = Path(os.path.realpath(folder))
    around = [path for path in (place, *place.parents) if path.name and os.path.lexists(path / ".git")]
    if around:
        yield str(around[-1])


def _user() -> dict[str, str]:
    """Return the variables by which git finds files of the user."""
    names = ("HOME", "XDG_CONFIG_HOME")
    return {name: value for name in names if os.path.isabs(value := os.environ.get(name, ""))}  # noqa: PTH117


@lru_cache(maxsize=8)
def _excludes(program: str, user: tuple[tuple[str, str], ...], path: str) -> str:
    """Return the ignore file that the user's own settings name; "" where they name none."""
    variables = {**_VARIABLES, **dict(user), "PATH": path}
    del variables["GIT_CONFIG_GLOBAL"]
    import tempfile

    with tempfile.TemporaryDirectory(prefix="recollect-git-") as empty:
        variables["GIT_DIR"] = empty  # no repository: no settings but the user's
        command = [program, "config", "--global", "--includes", "--type=path", "--get", "core.excludesFile"]
        with suppress(OSError):
            done = processes.run(command, timeout_s=USER_S, folder=empty, environment=variables)
            return os.fsdecode(done.output.rstrip(b"\n")) if done.status == 0 else ""
    return ""


# --- what went wrong ---


def _blocks(process: Popen[bytes], timeout_s: float) -> Generator[Answer, None, bool]:
    """Yield the output of a process as it comes; return whether it came too late."""
    assert process.stdout is not None  # noqa: S101 - it was asked for
    handle = process.stdout.fileno()
    while select.select([handle], [], [], timeout_s)[0]:
        block = os.read(handle, BLOCK_BYTES)
        if not block:
            process.wait()
            return False
        yield Answer(block)
    return True


def _late(timeout_s: float) -> str:
    return f"{LATE} after {timeout_s:g} s"


def _complaint(code: int, errors: bytes) -> str:
    """Return the first error line of git, "" where it succeeded."""
    if code == 0:
        return ""
    lines = [text.strip() for text in errors.decode("utf-8", "replace").splitlines() if text.strip()]
    wanted = [text for text in lines if text.startswith(("fatal:", "error:"))] or lines
    return wanted[0][:MAX_COMPLAINT] if wanted else f"git failed with exit status {code}"
