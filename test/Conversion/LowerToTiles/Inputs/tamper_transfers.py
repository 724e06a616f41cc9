# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes one transfer of a tile program in every way that its text allows, and
counts which changes npu-verify-tile-program lets pass.

usage: tamper_transfers.py NPU-OPT PROGRAM

A change that does nothing is no tampering, and passes: a part is not sent that
nobody reads.
"""

import bisect
import re
import subprocess
import sys

TRANSFER = re.compile(
    r"(?P<indent> *)(?P<results>%[^=]*) = npu\.transfer (?P<source>%\S+?)"
    r"\[(?P<at>[^\]]*)\] from (?P<sender>ddr|tile \d+) to (?P<to>.*?) into "
    r"(?P<into>.*?) box \[(?P<box>[^\]]*)\] bytes = (?P<bytes>\d+)(?P<rest>.*)"
)


def numbers(text):
    return [int(word) for word in text.split(",")] if text.strip() else []


def write(match, **changes):
    """The transfer's line with some of its parts changed."""
    part = {**match.groupdict(), **changes}
    return (
        "{indent}{results} = npu.transfer {source}[{at}] from {sender} to {to} "
        "into {into} box [{box}] bytes = {bytes}{rest}".format(**part)
    )


def listed(values):
    return ", ".join(str(value) for value in values)


def ranges(box):
    return [tuple(int(n) for n in word.split(":")) for word in box.split(",")]


def boxed(box):
    return ", ".join(f"{begin}:{end}" for begin, end in box)


def volume(box):
    product = 1
    for begin, end in box:
        product *= end - begin
    return product


def shifted(values):
    """Every list of numbers with one of them moved by one or two."""
    for i in range(len(values)):
        for by in (-2, -1, 1, 2):
            if values[i] + by >= 0:
                yield values[:i] + [values[i] + by] + values[i + 1 :]


def changes(match):
    """Pairs of what was done and the line that it gives, or None."""
    box, size = ranges(match["box"]), int(match["bytes"])
    width = size // max(1, volume(box))
    yield "dropped", None
    for at in shifted(numbers(match["at"])):
        yield "source offset", write(match, at=listed(at))
    into = re.findall(r"(%\S+?)\[([^\]]*)\]", match["into"])
    for i, (value, at) in enumerate(into):
        for moved in shifted(numbers(at)):
            other = into[:i] + [(value, listed(moved))] + into[i + 1 :]
            text = ", ".join(f"{v}[{o}]" for v, o in other)
            yield "destination offset", write(match, into=text)
            yield "both offsets", write(match, into=text, at=listed(moved))
    for i, (begin, end) in enumerate(box):
        for by in (-1, 1):
            if begin + by >= 0:
                moved = box[:i] + [(begin + by, end + by)] + box[i + 1 :]
                yield "box moved", write(match, box=boxed(moved))
        if end - begin > 1:
            for cut in ((begin + 1, end), (begin, end - 1)):
                less = box[:i] + [cut] + box[i + 1 :]
                yield "box cut", write(
                    match, box=boxed(less), bytes=volume(less) * width
                )
    for tile in range(4):
        for key in ("sender", "to"):
            if match[key] != f"tile {tile}" and "," not in match[key]:
                yield f"{key} tile", write(match, **{key: f"tile {tile}"})
    yield "bytes", write(match, bytes=size + 1)


def refused(npu_opt, programs):
    """The numbers of the programs that are refused, all tried in one run."""
    starts, text = [], []
    for program in programs:
        starts.append(len(text) + 1)
        text += program + ["// -----"]
    run = subprocess.run(
        [npu_opt, "-", "--split-input-file", "--npu-verify-tile-program"],
        input="\n".join(text),
        text=True,
        capture_output=True,
    )
    lines = re.findall(r"^<stdin>:(\d+):\d+: error:", run.stderr, re.MULTILINE)
    return {bisect.bisect(starts, int(line)) - 1 for line in lines}


def dropped(lines, number, match):
    """The program without the transfer: users have what it wrote into."""
    into = re.findall(r"(%\S+?)\[", match["into"])
    results = [word.strip() for word in match["results"].split(",")]
    rest = lines[:number] + lines[number + 1 :]
    for result, before in zip(results, into):
        name = re.compile(re.escape(result) + r"(?![\w$.\-])")
        rest = [name.sub(before, line) for line in rest]
    return rest


def main():
    npu_opt, program = sys.argv[1:]
    lines = open(program).read().splitlines()
    tried, programs = [], [lines]
    for number, line in enumerate(lines):
        match = TRANSFER.fullmatch(line)
        if not match:
            continue
        for what, text in changes(match):
            tried.append((what, text or line))
            programs.append(
                dropped(lines, number, match)
                if text is None
                else lines[:number] + [text] + lines[number + 1 :]
            )
    numbers = refused(npu_opt, programs)
    if 0 in numbers:
        sys.exit(f"{program} is refused as it is")
    passed = [what for i, what in enumerate(tried) if i + 1 not in numbers]
    for what, line in passed:
        print(f"accepted, {what}: {line.strip()}")
    print(f"{len(passed)} of {len(tried)} changes accepted")


main()
