#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What npu-verify-distributions accepts, lowers and runs.

Takes every function with layouts of every .mlir file below the given folders,
as it stands and after npu-legalize-distributions. Where verification accepts
it, npu-lower-to-tiles and npu-to-llvm must succeed without an error, and so
must npu-run, with the same bits as without layouts, where the function is one
that npu-run can run, and each operation must be executed where the placement
report says. What npu-print-transfers says that it moves is what its
tile program moves. Prints every function that breaks this, and the count.

usage: verified_lowers.py DIR_OF_TOOLS FILE_OR_FOLDER...
"""

import bisect
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FUNCTION = re.compile(r"func\.func (?:(?:public|private) )?@([\w.$-]+|\"[^\"]+\")")
# Both separators: of --split-input-file and of split-file.
CHUNKS = re.compile(r"^\s*// -----.*$|^//--- .*$", re.MULTILINE)
SEPARATOR = re.compile(r"^// -----\n", re.MULTILINE)
# What npu-run says where a function is none of its: shapes that are not
# static, elements without a host type, declarations and what is computed from
# their results; and, in or after the run, of one without results, or with inputs
# for which it says itself that it has none.
NOT_RUN = re.compile(r"error: assertion failed|"
                     r"error: expected (tensors of static shape|a function with"
                     r" a body|what functions without a body return|results to"
                     r" compare)|--length")
# What has steps and tensors on tiles is lowered once npu-run-in-steps has made
# loops of it.
HAS_STEPS = "expected loops, which npu-run-in-steps makes of it"
# What a device's scratchpads hold is seen when buffers get their places.
TOO_LARGE = re.compile(r"error: .*the scratchpad of \w+, got \d+")
# No level of optimization changes a bit: each of the two texts of a function is run
# at another one.
LEVELS = {"as written": "-O2", "legalized": "-O0"}
# What is printed of a text that passes.
MODULE = re.compile(r"^module\b", re.MULTILINE)
# So many texts have one process of npu-opt.
BATCH = 24
REPORT = "--npu-print-transfers=format=json"
LOWER = ["--mlir-elide-elementsattrs-if-larger=16", REPORT, "--npu-lower-to-tiles", REPORT,
         "--npu-to-llvm"]
# More than this takes longer to run than all the others together.
MOST_ELEMENTS = 1 << 20


def run(tool, *arguments):
    """Exit code and messages; a tool that is stuck is a failure."""
    try:
        done = subprocess.run([tool, *map(str, arguments)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=60)
    except subprocess.TimeoutExpired:
        return -1, "stuck"
    return done.returncode, done.stdout


def optimize(bin_dir, texts, passes, source):
    """(exit code, what is printed, messages) of npu-opt with the passes for each text.

    One process takes all texts from the file `source`. Where it ends early, or says
    something whose text is not known, each text has a process of its own."""
    source.write_text("\n// -----\n".join(texts))
    try:
        done = subprocess.run([bin_dir / "npu-opt", source, "--split-input-file", *passes],
                              capture_output=True, text=True, errors="replace", timeout=300)
    except subprocess.TimeoutExpired:
        return each_alone(bin_dir, texts, passes, source) if len(texts) > 1 else [(-1, "", "stuck")]
    if len(texts) == 1:
        return [(done.returncode, done.stdout.strip(), done.stderr)]
    printed = [out.strip() for out in SEPARATOR.split(done.stdout)]
    messages = messages_by_text(done.stderr, texts, source)
    if len(printed) != len(texts) or messages is None:
        return each_alone(bin_dir, texts, passes, source)
    said = []
    for text, out, errors in zip(texts, printed, messages):
        failed = "error:" in errors
        # A text that passes is printed, and one that fails is not.
        if failed == bool(MODULE.search(out)):
            said += each_alone(bin_dir, [text], passes, source)
        else:
            said.append((int(failed), out, errors))
    return said


def each_alone(bin_dir, texts, passes, source):
    return [one for text in texts for one in optimize(bin_dir, [text], passes, source)]


def messages_by_text(errors, texts, source):
    """The messages at places in each of the texts of a file; nothing where one is at no
    such place."""
    begins, line = [], 1
    for text in texts:
        begins.append(line)
        line += text.count("\n") + 2
    messages, text = [""] * len(texts), None
    for line in errors.splitlines(keepends=True):
        if place := re.match(re.escape(str(source)) + r":(\d+):\d+: ", line):
            text = bisect.bisect_right(begins, int(place[1])) - 1
        elif text is None or re.match(r"\S*: (error|warning|note|remark): ", line):
            return None
        messages[text] += line
    return messages


def in_batches(pool, items, work):
    """What `work(items, number)` says of each item; it is given several at a time."""
    batches = [items[begin:begin + BATCH] for begin in range(0, len(items), BATCH)]
    return [said for batch in pool.map(work, batches, range(len(batches))) for said in batch]


def functions(path):
    """(name, chunk in which no other function is public) of every function.

    A chunk that spells no attribute of the dialect has no layout, and no pass
    gives it one.
    """
    for chunk in CHUNKS.split(path.read_text()):
        if "#npu" not in chunk:
            continue
        names = dict.fromkeys(FUNCTION.findall(chunk))
        for name in names:
            yield name, FUNCTION.sub(
                lambda match: match.group(0) if match.group(1) == name or
                "private" in match.group(0) else
                match.group(0).replace("public ", "").replace("@", "private @"),
                chunk)


def reports(printed):
    """The reports that npu-print-transfers prints, one after the other."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while printed.startswith("{", at):
        report, at = decoder.raw_decode(printed, at)
        found.append(report)
        at += len(printed[at:]) - len(printed[at:].lstrip())
    return found


def totals(report):
    """What every function moves, by its name."""
    return {function["name"]: {key: function["totals"][key] for key in
                               ("bytes_received", "bytes_injected", "ddr_bytes")}
            for function in report["functions"]}


def is_small(text):
    """Whether no tensor of the function is large."""
    for shape in re.findall(r"tensor<((?:\d+x)+)", text):
        elements = 1
        for extent in shape.split("x")[:-1]:
            elements *= int(extent)
        if elements > MOST_ELEMENTS:
            return False
    return True


def accepted_texts(pool, bin_dir, chunks, folder):
    """(what, text) of everything that verification accepts, for each chunk."""
    accepted = [[] for _ in chunks]
    for what, passes in (("as written", []),
                         ("legalized", ["--npu-legalize-distributions"])):
        passes = ["--symbol-dce", *passes, "--npu-verify-distributions"]
        said = in_batches(pool, chunks, lambda batch, number: optimize(
            bin_dir, batch, passes, folder / f"texts {number}.mlir"))
        for found, (code, text, _) in zip(accepted, said):
            # Refused, without layouts, or the same as before.
            if code == 0 and re.search(r"tensor<[^>]*, #npu|#npu\.layout", text) and \
                    text not in (other for _, other in found):
                found.append((what, text))
    return accepted


def fault_of_lowering(code, printed, output):
    """What is wrong with lowering, and how it shows; nothing where nothing is."""
    if code != 0 or "error:" in output:
        return "is verified and does not lower", output
    says, moves = map(totals, reports(printed))
    if says != moves:
        return "moves something else than what npu-print-transfers says", f"{says}\n{moves}"
    return None


def fault_of_run(bin_dir, name, what, text, source):
    """What is wrong with running; nothing where nothing is, or where it cannot run."""
    if not is_small(text) or f"func.func private @{name}" in text:
        return None
    source.write_text(text)
    code, output = run(bin_dir / "npu-run", source, f"--entry={name.strip(chr(34))}",
                       "--compare", "--allow-non-finite", "--placement-report", LEVELS[what])
    if code != 0 and not NOT_RUN.search(output):
        return "is verified, lowers and does not run", output
    return None


def files_in(places):
    """The .mlir files of the given files and folders."""
    return [path for place in map(pathlib.Path, places)
            for path in (sorted(place.rglob("*.mlir")) if place.is_dir() else [place])]


def main():
    bin_dir, files = pathlib.Path(sys.argv[1]), files_in(sys.argv[2:])
    known = [(path, name, chunk) for path in files for name, chunk in functions(path)]
    with tempfile.TemporaryDirectory() as temporary, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(temporary)
        accepted = [
            (path, name, what, text) for (path, name, _), texts in zip(
                known, accepted_texts(pool, bin_dir, [chunk for *_, chunk in known], folder))
            for what, text in texts]
        lowered = in_batches(pool, [text for *_, text in accepted], lambda batch, number: optimize(
            bin_dir, batch, LOWER, folder / f"lower {number}.mlir"))

        def fault(number):
            (path, name, what, text), (code, printed, output) = accepted[number], lowered[number]
            if TOO_LARGE.search(output) or HAS_STEPS in output:
                return None
            wrong = fault_of_lowering(code, printed, output) or fault_of_run(
                bin_dir, name, what, text, folder / f"{number}.mlir")
            return wrong and f"{path}: @{name}, {what}, {wrong[0]}:\n{wrong[1][:2000]}"
        failures = [wrong for wrong in pool.map(fault, range(len(accepted))) if wrong]
    print("\n".join(failures))
    print(f"{len(files)} files, {len(known)} functions, {len(accepted)} times accepted, "
          f"{len(failures)} failures")
    # Nothing accepted would mean that nothing was looked at.
    sys.exit(bool(failures) or not accepted)


if __name__ == "__main__":
    main()
