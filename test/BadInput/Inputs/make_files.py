# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files that no editor would: see files.test."""
import pathlib
import random
import sys

out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)


def text(name, content):
    (out / name).write_text(content)


text("empty.mlir", "")
(out / "binary.mlir").write_bytes(bytes(random.Random(1).randrange(256) for _ in range(4096)))
# A million characters of box list that never ends.
text("long-line.mlir", "func.func private @f(tensor<8x4xf16, #npu.layout<OVERLAPPED, compute = ["
     + "[0:4, 0:4], " * 90000)
text("deep.mlir", "func.func private @f(tensor<8xf16, #npu.layout<SEGMENTED, tiles = " + "[" * 100000)
(out / "truncated.mlirbc").write_bytes(b"ML\xefR\x01MLIR22\x00\x01")

TILES, OPS = 512, 10000
boxes = ", ".join(f"[{2 * t}:{2 * t + 2}, 0:4]" for t in range(TILES))
tensor = f"tensor<{2 * TILES}x4xf16, #boxes>"
lines = [f"#boxes = #npu.layout<OVERLAPPED, compute = [{boxes}]>",
         f"func.func @main(%x0: {tensor}) {{"]
lines += [f"  %x{i + 1} = npu.permute_cast %x{i} mem_perm = [0, 1] : {tensor} to {tensor}"
          for i in range(OPS)]
text("many-boxes.mlir", "\n".join(lines + ["  return", "}"]))
