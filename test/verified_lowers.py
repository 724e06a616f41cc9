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


def totals(report):
    """What every function moves, by its name."""
    return {function["name"]: {key: function["totals"][key] for key in
                               ("bytes_received", "bytes_injected", "ddr_bytes")}
            for function in json.loads(report.read_text())["functions"]}


def is_small(text):
    """Whether no tensor of the function is large."""
    for shape in re.findall(r"tensor<((?:\d+x)+)", text):
        elements = 1
        for extent in shape.split("x")[:-1]:
            elements *= int(extent)
        if elements > MOST_ELEMENTS:
            return False
    return True


def verified(bin_dir, chunks, passes, folder, number):
    """What verification leaves of each chunk after the passes; nothing where it
    refuses one. One process for all, or, where that ends early, one for each."""
    source, result = (folder / f"{number}.{len(passes)}.{name}" for name in ("all", "out"))
    source.write_text("\n// -----\n".join(chunks))
    result.write_text("")
    run(bin_dir / "npu-opt", source, "--split-input-file", "--symbol-dce", *passes,
        "--npu-verify-distributions", "-o", result)
    texts = SEPARATOR.split(result.read_text())
    if len(texts) == len(chunks):
        return [text if text.strip() else "" for text in texts]
    if len(chunks) == 1:
        return [""]
    return [text for at, chunk in enumerate(chunks)
            for text in verified(bin_dir, [chunk], passes, folder, f"{number}-{at}")]


def verify_file(bin_dir, chunks, folder, number):
    """(what, text) of everything that verification accepts, for each chunk."""
    accepted = [[] for _ in chunks]
    for what, passes in (("as written", []),
                         ("legalized", ["--npu-legalize-distributions"])):
        for found, text in zip(accepted, verified(bin_dir, chunks, passes, folder, number)):
            # Refused, without layouts, or the same as before.
            if re.search(r"tensor<[^>]*, #npu|#npu\.layout", text) and \
                    text not in (other for _, other in found):
                found.append((what, text))
    return accepted


def check(bin_dir, path, name, chunk, folder, number, texts):
    """(how often verification accepted it, what went wrong) for a function."""
    opt, runner = bin_dir / "npu-opt", bin_dir / "npu-run"
    wrong = []
    for at, (what, text) in enumerate(texts):
        source = folder / f"{number}.{at}.mlir"
        source.write_text(text)
        says = folder / f"{number}.{at}.says.json"
        moves = folder / f"{number}.{at}.moves.json"
        code, output = run(
            opt, source,
            f"--npu-print-transfers=format=json output-file={says}",
            "--npu-lower-to-tiles",
            f"--npu-print-transfers=format=json output-file={moves}",
            "--npu-to-llvm", "-o", os.devnull)
        if TOO_LARGE.search(output) or HAS_STEPS in output:
            continue
        if code != 0 or "error:" in output:
            wrong.append((what, "is verified and does not lower", output))
            continue
        if totals(says) != totals(moves):
            wrong.append((what, "moves something else than what "
                          "npu-print-transfers says",
                          f"{totals(says)}\n{totals(moves)}"))
        if not is_small(text) or f"func.func private @{name}" in text:
            continue
        code, output = run(runner, source, f"--entry={name.strip(chr(34))}",
                           "--compare", "--allow-non-finite",
                           "--placement-report", LEVELS[what])
        if code != 0 and not NOT_RUN.search(output):
            wrong.append((what, "is verified, lowers and does not run",
                          output))
    return len(texts), [f"{path}: @{name}, {what}, {fault}:\n{output[:2000]}"
                      for what, fault, output in wrong]


def check_functions(bin_dir, places, check, prepare=None):
    """The number of .mlir files, and what `check` says of each function; where there
    is `prepare`, it says of the functions of a file what `check` is given."""
    files = []
    bin_dir = pathlib.Path(bin_dir)
    for place in map(pathlib.Path, places):
        files += sorted(place.rglob("*.mlir")) if place.is_dir() else [place]
    with tempfile.TemporaryDirectory() as temporary, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(temporary)
        known = [(path, list(functions(path))) for path in files]
        prepared = [[()] * len(found) for _, found in known]
        if prepare:
            prepared = [
                [(each,) for each in says] for says in pool.map(
                    lambda number: prepare(bin_dir,
                                           [chunk for _, chunk in known[number][1]],
                                           folder, f"file{number}")
                    if known[number][1] else [], range(len(known)))]
        jobs = []
        for (path, found), says in zip(known, prepared):
            for (name, chunk), more in zip(found, says):
                jobs.append(pool.submit(check, bin_dir, path, name, chunk, folder,
                                        len(jobs), *more))
        return len(files), [job.result() for job in jobs]


def main():
    files, results = check_functions(sys.argv[1], sys.argv[2:], check, verify_file)
    accepted = sum(times for times, _ in results)
    failures = [failure for _, wrong in results for failure in wrong]
    print("\n".join(failures))
    print(f"{files} files, {len(results)} functions, {accepted} times accepted, "
          f"{len(failures)} failures")
    # Nothing accepted would mean that nothing was looked at.
    sys.exit(bool(failures) or accepted == 0)


if __name__ == "__main__":
    main()
