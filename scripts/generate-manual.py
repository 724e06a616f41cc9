#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a tool's manual page and bash completion from what its --help prints.

    scripts/generate-manual.py TOOL --man FILE --completion FILE

TOOL is run with --help, --version and, where it has that option, --list-passes.
The build does this for every tool; `cmake --install` installs the results.
"""
import argparse
import pathlib
import re
import subprocess
import sys

# "  --name=<value>   - what it does"; passes have no dash before the words. A value may
# have spaces: "--compile[=<target=npu4000 ...>]".
OPTION = re.compile(r"^ {2,}(?P<name>--?[A-Za-z][\w-]*)(?P<value>\[?=<[^>]*>\]?|\S*(?: <\S+>)?)"
                    r"(?: {2,}| +- +|$)(?:- +)?(?P<words>.*)$")
# "    =text   -   what the value means"
VALUE = re.compile(r"^ {4,}=(?P<name>\S+)\s+-\s+(?P<words>.*)$")
HEADING = re.compile(r"^\S.*:$")


def ask(tool, *arguments):
    ran = subprocess.run([tool, *arguments], text=True, capture_output=True, timeout=60)
    if ran.returncode != 0:
        sys.exit(f"error: {tool} {' '.join(arguments)} exits with {ran.returncode}")
    return ran.stdout


class Help:
    """What --help says: an overview, a usage line, and groups of options."""

    def __init__(self, text):
        self.overview, self.usage, self.groups = [], "", []
        for line in text.splitlines():
            self._read(line)
        if not self.overview or not self.usage or not any(g[1] for g in self.groups):
            sys.exit("error: expected OVERVIEW, USAGE and options in --help")

    def _read(self, line):
        option, value = OPTION.match(line), VALUE.match(line)
        if line.startswith("OVERVIEW:"):
            self.overview.append(line.removeprefix("OVERVIEW:").strip())
        elif line.startswith("USAGE:"):
            self.usage = line.removeprefix("USAGE:").strip()
        elif line == "OPTIONS:":
            pass
        elif HEADING.match(line):
            self.groups.append((line[:-1], []))
        elif value and self.groups and self.groups[-1][1]:
            self.groups[-1][1][-1][2].append((value["name"], value["words"]))
        elif option and self.groups:
            self.groups[-1][1].append(
                (option["name"] + option["value"], option["words"], []))
        elif line.strip() and not line.startswith(" "):
            self.overview.append(line.strip())

    def option_names(self):
        for _, options in self.groups:
            for name, _, _ in options:
                yield re.split(r"[=\s\[<]", name)[0]


def roff(text):
    """`text` as roff reads it: no letter of it is a command."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return r"\&" + text if text[:1] in (".", "'") else text


def manual_page(tool, version, described):
    lines = [f'.TH {tool.upper()} 1 "" "{version}" "Tilewright"',
             ".SH NAME", f"{tool} \\- {roff(described.overview[0])}",
             ".SH SYNOPSIS", roff(described.usage), ".SH DESCRIPTION"]
    lines += [roff(line) for line in described.overview]
    for title, options in described.groups:
        if not options:
            continue
        lines.append(f'.SH "{title.upper()}"')
        for name, words, values in options:
            lines += [".TP", rf"\fB{roff(name)}\fR", roff(words) or r"\&"]
            for value, meaning in values:
                lines += [".br", rf"\fB{roff(value)}\fR: {roff(meaning)}"]
    return "\n".join(lines) + "\n"


def passes(text):
    """The names in a list of passes; what is indented further are their options."""
    return re.findall(r"^ {2}(--[\w-]+)", text, re.MULTILINE)


def completion(tool, names):
    function = "_" + tool.replace("-", "_")
    words = "\n".join(f"    {name}" for name in names)
    return f"""# bash completion of {tool}, made from its --help

{function}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}}
  # Bash breaks words at '=': what follows it is a value, often a file.
  if [[ $word != -* || $word == *=* ]]; then
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W '
{words}
  ' -- "$word")
}}

complete -o default -o bashdefault -F {function} {tool}
"""


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("tool")
    arguments.add_argument("--man", type=pathlib.Path, required=True)
    arguments.add_argument("--completion", type=pathlib.Path, required=True)
    given = arguments.parse_args()

    described = Help(ask(given.tool, "--help"))
    name = pathlib.Path(given.tool).name
    # "npu-opt (Tilewright) 0.1.0"
    version = ask(given.tool, "--version").splitlines()[0].split(" ", 1)[1]
    version = version.replace("(", "").replace(")", "")
    names = set(described.option_names())
    if "--list-passes" in names:
        names |= set(passes(ask(given.tool, "--list-passes")))
    for path, text in ((given.man, manual_page(name, version, described)),
                       (given.completion, completion(name, sorted(names)))):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
