# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a chain of operations that hand on one buffer, and FileCheck's lines for what it
computes of 0, 1, 2, ...: long_chain.py KIND COUNT with one of slices, loops, branches."""

import sys

# npu-run prints so many numbers of a result.
SIZE, PART = 16, 2
WHOLE, SLICE = f"tensor<{SIZE}xf32>", f"tensor<{PART}xf32>"


def slices(count, numbers):
    """Each part becomes one from elsewhere of the same buffer."""
    for i in range(count):
        source, target = 5 * i % (SIZE - PART), (9 * i + 3) % (SIZE - PART)
        print(f"  %e{i} = tensor.extract_slice %v{i}[{source}] [{PART}] [1] : {WHOLE} to {SLICE}")
        print(f"  %v{i + 1} = tensor.insert_slice %e{i} into %v{i}[{target}] [{PART}] [1] : "
              f"{SLICE} into {WHOLE}")
        numbers[target:target + PART] = numbers[source:source + PART]


def loops(count, numbers):
    """Each loop adds 1 to every entry, twice."""
    for i in range(count):
        print(f"  %v{i + 1} = scf.for %i{i} = %c0 to %c2 step %c1 iter_args(%a = %v{i}) -> ({WHOLE}) "
              f"{{\n    %t = arith.addf %a, %one : {WHOLE}\n    scf.yield %t : {WHOLE}\n  }}")
    numbers[:] = [number + 2 * count for number in numbers]


def branches(count, numbers):
    """Every third branch adds 1, the others hand on what they got."""
    for i in range(count):
        print(f"  %v{i + 1} = scf.if %b{int(i % 3 == 0)} -> ({WHOLE}) {{\n"
              f"    %t = arith.addf %v{i}, %one : {WHOLE}\n    scf.yield %t : {WHOLE}\n"
              f"  }} else {{\n    scf.yield %v{i} : {WHOLE}\n  }}")
    numbers[:] = [number + len(range(0, count, 3)) for number in numbers]


def main():
    kind, count = sys.argv[1], int(sys.argv[2])
    numbers = list(range(SIZE))
    print(f"func.func @main(%v0: {WHOLE}) -> ({WHOLE}, {WHOLE}) {{")
    print("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
          "  %c2 = arith.constant 2 : index\n  %b0 = arith.constant false\n"
          f"  %b1 = arith.constant true\n  %one = arith.constant dense<1.0> : {WHOLE}")
    {"slices": slices, "loops": loops, "branches": branches}[kind](count, numbers)
    # The argument keeps its entries.
    print(f"  return %v{count}, %v0 : {WHOLE}, {WHOLE}\n}}")
    print(f"// CHECK: result #0 {SIZE}xf32: {' '.join(map(str, numbers))}")
    print(f"// CHECK: result #1 {SIZE}xf32: {' '.join(map(str, range(SIZE)))}")


if __name__ == "__main__":
    main()
