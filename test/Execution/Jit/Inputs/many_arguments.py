# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a function of many arguments: many_arguments.py COUNT HOW, where HOW says what
becomes of them: 'unused', 'added' up one after the other, or 'returned' with another
sign."""

import sys

TYPE = "tensor<4xf32>"


def operation(name, number, operands):
    types = ", ".join([TYPE] * len(operands))
    return (f"  %r{number} = linalg.{name} ins({', '.join(operands)} : {types}) "
            f"outs(%e : {TYPE}) -> {TYPE}")


def main():
    count, how = int(sys.argv[1]), sys.argv[2]
    body, results = [], []
    if how == "added":
        last = "%a0"
        for i in range(1, count):
            body.append(operation("add", i, [last, f"%a{i}"]))
            last = f"%r{i}"
        results = [last]
    elif how == "returned":
        body = [operation("negf", i, [f"%a{i}"]) for i in range(count)]
        results = [f"%r{i}" for i in range(count)]
    else:
        body = [operation("exp", 0, ["%a0"])]
        results = ["%r0"]
    arguments = ", ".join(f"%a{i}: {TYPE}" for i in range(count))
    types = ", ".join([TYPE] * len(results))
    print(f"func.func @main({arguments}) -> ({types}) {{")
    print(f"  %e = tensor.empty() : {TYPE}")
    print("\n".join(body))
    print(f"  return {', '.join(results)} : {types}")
    print("}")


if __name__ == "__main__":
    main()
