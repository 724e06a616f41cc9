#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile programs as ratios to their originals, run in turn in one process.

    benchmarks/tile_programs.py [BIN [REPEAT]]

BIN is where npu-opt and npu-run are (build/bin). Every block is split over four
tiles. Printed are the fastest of REPEAT runs of both sides, tiles one after the
other (at most 1.15 is wanted where a block computes more than it moves) and on
threads (at most 0.65 on two processors). Wait for a quiet machine.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"

MATMUL = """
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#all = #npu.layout<DUPLICATED, tiles = 4>
func.func @main(%a: tensor<512x512xf32, #rows>, %b: tensor<512x512xf32, #all>) -> tensor<512x512xf32, #rows> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32, #rows>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32, #rows>) -> tensor<512x512xf32, #rows>
  %0 = linalg.matmul ins(%a, %b : tensor<512x512xf32, #rows>, tensor<512x512xf32, #all>)
      outs(%f : tensor<512x512xf32, #rows>) -> tensor<512x512xf32, #rows>
  return %0 : tensor<512x512xf32, #rows>
}
"""

MATMUL_COLUMNS = """
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
#all = #npu.layout<DUPLICATED, tiles = 4>
func.func @main(%a: tensor<336x512xf32, #all>, %b: tensor<512x512xf32, #columns>) -> tensor<336x512xf32, #columns> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<336x512xf32, #columns>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<336x512xf32, #columns>) -> tensor<336x512xf32, #columns>
  %0 = linalg.matmul ins(%a, %b : tensor<336x512xf32, #all>, tensor<512x512xf32, #columns>)
      outs(%f : tensor<336x512xf32, #columns>) -> tensor<336x512xf32, #columns>
  return %0 : tensor<336x512xf32, #columns>
}
"""

BATCH_MATMUL = """
#heads = #npu.layout<SEGMENTED, tiles = [4, 1, 1]>
!t = tensor<12x192x192xf32, #heads>
func.func @main(%a: !t, %b: !t) -> !t {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !t
  %f = linalg.fill ins(%zero : f32) outs(%e : !t) -> !t
  %0 = linalg.batch_matmul ins(%a, %b : !t, !t) outs(%f : !t) -> !t
  return %0 : !t
}
"""

CONV = """
#rows = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1]>
#padded = #npu.layout<OVERLAPPED, tiles = [1, 1, 4, 1], window = [[2, 3, 1, 0, 0]]>
#all = #npu.layout<DUPLICATED, tiles = 4>
!x = tensor<1x64x56x56xf32, #rows>
!p = tensor<1x64x58x58xf32, #padded>
!w = tensor<64x64x3x3xf32, #all>
func.func @main(%x: !x, %w: !w) -> !x {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %i: index):
    tensor.yield %zero : f32
  } : !x to !p
  %e = tensor.empty() : !x
  %f = linalg.fill ins(%zero : f32) outs(%e : !x) -> !x
  %0 = linalg.conv_2d_nchw_fchw ins(%p, %w : !p, !w) outs(%f : !x) -> !x
  return %0 : !x
}
"""

ADD = """
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
!t = tensor<512x512xf32, #rows>
func.func @main(%a: !t, %b: !t) -> !t {
  %e = tensor.empty() : !t
  %0 = linalg.add ins(%a, %b : !t, !t) outs(%e : !t) -> !t
  return %0 : !t
}
"""

BLOCKS = {
    "add 512x512": ADD,
    "matmul 512x512x512, rows": MATMUL,
    "matmul 336x512x512, columns": MATMUL_COLUMNS,
    "batch_matmul 12x192x192x192": BATCH_MATMUL,
    "conv 3x3, 64 channels, 56x56": CONV,
    "attention block, f32": None,
}


def attention():
    text = (EXAMPLES / "attention-block.mlir").read_text()
    return text.replace("f16", "f32").replace("0xFC00", "0xFF800000")


def ratio(bin_dir, original, legal, repeat, tiles):
    command = [bin_dir / "npu-run", legal, f"--reference={original}",
               f"--repeat={repeat}", f"--tiles={tiles}"]
    output = subprocess.run(command, check=True, text=True, capture_output=True).stdout
    time, reference, ratio = re.search(
        r"time: (\S+) ms on this CPU.*, reference (\S+) ms, ratio (\S+)", output).groups()
    return float(time), float(reference), float(ratio)


def main():
    bin_dir = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin").resolve()
    repeat = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}, "
          f"best of {repeat}")
    print(f"{'block':32} {'original':>12} {'in turn':>12} {'threads':>12}")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in BLOCKS.items():
            original, legal = pathlib.Path(folder, "original.mlir"), pathlib.Path(folder, "legal.mlir")
            original.write_text(text or attention())
            subprocess.run([bin_dir / "npu-opt", original, "--npu-legalize-distributions",
                            "-o", legal], check=True)
            _, reference, one = ratio(bin_dir, original, legal, repeat, "sequential")
            _, _, many = ratio(bin_dir, original, legal, repeat, "parallel")
            print(f"{name:32} {reference:9.2f} ms {one:12.3f} {many:12.3f}", flush=True)


if __name__ == "__main__":
    main()
