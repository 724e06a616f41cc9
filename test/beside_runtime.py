# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests beside ONNX Runtime have in common: the tools of a folder, and ONNX Runtime in
processes of its own."""

import collections
import contextlib
import json
import os
import pathlib
import queue
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# So many refusals of one kind are shown with their reasons.
SHOWN = 2


def modules_of(options):
    """The folder in which scripts/network.sh has installed ONNX Runtime; None where it has not."""
    given = getattr(options, "modules", None)
    modules = pathlib.Path(given or pathlib.Path(options.bin).resolve().parent / "network")
    return modules if (modules / "node_modules/onnxruntime-node").is_dir() else None


class Runtime:
    """ONNX Runtime in a process of its own, which runs one model after another."""

    def __init__(self, modules):
        self.process = subprocess.Popen(
            ["node", str(HERE.parent / "scripts/network/onnxruntime.mjs"), "--threads=1",
             "--lines=1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "NPU_NODE_MODULES": str(modules)})

    def run(self, file, folder, inputs):
        """What is wrong; empty where nothing is."""
        words = [str(file), str(folder)] + [f"{name}={path}" for name, path in inputs]
        self.process.stdin.write("\t".join(words) + "\n")
        self.process.stdin.flush()
        error = json.loads(self.process.stdout.readline()).get("error", "")
        return "ONNX Runtime: " + error[:400] if error else ""

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Beside:
    """The tools in `options.bin`, and a Runtime for each of `options.jobs`, unless `modules` is
    None."""

    # A command ends in so many seconds.
    timeout = 600

    def __init__(self, options, modules):
        self.bin, self.options = pathlib.Path(options.bin), options
        self.has_runtime = modules is not None
        self.runtimes = queue.SimpleQueue()
        for _ in range(options.jobs if modules else 0):
            self.runtimes.put(Runtime(modules))

    def call(self, *command):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              errors="replace", timeout=self.timeout)

    def folder(self, stem):
        """A folder for a case, which stays where `options.keep` says one."""
        if not self.options.keep:
            return tempfile.TemporaryDirectory(prefix="beside-runtime-")
        path = pathlib.Path(self.options.keep) / re.sub(r"\W+", "-", stem)
        path.mkdir(parents=True, exist_ok=True)
        return contextlib.nullcontext(path)

    def run_theirs(self, file, folder, inputs):
        """What is wrong with ONNX Runtime's run; empty where nothing is."""
        runtime = self.runtimes.get()
        error = runtime.run(file, folder, inputs)
        self.runtimes.put(runtime)
        return error

    def close(self):
        while not self.runtimes.empty():
            self.runtimes.get().close()


def print_refused(results, kind_of, name_of):
    """The refused ones of `results`, each of which has a state and says why, by their kinds."""
    refused = collections.defaultdict(list)
    for result in results:
        if result["state"] == "refused":
            refused[kind_of(result)].append(result)
    for kind, those in sorted(refused.items(), key=lambda each: -len(each[1])):
        print(f"{len(those)} refused: {kind}")
        for result in those[:SHOWN]:
            print(f"  {name_of(result)}: {result['why']}")


def counts(results):
    """How many of them are in each state."""
    return {state: sum(result["state"] == state for result in results)
            for state in ("pass", "refused", "fail")}
