#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long npu-lsp-server takes to answer in a file of many operations.

The file is one function of casts and elementwise operations whose layouts agree, and one cast
whose layouts do not. Each request is sent five times, in the middle of the file, and the
median is printed, of the time until the answer is there and of the processor's time that the
server takes for it, which says more where the machine does other things as well. "After an edit"
is a request that follows an edit at once, so that the new text is parsed for it.

    benchmarks/editor.py build/bin [--operations=10000]
"""

import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "test"))
from language_server import Client  # noqa: E402

A, B = "tensor<1x8x64x64xf32, #a>", "tensor<1x64x8x64xf32, #b>"


def text_of(operations):
    lines = ["#a = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>",
             "#b = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>",
             "#c = #npu.layout<SEGMENTED, tiles = [1, 1, 1, 4], order = NHWC>",
             f"func.func @main(%x: {A}, %e: {A}) {{",
             f"  %wrong = npu.permute_cast %x mem_perm = [0, 1, 2, 3] : {A} to {B.replace('#b', '#c')}"]
    value = "%x"
    for number in range(operations):
        if number % 2:
            lines.append(f"  %v{number} = npu.permute_cast {value} mem_perm = [0, 1, 2, 3] : {A} to {B}")
        else:
            lines.append(f"  %v{number} = linalg.exp ins(%x : {A}) outs(%e : {A}) -> {A}")
            value = f"%v{number}"
    return "\n".join(lines + ["  return", "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("--operations", type=int, default=10000)
    given = parser.parse_args()
    client = Client(given.binaries / "npu-lsp-server", {"textDocument": {"codeAction": {
        "resolveSupport": {"properties": ["edit"]}}}})
    uri = "file:///many.mlir"
    text = text_of(given.operations)
    middle = f"%v{given.operations // 4 * 2 + 1} = npu.permute_cast"

    def on_cpu():
        """Nanoseconds that the server's threads have had of a processor."""
        return sum(int((task / "schedstat").read_text().split()[0])
                   for task in pathlib.Path(f"/proc/{client.process.pid}/task").iterdir())

    def timed(what, action, times=5):
        took, used = [], []
        for _ in range(times):
            client.checked(uri)
            before, begin = on_cpu(), time.perf_counter()
            action()
            took.append(1000 * (time.perf_counter() - begin))
            used.append((on_cpu() - before) / 1e6)
        print(f"{what:<36} {statistics.median(took):8.1f} ms {statistics.median(used):8.1f} ms", flush=True)

    def opened():
        client.diagnostics.clear()
        client.open(uri, text)
        client.checked(uri)

    def edited():
        client.edit(uri, middle, "  " + middle)

    def edited_and_checked():
        edited()
        client.checked(uri)

    def edited_and_hovered():
        edited()
        client.hover(uri, middle)

    def typed(words, into):
        client.request("textDocument/completion", client.at(uri, words, into))

    print(f"{given.operations} operations, {len(text)} bytes{'':<12} {'waited':>8} {'processor':>11}")
    client.open(uri, text)
    timed("open, until diagnostics are there", opened, times=3)
    assert len(client.checked(uri)) == 1
    timed("hover over a value", lambda: client.hover(uri, middle))
    timed("hover over a cast", lambda: client.hover(uri, middle, middle.index("npu")))
    timed("hover over a layout", lambda: client.hover(uri, middle, 80))
    timed("definition", lambda: client.request("textDocument/definition", client.at(uri, middle)))
    for value in (middle, "%x"):
        places = client.request("textDocument/references", {
            **client.at(uri, value), "context": {"includeDeclaration": True}})
        timed(f"{len(places)} references", lambda: client.request("textDocument/references", {
            **client.at(uri, value), "context": {"includeDeclaration": True}}))
    timed("symbols", lambda: client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}))
    timed("repairs of a cast", lambda: client.actions(uri, "%wrong"))
    whole = client.actions(uri, "%wrong")[-1]
    timed("the function legalized", lambda: client.request("codeAction/resolve", whole))
    timed("repairs where nothing is wrong", lambda: client.actions(uri, middle))
    timed("completion inside of a layout", lambda: typed("SEGMENTED, ", 11))
    timed("completion of an operation", lambda: typed(middle, middle.index(".") + 1))
    timed("edit, until diagnostics are there", edited_and_checked)
    timed("hover after an edit", edited_and_hovered)
    # Twenty keys in a row, as fast as they can be sent.
    timed("20 edits, until diagnostics are there",
          lambda: ([edited() for _ in range(20)], client.checked(uri)), times=1)
    client.leave()


if __name__ == "__main__":
    main()
