# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Empties a file of a run's inputs while the run waits for another one."""

import array
import os
import pathlib
import subprocess
import sys

tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(exist_ok=True)
large, pipe, program = folder / "large.npy", folder / "pipe.npy", folder / "add.mlir"


def npy(shape):
    count = 1
    for extent in shape:
        count *= extent
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * ((54 - len(header) - 1) % 64) + "\n"
    length = len(header).to_bytes(2, "little")
    return b"\x93NUMPY\x01\x00" + length + header.encode() + array.array("f", [1] * count).tobytes()


large.write_bytes(npy((512, 512)))
pipe.unlink(missing_ok=True)
os.mkfifo(pipe)
program.write_text(
    """func.func @main(%x: tensor<512x512xf32>, %y: tensor<512xf32>) -> tensor<512x512xf32> {
  %e = tensor.empty() : tensor<512x512xf32>
  %b = linalg.broadcast ins(%y : tensor<512xf32>) outs(%e : tensor<512x512xf32>) dimensions = [0]
  %z = linalg.add ins(%x, %b : tensor<512x512xf32>, tensor<512x512xf32>)
      outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %z : tensor<512x512xf32>
}
"""
)
run = subprocess.Popen(
    [tool, program, f"--inputs={large},{pipe}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
)
# Opening waits for the run to do so.
with open(pipe, "wb") as out:
    os.truncate(large, 0)
    out.write(npy((512,)))
_, errors = run.communicate(timeout=60)
print("code", run.returncode)
print(errors)
