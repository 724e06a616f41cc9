#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What happens to ranks of a job one of which fails: every rank says so and ends, and none ends well.

A rank that kills itself, one that sends a byte less, one that stalls, ranks with other programs, other
inputs, other options or a file that is not there. Also that ranks, which have one program, print its warnings
once, and that they have no memory of what is on other ranks. Prints `N passed, N failed`; exits with 1 if one failed, and with 77
where there is no mpirun or this build has no MPI.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import ranks

PROGRAM = """
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
func.func @main(%x: tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #columns> {
  %y = npu.redistribute %x : tensor<8x8xf32, #rows> to tensor<8x8xf32, #columns>
  return %y : tensor<8x8xf32, #columns>
}
"""

# Compiling it gives a warning about the figures of its device.
WARNS = """
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "mine", "npu.tiles" = 4, "npu.scratchpad_bytes" = 65536>>} {
  func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %e = tensor.empty() : tensor<8x8xf32>
    %y = linalg.exp ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    return %y : tensor<8x8xf32>
  }
}
"""

# The first tile, which has the entry 0, fails.
DIVIDES = """
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#map = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<8x8xi32, #rows>) -> tensor<8x8xi32, #columns> {
  %e = tensor.empty() : tensor<8x8xi32, #rows>
  %q = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xi32, #rows>) outs(%e : tensor<8x8xi32, #rows>) {
    ^bb0(%a: i32, %b: i32):
      %c = arith.constant 100 : i32
      %d = arith.divsi %c, %a : i32
      linalg.yield %d : i32
  } -> tensor<8x8xi32, #rows>
  %y = npu.redistribute %q : tensor<8x8xi32, #rows> to tensor<8x8xi32, #columns>
  return %y : tensor<8x8xi32, #columns>
}
"""

# What four ranks run, in a folder with program.mlir and other.mlir, what some rank has to say, and how
# many ranks say something of their own.
CASES = [
    ("kill", ["program.mlir --mpi-fault=kill:2:0"] * 4, "another rank has died", 3),
    ("kill later", ["program.mlir --mpi-fault=kill:1:2"] * 4, "another rank has died", 3),
    ("short", ["program.mlir --mpi-fault=short:1:0"] * 4,
     r"rank \d: message \d+ from rank 1: expected \d+ bytes, got \d+", 4),
    ("stall", ["program.mlir --mpi-fault=stall:3:1 --mpi-timeout=2"] * 4, r"waited 2 s for ", 4),
    ("no such message", ["program.mlir --mpi-fault=kill:1:99"] * 4,
     r"rank 1: a fault was to be planted in message 99, got \d+ messages", 4),
    ("programs", ["program.mlir", "program.mlir", "other.mlir", "program.mlir"],
     "expected one program on all ranks, got another one on rank", 4),
    ("inputs", ["program.mlir", "program.mlir --seed=7", "program.mlir", "program.mlir"],
     "expected one set of inputs on all ranks, got others on rank", 4),
    ("options", ["program.mlir", "program.mlir", "program.mlir", "program.mlir --repeat=2"],
     "expected one number of runs, .* got others on rank", 4),
    ("assertion", ["divides.mlir --inputs=iota"] * 4, "rank 0 has ended with an error", 3),
    ("file", ["program.mlir", "nothing.mlir", "program.mlir", "program.mlir"],
     "rank 1 has ended with an error", 3),
]


def run(bin_, folder, commands):
    words = []
    for command in commands:
        words += [":"] if words else []
        words += ["-n", "1", "npu-run", *command.split(), "--mpi"]
    return subprocess.run(["mpirun", "--oversubscribe", *words], cwd=folder, env=ranks.environment(bin_),
                          capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


def check_warnings(bin_, folder):
    done = run(bin_, folder, ["warns.mlir --compile"] * 4)
    if done.returncode or done.stderr.count("warning: ") != 1:
        return f"expected one warning, got exit code {done.returncode}:\n{done.stderr}"
    return None


def check_memory(bin_, folder):
    """That the last of four ranks has neither the result nor the scratchpads of the other tiles, 90 MB together."""
    most = {}
    for count in (1, 4):
        done = run(bin_, folder, ["large.mlir --inputs=iota -O0 --mpi-report"] * count)
        found = re.search(rf"^rank {count - 1}: .*, (\d+) MB of memory at most$", done.stdout, re.MULTILINE)
        if done.returncode or not found:
            return f"exit code {done.returncode}:\n{done.stdout}{done.stderr}"
        most[count] = int(found.group(1))
    if most[4] + 70 > most[1]:
        return f"rank 3 takes {most[4]} MB, and one process {most[1]} MB"
    return None


def check(bin_, folder, commands, said, speakers):
    done = run(bin_, folder, commands)
    text = done.stdout + done.stderr
    if done.returncode == 0:
        return "exit code 0:\n" + text
    if not re.search(said, text):
        return f"expected '{said}':\n{text}"
    spoke = set(re.findall(r"error: rank (\d)", text))
    if len(spoke) < speakers:
        return f"only ranks {sorted(spoke)} say why they end:\n{text}"
    return None


def main():
    bin_ = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("mpirun") or not list(bin_.parent.glob("lib*/libNPUMpi.so")):
        print("skipped: no mpirun, or a build without MPI")
        sys.exit(77)
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "program.mlir").write_text(PROGRAM)
        (folder / "warns.mlir").write_text(WARNS)
        (folder / "divides.mlir").write_text(DIVIDES)
        (folder / "large.mlir").write_text(PROGRAM.replace("8x8", "3000x3000"))
        (folder / "other.mlir").write_text(PROGRAM.replace("8x8", "8x16"))
        for title, commands, said, speakers in CASES:
            # mpirun does not hand on all that ranks print while it ends them: what a
            # rank says is looked for in three runs.
            for _ in range(3):
                try:
                    wrong = check(bin_, folder, commands, said, speakers)
                except subprocess.TimeoutExpired:
                    wrong = "does not end within a minute"
                if not wrong or "say why they end" not in wrong:
                    break
            if wrong:
                failed += 1
                print(f"{title}: {wrong}", flush=True)
        for title, check_ in (("warnings", check_warnings), ("memory", check_memory)):
            if wrong := check_(bin_, folder):
                failed += 1
                print(f"{title}: {wrong}")
    print(f"{len(CASES) + 2 - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
