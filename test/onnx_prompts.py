#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random decoder blocks with a prompt of any length, from ONNX to a program.

Every block (onnx_prompt_blocks.py) is imported with its prompt dynamic. It is padded on
the right and on the left, with poison, compiled to tile programs, and run at every
length beside the program as it was imported, which has to give the same bits. It is
compiled to an artefact, which runs at every length too. Where ONNX Runtime is installed
(scripts/network.sh --install), the imported program's results are compared with its, with
the tolerance of ONNX's conformance tests, whose absolute part is relative to the largest
entry of a row (`differs` in onnx_conformance.py says why).

A block that the importer or padding refuses is counted by the operator that the error
names. Prints the counts and `N passed, N failed`; exits with 1 if one failed, or if fewer
passed than --least says.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts"))
import npy_files  # noqa: E402
from beside_runtime import Beside, counts, modules_of, print_refused  # noqa: E402
from onnx_conformance import differs, first_error  # noqa: E402
from onnx_prompt_blocks import Block, inputs_of  # noqa: E402
from onnx_writer import model  # noqa: E402


class Prompts(Beside):
    """The tools, and one block at a time."""

    def run(self, seed):
        """A dictionary: seed, state (pass, refused, fail), where, why, operator."""
        block = Block(seed)
        result = {"seed": seed, "parts": block.parts, "operator": "", "why": ""}
        with self.folder(str(seed)) as folder:
            result["state"], result["where"] = self.judge(block, pathlib.Path(folder), result)
        return result

    def refused(self, done, where, result):
        """A refusal names its operation; anything else is a failure."""
        result["why"] = first_error(done.stderr + done.stdout)
        node = re.search(r"node '[^']*' \((\w+)\)", done.stderr)
        operation = re.search(r"error: '([\w.]+)'", done.stderr)
        result["operator"] = (node or operation or [0, "?"])[1]
        is_located = re.search(r":\d+:\d+: error: |error: node ", done.stderr)
        return ("refused" if done.returncode == 1 and is_located else "fail"), where

    def judge(self, block, folder, result):
        onnx, imported = folder / "model.onnx", folder / "model.mlir"
        onnx.write_bytes(model(block.graph))
        shapes = [
            f"--input-shape={name}:" + "x".join(
                "?" if isinstance(extent, str) else str(extent) for extent in shape)
            for name, _, shape in block.graph.inputs
            if any(isinstance(extent, str) for extent in shape)
        ]
        done = self.call(self.bin / "npu-translate", "--import-onnx", onnx, "-o", imported, *shapes)
        if done.returncode:
            return self.refused(done, "import", result)
        if self.options.only_import:
            return "pass", "import"
        lengths = f"--length=1..{block.longest}"
        for side in ("right", "left"):
            done = self.call(
                self.bin / "npu-run", imported, lengths, "-O0", "--allow-non-finite",
                f"--compile=compile-to=tiles tiles=2 max-prompt-len={block.longest} side={side} "
                "poison")
            if done.returncode:
                if "error" in done.stderr:
                    return self.refused(done, f"pad {side}", result)
                result["why"] = done.stdout.strip()[-300:]
                return "fail", f"pad {side}"
        artefact = folder / "model.npub"
        done = self.call(self.bin / "npu-compile", onnx, f"--max-prompt-len={block.longest}", "-O0",
                         "--target=npu4000",
                         "-o", artefact)
        if done.returncode:
            return self.refused(done, "compile", result)
        done = self.call(self.bin / "npu-run", artefact, f"--reference={imported}", lengths, "-O0",
                         "--allow-non-finite")
        if done.returncode:
            result["why"] = (done.stderr + done.stdout).strip()[-300:]
            return "fail", "artefact"
        if self.has_runtime:
            for length in {1 + block.seed % block.longest, block.longest}:
                result["why"] = self.beside_runtime(block, length, onnx, imported, folder)
                if result["why"]:
                    return "fail", "runtime"
        return "pass", ""

    def beside_runtime(self, block, length, onnx, imported, folder):
        """What differs from ONNX Runtime; empty where nothing does."""
        inputs = []
        for name, descr, shape, numbers in inputs_of(block, length):
            path = folder / f"{name}.npy"
            npy_files.write(path, descr, shape, numbers)
            inputs.append((name, path))
        error = self.run_theirs(onnx, folder, inputs)
        if error:
            return error
        output = folder / "r.npy"
        done = self.call(self.bin / "npu-run", imported, "-O0",
                         "--inputs=" + ",".join(str(path) for _, path in inputs),
                         f"--length={length}", f"--output={output}")
        if done.returncode:
            return first_error(done.stderr + done.stdout)
        count = len(block.graph.outputs)
        for number in range(count):
            path = output if count == 1 else folder / f"r.{number}.npy"
            wrong = differs(npy_files.read(folder / f"onnxruntime.{number}.npy"),
                            npy_files.read(path), False, by_row=True)
            if wrong:
                return f"result #{number} at length {length}: {wrong}"
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", help="the folder with the tools")
    parser.add_argument("--count", type=int, default=2000, metavar="N", help="N blocks")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first block's number")
    parser.add_argument("--least", type=float, default=0.95, help="the share that has to pass")
    parser.add_argument("--only-import", action="store_true", help="import, and no more")
    parser.add_argument("--no-runtime", action="store_true", help="without ONNX Runtime")
    parser.add_argument("--json", help="writes all results to this file")
    parser.add_argument("--keep", help="keeps all files in this folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true", help="a line for every block")
    options = parser.parse_args()
    modules = None if options.no_runtime or options.only_import else modules_of(options)
    prompts = Prompts(options, modules)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = []
        for result in pool.map(prompts.run, range(options.first, options.first + options.count)):
            results.append(result)
            if result["state"] == "fail" or options.verbose:
                print(f"{result['state']}: block {result['seed']}: {result['where']}: "
                      f"{result['why']}", flush=True)
    prompts.close()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1), encoding="utf-8")
    print_refused(results, lambda each: f"{each['where']}: {each['operator']}",
                  lambda each: f"block {each['seed']}")
    count = counts(results)
    print(f"{count['refused']} refused" + ("" if modules or options.only_import else
                                           ", without ONNX Runtime"))
    print(f"{count['pass']} passed, {count['fail']} failed")
    return count["fail"] > 0 or count["pass"] < options.least * len(results)


if __name__ == "__main__":
    sys.exit(main())
