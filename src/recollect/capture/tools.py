"""Names of the assistants' tools and of their fields, mapped to ours.

Names are compared in lower case without `_` and `-`: one entry covers WebFetch, web_fetch and webfetch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.capture.observation import ToolName

_NAMES: Mapping[ToolName, str] = {
    "read": "read readfile readmanyfiles view viewfile notebookread readcode openfile cat",
    "find": "glob ls list listdirectory listdir listfiles findfiles filesearch codebaselistdir",
    "search": "grep grepsearch searchfilecontent rg ripgrep searchfiles codesearch codebasesearch searchcode",
    "edit": "edit multiedit replace strreplace strreplaceeditor strreplacebasededittool notebookedit replaceinfile "
    "editfile searchreplace inserteditintofile",
    "write": "write writefile create createfile writetofile writecode newfile",
    "patch": "applypatch applydiff patch",
    "shell": "bash shell runshellcommand execcommand executecommand runcommand runterminalcmd runinterminal powershell "
    "localshell terminal exec",
    "fetch": "webfetch fetch fetchurl fetchwebpage urlfetch openurl",
    "web": "websearch googlewebsearch searchweb",
    "agent": "agent task spawnagent runsubagent subagent delegate",
    "plan": "todowrite todoread taskcreate taskupdate tasklist taskget taskstop updateplan writetodos enterplanmode "
    "exitplanmode askuserquestion skill toolsearch sendmessage reportintent writestdin viewimage savememory",
}
BY_NAME: Mapping[str, ToolName] = {name: tool for tool, names in _NAMES.items() for name in names.split()}

# Our name of a field → its names in payloads; the first that is present counts.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "path": ("file_path", "filePath", "path", "absolute_path", "notebook_path", "target_file", "filename", "file"),
    "old": ("old_string", "oldString", "old_str", "old_text"),
    "new": ("new_string", "newString", "new_str", "new_text", "new_source"),
    "content": ("content", "file_text", "contents", "text", "code_edit"),
    "pattern": ("pattern", "regex", "query", "glob", "glob_pattern", "search_term"),
    "command": ("command", "cmd", "command_line", "commandLine", "script"),
    "url": ("url", "uri", "urls"),
    "query": ("query", "q", "search_term"),
    "prompt": ("prompt", "task", "message", "description"),
    "patch": ("command", "input", "patch", "diff", "patchText"),
    "offset": ("offset", "start_line", "startLine", "line_start"),
    "limit": ("limit", "max_lines", "line_count"),
}

# The prefix and separator around the server's name in the name of an MCP tool.
MCP_SEPARATORS: Mapping[str, tuple[str, str]] = {
    "claude": ("mcp__", "__"),
    "codex": ("mcp__", "__"),
    "gemini": ("mcp_", "_"),
    "copilot": ("", "-"),
    "opencode": ("", "_"),
}


def plain(name: str) -> str:
    """Return the name of a tool for comparison."""
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def kind(name: str, assistant: str) -> tuple[ToolName, str]:
    """Return the kind of a tool, and its MCP server if known."""
    found = BY_NAME.get(plain(name))
    if found:
        return found, ""
    start, separator = MCP_SEPARATORS.get(assistant, ("mcp__", "__"))
    rest = name.removeprefix(start)
    if separator in rest and (not start or rest != name):
        server = rest.partition(separator)[0]
        return ("mcp", server) if server else ("other", "")
    return "other", ""


def field(values: Mapping[str, Any], name: str) -> Any:
    """Return a field by our name; None if missing."""
    return next((values[key] for key in FIELDS[name] if values.get(key) not in (None, "")), None)


def text_field(values: Mapping[str, Any], name: str) -> str:
    """Return a field as text; a list is a command line; "" if missing."""
    value = field(values, name)
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        # ["bash", "-lc", "make test"] is the command of a shell.
        if len(value) == 3 and value[1] in ("-c", "-lc"):
            return str(value[2])
        return " ".join(value)
    return ""


def texts(value: Any) -> Iterable[str]:
    """Yield the texts of a tool's answer in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, Mapping):
        for key in "text llmContent textResultForLlm stdout stderr output result content error".split():
            if key in value:
                yield from texts(value[key])


def said(value: Any) -> str:
    """Return the answer of a tool as one text."""
    return "\n".join(part for part in texts(value) if part)
