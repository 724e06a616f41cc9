// What has no schedule.

// RUN: not npu-opt %s --npu-print-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not npu-opt %s --npu-print-schedule=target=npu5000 -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not npu-opt %s --npu-print-schedule="target=npu4000 format=xml" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not npu-opt %s --npu-print-schedule=target=npu4000 -o /dev/null 2>&1 | FileCheck %s

// RUN: not npu-opt %s --npu-print-schedule="target=npu4000 format=picture engines=-1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ENGINES

// Programs of earlier phases have tensors, which are in no order.
// RUN: not npu-opt %examples/feed-forward.mlir --npu-compile="target=npu4000 compile-to=tiles" --npu-print-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not npu-opt %examples/feed-forward.mlir --npu-compile="target=npu4000 compile-to=legal" --npu-print-schedule=format=chrome -o /dev/null 2>&1 | FileCheck %s --check-prefix=TENSORS
// TENSORS: error: expected a program of the phase scratchpad, whose tensors are buffers, got a tensor: npu-compile makes one of it
// TENSORS-NOT: Stack dump

// ENGINES: npu-print-schedule: expected engines of 0 or more, got -1
// TARGET: error: expected a target whose figures count
// UNKNOWN: npu5000
// FORMAT: npu-print-schedule: unknown format 'xml', expected text, json, picture or chrome
// CHECK: error: expected a buffer of tile 0 with a place in its scratchpad, got one of a program whose scratchpads are not planned

func.func @unplanned(%x: memref<4xf32>) {
  %b = memref.alloc() : memref<4xf32, 1>
  npu.transfer %x[0] from ddr to tile 0 into %b[0] box [0:4] bytes = 16 : memref<4xf32> to memref<4xf32, 1>
  return
}
