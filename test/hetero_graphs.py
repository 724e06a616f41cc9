#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the choice of devices with all choices that there are.

Each case is a small graph of elementwise operations, diamonds, chains and shared producers
among them, some of which the host has to run (`npu.host`). The assignment with `host` may
give it others as well. Its cost is compared with the least cost over all sets of further
operations, each marked by hand and assigned without a choice. Then npu-outline-host makes
functions of the parts, of which none may wait for itself, and the program is run beside the
graph.

Prints how many cases there were of each kind and `N passed, N failed`; exits with 1 if one
failed, and says how to run that one alone.
"""

import collections
import itertools
import json
import pathlib
import random
import subprocess

import random_cases

UNARY = ["math.absf", "math.exp", "math.tanh", "arith.negf"]
BINARY = ["arith.addf", "arith.mulf", "arith.maximumf"]


class Graph:
    def __init__(self, seed):
        chosen = random.Random(seed)
        self.type = f"tensor<{chosen.choice([4, 8, 16, 64])}x{chosen.choice([4, 16, 64, 256])}xf32>"
        # Overheads of kernels of the device, which decide whether neighbours follow.
        self.overhead = chosen.choice([0, 100, 4161])
        self.ops = []
        for number in range(chosen.randint(2, 7)):
            recent = list(range(max(number - 3, 0), number)) + [-1]
            operands = [chosen.choice(recent) for _ in range(chosen.choice([1, 1, 2]))]
            name = chosen.choice(UNARY if len(operands) == 1 else BINARY)
            self.ops.append((name, operands))
        count = chosen.randint(1, 2)
        self.forced = set(chosen.sample(range(len(self.ops)), min(count, len(self.ops))))
        used = {operand for _, operands in self.ops for operand in operands}
        self.results = [number for number in range(len(self.ops)) if number not in used]

    def text(self, host):
        name = lambda number: "%x" if number < 0 else f"%v{number}"
        lines = []
        for number, (op, operands) in enumerate(self.ops):
            mark = ' {npu.host = "no kernel"}' if number in host else ""
            lines.append(f"{name(number)} = {op} {', '.join(map(name, operands))}{mark} : {self.type}")
        types = ", ".join([self.type] * len(self.results))
        lines.append(f"return {', '.join(map(name, self.results))} : {types}")
        body = "\n    ".join(lines)
        return ('module attributes {dlti.target_system_spec = #dlti.target_system_spec<\n'
                '    "NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.like" = "npu4000",\n'
                f'      "npu.tiles" = 2, "npu.vector_overhead" = {self.overhead}>>}} {{\n'
                f"  func.func @main(%x: {self.type}) -> ({types}) {{\n    {body}\n  }}\n}}\n")

    def kinds(self):
        readers = collections.Counter(operand for _, operands in self.ops
                                      for operand in set(operands) if operand >= 0)
        if any(count > 1 for count in readers.values()):
            yield "shared producers"
        if len(self.results) == 1 and len(self.ops) > 2:
            yield "one result"


def run(command, text=None):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True,
                          input=text, timeout=120)
    return done.returncode, done.stdout, done.stderr


def cost(bin_, text, options):
    code, said, errors = run([bin_ / "npu-opt", "-", f"--npu-assign-distributions={options} report=-",
                              "-o", "/dev/null"], text)
    if code:
        raise RuntimeError(errors)
    solution = json.loads(said)["functions"][0]["solution"]
    if not solution["proved"]:
        raise RuntimeError("not proved")
    return solution["cost"]


def failure(bin_, folder, graph, kinds):
    """What is wrong with a case; empty where nothing is."""
    chosen = cost(bin_, graph.text(graph.forced), "host")
    free = [number for number in range(len(graph.ops)) if number not in graph.forced]
    costs = {}
    for count in range(len(free) + 1):
        for more in itertools.combinations(free, count):
            costs[more] = cost(bin_, graph.text(graph.forced | set(more)), "")
    least = min(costs.values())
    kinds["host has more than it has to"] += least < costs[()]
    if chosen != least:
        return f"chosen at {chosen} cycles, and the least of {len(costs)} choices is {least}"
    model, program = folder / "model.mlir", folder / "tiles.mlir"
    model.write_text(graph.text(graph.forced))
    code, said, errors = run([bin_ / "npu-opt", model, "--npu-assign-distributions=host",
                              "--npu-outline-host", "--npu-legalize-distributions=gather=allow",
                              "--npu-lower-to-tiles=gather=allow", "-o", program])
    if code:
        return f"lowering: exit {code}\n{errors}"
    kinds["several parts"] += program.read_text().count("func.func private") > 1
    code, said, errors = run([bin_ / "npu-run", program, f"--reference={model}", "-O0"])
    return "" if code == 0 and "equal" in said else f"run: exit {code}\n{said}{errors}"


def check(bin_, folder, number, kinds):
    graph = Graph(number)
    try:
        wrong = failure(bin_, folder, graph, kinds)
    except RuntimeError as error:
        wrong = str(error)
    kinds.update(graph.kinds())
    return wrong and f"{wrong}\n{graph.text(graph.forced)}"


def main():
    random_cases.run_numbered(__doc__, 8, check)



if __name__ == "__main__":
    main()
