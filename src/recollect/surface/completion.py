"""Completion scripts for bash, zsh and fish, written from the table of commands.

The scripts are static: pressing Tab starts no Python. They complete commands, options, the choices of an option or of a
positional argument, and file names where a path is expected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.operations import Parameter
from recollect.surface.arguments import global_options, options
from recollect.surface.command import GLOBAL_OPTIONS, Command, optionals, positionals
from recollect.surface.form import Form, flag, form

Table = Mapping[str, Command]


def script(shell: str, table: Table) -> str:
    """Return the completion script of one of the shells in `SCRIPTS`."""
    return SCRIPTS[shell](table)


def _positional_choices(command: Command, table: Table) -> list[str]:
    if command.command == "help":
        return [name for name in table if name != "help"]
    return [choice for row in positionals(command) for choice in form(row).choices]


def _takes_files(command: Command) -> bool:
    return any(form(row).kind == "path" for row in positionals(command))


def _bash(table: Table) -> str:
    values = "\n".join(_bash_value(command, name, shape) for command, name, shape in _valued(table))
    words = "\n".join(
        f'    {name}) words="{" ".join([*_positional_choices(command, table), *options(command)])}" ;;'
        for name, command in table.items()
    )
    valued_globals = "|".join(option for row in GLOBAL_OPTIONS if row.metavar for option in row.flags)
    first = " ".join([*table, *(option for row in GLOBAL_OPTIONS for option in row.flags)])
    return f"""\
# bash completion for recollect: eval "$(recollect completion bash)"
_recollect() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" command="" words="" i
  # bash splits --option=value at the sign
  if [[ $current == "=" ]]; then current=""
  elif [[ $previous == "=" ]]; then previous="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{COMP_WORDS[i]}}" in
      {valued_globals}) ((i++)) ;;
      -*) ;;
      *) command="${{COMP_WORDS[i]}}"; break ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
{values}
  esac
  case "$command" in
    "") words="{first}" ;;
{words}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _recollect recollect
"""


def _valued(table: Table) -> list[tuple[str, str, Form]]:
    """Return every option that takes a value with its command; global ones under `*`."""
    found = [("*", option, Form("path")) for row in GLOBAL_OPTIONS if row.metavar for option in row.flags]
    for name, command in table.items():
        rows = ((flag(row), form(row)) for row in optionals(command))
        found += [(name, option, shape) for option, shape in rows if shape.kind != "truth"]
    return found


def _bash_value(command: str, option: str, shape: Form) -> str:
    """Return the case of an option: its choices, or nothing, where bash falls back to file names."""
    pattern = f"*' {option}'" if command == "*" else f"'{command} {option}'"
    choose = f'COMPREPLY=($(compgen -W "{" ".join(shape.choices)}" -- "$current")); ' if shape.choices else ""
    return f"    {pattern}) {choose}return ;;"


def _zsh(table: Table) -> str:
    described = "\n".join(f"    {_quote(f'{name}:{_brief(row.summary)}')}" for name, row in table.items())
    everywhere = " \\\n    ".join(_zsh_globals())
    cases = "\n".join(
        f"        {name}) _arguments {' '.join(_zsh_specs(row, table))} ;;" for name, row in table.items()
    )
    return f"""\
#compdef recollect
# zsh completion for recollect: recollect completion zsh > a folder of $fpath/_recollect
_recollect() {{
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
{described}
  )
  _arguments -C \\
    {everywhere} \\
    '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe -t commands command commands ;;
    argument)
      case $words[1] in
{cases}
      esac ;;
  esac
}}
if [ "$funcstack[1]" = "_recollect" ]; then _recollect "$@"; else compdef _recollect recollect; fi
"""


def _zsh_globals() -> list[str]:
    return [
        _quote(f"{option}[{_zsh_text(row.help)}]" + (f":{row.metavar}:_files" if row.metavar else ""))
        for row in GLOBAL_OPTIONS
        for option in row.flags
    ]


def _zsh_specs(command: Command, table: Table) -> list[str]:
    specs = [_zsh_option(row) for row in optionals(command)]
    choices = _positional_choices(command, table)
    action = f"({' '.join(choices)})" if choices else "_files" if _takes_files(command) else " "
    specs.append(_quote(f"*:argument:{action}"))
    extra = [row for row in global_options(command) if row not in GLOBAL_OPTIONS]
    specs += [_quote(f"{option}[{_zsh_text(row.help)}]") for row in extra for option in row.flags]
    return [*specs, *_zsh_globals()]


def _zsh_option(row: Parameter) -> str:
    shape = form(row)
    text = f"{'*' if shape.kind == 'several' else ''}{flag(row)}[{_zsh_text(row.help)}]"
    if shape.kind == "truth":
        return f"{_quote(text)} {_quote('--no-' + flag(row)[2:])}"
    action = f"({' '.join(shape.choices)})" if shape.choices else "_files" if shape.kind == "path" else ""
    return _quote(f"{text}:{row.name}:{action}")


def _zsh_text(text: str) -> str:
    return _brief(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


_FISH = """\
# fish completion for recollect: recollect completion fish > ~/.config/fish/completions/recollect.fish
function __recollect_command --description 'is a command given, or this one'
  set -l is_value 0
  for word in (commandline -opc)[2..-1]
    if test $is_value = 1
      set is_value 0
      continue
    end
    switch $word
      case VALUED
        set is_value 1
      case '-*'
      case '*'
        test (count $argv) -eq 0; or test "$word" = "$argv[1]"
        return
    end
  end
  return 1
end
complete -c recollect -f"""


def _fish(table: Table) -> str:
    valued_globals = " ".join(option for row in GLOBAL_OPTIONS if row.metavar for option in row.flags)
    lines = [_FISH.replace("VALUED", valued_globals)]
    lines += [
        f"complete -c recollect {_fish_flags(row.flags)}{' -r -F' if row.metavar else ''} -d {_fish_text(row.help)}"
        for row in GLOBAL_OPTIONS
    ]
    for name, command in table.items():
        lines.append(f"complete -c recollect -n 'not __recollect_command' -a {name} -d {_fish_text(command.summary)}")
        seen = f"complete -c recollect -n '__recollect_command {name}'"
        lines += [f"{seen} {part}" for part in _fish_parts(command, table)]
    return "\n".join(lines) + "\n"


def _fish_parts(command: Command, table: Table) -> list[str]:
    parts: list[str] = []
    choices = _positional_choices(command, table)
    if choices:
        parts.append(f"-a '{' '.join(choices)}'")
    elif _takes_files(command):
        parts.append("-F")
    for row in optionals(command):
        shape = form(row)
        value = f" -x -a '{' '.join(shape.choices)}'" if shape.choices else " -r -F" if shape.kind == "path" else " -x"
        parts.append(f"-l {flag(row)[2:]}{'' if shape.kind == 'truth' else value} -d {_fish_text(row.help)}")
        if shape.kind == "truth":
            parts.append(f"-l no-{flag(row)[2:]}")
    extra = [row for row in global_options(command) if row not in GLOBAL_OPTIONS]
    return [*parts, *(f"{_fish_flags(row.flags)} -d {_fish_text(row.help)}" for row in extra)]


def _fish_flags(flags: tuple[str, ...]) -> str:
    return " ".join(f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}" for option in flags)


def _fish_text(text: str) -> str:
    return "'" + _brief(text).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _quote(text: str) -> str:
    """Return `text` as one word of a Bourne shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _brief(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".")


SCRIPTS: Mapping[str, Callable[[Table], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
