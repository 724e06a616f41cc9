# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The field's cast at a sample of prompt lengths: `generate` writes the functions,
`check` reads npu-print-transfers' JSON and compares it with a count."""

import sys

sys.dont_write_bytecode = True  # Nothing is written beside the sources.
import placement_model as model

LENGTHS = [1, 2, 3, 7, 63, 64, 304, 335, 336, 512, 1023, 1024]
TILES = [1, 2, 4, 6]
# Heads and head dimension: Qwen2-7B, MiniCPM-2B, and the four key heads of the
# former, which leave two of six tiles with nothing.
HEADS = [(28, 128), (36, 64), (4, 128)]


def cases():
    for heads, width in HEADS:
        for length in LENGTHS:
            for tiles in TILES:
                shape = [1, heads, length, width]
                image = [1, width, heads, length]  # NHWC memory read as 1 x heads x length x width
                suffix = f"{heads}x{length}x{width}_{tiles}"
                by_heads, by_length = [1, tiles, 1, 1], [1, 1, tiles, 1]
                yield (
                    "heads_" + suffix, shape, image,
                    f"#npu.layout<SEGMENTED, tiles = {by_heads}>",
                    f"#npu.layout<OVERLAPPED, tiles = {[1, 1, tiles, 1]}, order = NHWC>",
                    model.place(shape, by_heads),
                    model.place(image, [1, 1, tiles, 1]),
                )
                yield (
                    "ceil_" + suffix, shape, image,
                    f"#npu.layout<SEGMENTED, tiles = {by_length}>",
                    f"#npu.layout<SEGMENTED, tiles = {[1, 1, 1, tiles]}, split = ceil, order = NHWC>",
                    model.place(shape, by_length),
                    model.place(image, [1, 1, 1, tiles], rule="ceil"),
                )
                yield (
                    "window_" + suffix, shape, image,
                    f"#npu.layout<SEGMENTED, tiles = {by_length}>",
                    f"#npu.layout<OVERLAPPED, tiles = {[1, 1, 1, tiles]}, window = [[3, 3, 1, 1, 1]], order = NHWC>",
                    model.place(shape, by_length),
                    model.place(image, [1, 1, 1, tiles], window=(3, 3, 1, 1, 1)),
                )


def generate():
    for name, shape, image, have, want, _, _ in cases():
        source, result = model.tensor(shape, have), model.tensor(image, want)
        print(f"func.func @{name}(%x: {source}) -> {result} {{")
        print(f"  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3] : {source} to {result}")
        print(f"  return %0 : {result}\n}}")


def check():
    reported = model.functions(sys.stdin.read())
    count = 0
    for name, _, _, _, _, have, want in cases():
        rows = reported[name]["redistributions"]
        source = model.memories(model.permuted(have, [0, 3, 1, 2]))
        target = model.memories(want)
        moved = [row for row in rows if row["op"] == "npu.redistribute"]
        total = sum(model.bytes_missing(source, target))
        assert total == 0 or not name.startswith("heads"), name
        assert len(moved) == (total > 0), (name, rows)
        for row in moved:
            model.check_row(row, source, target)
        assert sum(row["bytes_received"] for row in rows) == total, name
        count += 1
    model.done(count, 3 * 3 * 12 * 4)


generate() if sys.argv[1] == "generate" else check()
