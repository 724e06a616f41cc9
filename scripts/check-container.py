#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Goes through the commands of the Dockerfile, of the hosted workflow and of the
pre-commit hooks without running them.

Checks that every script they call is there and may be executed, that the container
begins where README.md says and does what it says, that what is copied into it has
what its commands need, and that no file names a host. Exits with 1 and a line for
each finding. A container engine is not needed; `docker build .` is the real test.
"""
import os
import pathlib
import re
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = {"docker": "Dockerfile", "workflow": ".github/workflows/ci.yml",
         "hooks": ".pre-commit-config.yaml"}
# Commands that the image or its first step has.
KNOWN = {"apt-get", "cmake"}
INSTRUCTIONS = {"FROM", "COPY", "WORKDIR", "RUN", "CMD"}

findings = []


def find(where, what):
    findings.append(f"{where}: {what}")


def instructions(text):
    """The instructions of a Dockerfile, with continued lines joined."""
    joined = re.sub(r"\\\n", " ", text)
    for line in joined.splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            yield line.split(None, 1)


def check_command(where, command):
    for part in re.split(r"&&|\|\||;", command):
        words = shlex.split(part)
        if not words or words[0] in KNOWN:
            continue
        script = ROOT / words[0]
        if not script.is_file():
            find(where, f"expected {words[0]} to be a file of the repository")
        elif not os.access(script, os.X_OK):
            find(where, f"expected {words[0]} to be executable")


def check_docker(text, readme):
    found = list(instructions(text))
    names = [name for name, _ in found]
    for name in sorted(set(names) - INSTRUCTIONS):
        find("Dockerfile", f"expected one of {sorted(INSTRUCTIONS)}, got {name}")
    if names[:1] != ["FROM"] or names.count("FROM") != 1:
        find("Dockerfile", "expected one FROM, first")
    elif found[0][1] != "debian:bookworm" or "Debian 12" not in readme:
        find("Dockerfile", "expected the README's Debian 12, got " + found[0][1])
    runs = [rest for name, rest in found if name == "RUN"]
    for command in runs:
        check_command("Dockerfile", command)
    if not any(command in readme for command in runs):
        find("Dockerfile", "expected a command of the README among " + str(runs))
    if names.index("COPY") > names.index("RUN"):
        find("Dockerfile", "expected the sources before the first command")
    ignored = (ROOT / ".dockerignore").read_text().split()
    for command in runs:
        top = command.split()[0].split("/")[0]
        if any(pathlib.PurePath(top).match(pattern) for pattern in ignored):
            find("Dockerfile", f"{command} needs {top}, which .dockerignore leaves out")


def main():
    texts = {kind: (ROOT / name).read_text(encoding="utf-8")
             for kind, name in FILES.items()}
    check_docker(texts["docker"], (ROOT / "README.md").read_text(encoding="utf-8"))
    steps = re.findall(r"^ +- run: (.+)$", texts["workflow"], re.MULTILINE)
    for command in steps:
        check_command(FILES["workflow"], command)
    if ".ci/run" not in steps:
        find(FILES["workflow"], f"expected a step that runs .ci/run, got {steps}")
    if "container: debian:bookworm" not in texts["workflow"]:
        find(FILES["workflow"], "expected the container of the Dockerfile")
    entries = re.findall(r"^ +entry: (.+)$", texts["hooks"], re.MULTILINE)
    for command in entries:
        check_command(FILES["hooks"], command)
    if not entries:
        find(FILES["hooks"], "expected hooks with entries, got none")
    for kind, name in FILES.items():
        if "://" in texts[kind]:
            find(name, "expected no address of a host")
    for finding in findings:
        print(finding, file=sys.stderr)
    if findings:
        return 1
    print(f"{len(steps) + len(entries)} commands, and the Dockerfile's, are there")
    return 0


if __name__ == "__main__":
    sys.exit(main())
