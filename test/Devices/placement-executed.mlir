// What a run has executed is what the placement report says, one tile after the
// other and on threads, in loops and branches, as a tile program and on buffers;
// and where the report is made wrong, the run notices.
//
// RUN: npu-run -O0 %s --compare --placement-report 2>/dev/null | FileCheck %s
// RUN: npu-run -O0 %s --compare --tiles=parallel --repeat=3 --placement-report 2>/dev/null | FileCheck %s --check-prefix=THRICE
// CHECK: {{^}}equal
// CHECK-NEXT: function @main: {{[0-9]+}} operations on the NPU, 2 on the host
// CHECK-NEXT: 64 bytes from tiles to the host, 64 back
// CHECK-NEXT: the host runs 1 operation, the first at
// CHECK: {{^}} it is not known which part of its operands it reads
// CHECK-NEXT: {{^}} 64 bytes from tiles, 64 back
// CHECK-NEXT: {{^}} back on tiles with a model of the operation (docs/adding-an-op.md)
// CHECK-NEXT: device executed from tiles to tiles kernel
// CHECK-DAG: NPU.0 tiles 0-1 1 0 0 linalg.exp f32->f32
// CHECK-DAG: CPU 1 64 64 tensor.gather f32xindex->f32
// A loop of three rounds, and a branch that is not taken.
// CHECK-DAG: NPU.0 tiles 0-1 3 0 0 linalg.add f32xf32->f32
// CHECK-DAG: NPU.0 tiles 0-1 0 0 0 linalg.tanh f32->f32
// CHECK: placement: every operation was executed where the report says
// THRICE-DAG: NPU.0 tiles 0-1 3 0 0 linalg.exp f32->f32
// THRICE-DAG: NPU.0 tiles 0-1 9 0 0 linalg.add f32xf32->f32
// THRICE: placement: every operation was executed where the report says
//
// The same as JSON, into a file.
// RUN: npu-run -O0 %s --placement-report=%t.json >/dev/null 2>&1
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// JSON: "op": "tensor.gather"
// JSON: "device": "CPU"
// JSON-NEXT: "tile": null
// JSON: "bytes_from_tiles": 64
// JSON: "executed": 1
//
// An operation of tile 0 is said to be tile 1's: in the tile program, and on
// buffers, whose memory says otherwise.
// RUN: npu-opt %s --npu-lower-to-tiles=gather=allow -o %t.tiles.mlir
// RUN: npu-run -O0 %t.tiles.mlir --placement-report >/dev/null
// RUN: sed 's/linalg.exp {npu.tile = 0/linalg.exp {npu.tile = 1/' %t.tiles.mlir > %t.wrong.mlir
// RUN: not npu-run %t.wrong.mlir --placement-report 2>&1 | FileCheck %s --check-prefix=VERIFIED
// VERIFIED: error: 'linalg.exp' of tile 1 uses operand #0 of tile 0; only npu.transfer crosses tiles
// RUN: npu-opt %t.tiles.mlir --npu-to-buffers -o %t.buffers.mlir
// RUN: npu-run -O0 %t.buffers.mlir --placement-report >/dev/null
// RUN: sed 's/linalg.exp {npu.tile = 0/linalg.exp {npu.tile = 1/' %t.buffers.mlir > %t.wrong.mlir
// RUN: not npu-run -O0 %t.wrong.mlir --placement-report 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG-DAG: error: placement: row {{[0-9]+}}, 'linalg.exp' at {{.*}}, device NPU.0 tile 1: it was executed on NPU.0 tile 0
// WRONG-DAG: placement: not as the report says
//
// An operation of a tile that is said to be the CPU's is refused before the run.
// RUN: sed 's/linalg.exp {npu.tile = 0 : i64}/linalg.exp/' %t.tiles.mlir > %t.wrong.mlir
// RUN: not npu-run %t.wrong.mlir --placement-report 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: 'linalg.exp' of DDR uses operand #0 of tile 0; only npu.transfer crosses tiles
//
// A file that cannot be written.
// RUN: not npu-run -O0 %s --placement-report=%t.none/report.json 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: --placement-report: {{.*}}report.json: No such file or directory
//
// What is asked of a device, the file has to be.
// RUN: not npu-run %s --device=NPU 2>&1 | FileCheck %s --check-prefix=NPU
// RUN: not npu-run %t.buffers.mlir --device=0 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not npu-run %t.tiles.mlir --device=CPU 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: npu-run -O0 %s --device=NPU,CPU --placement-report 2>&1 | FileCheck %s --check-prefix=LIST
// NPU: error: 'tensor.gather' falls back to the host, and the device is to be the NPU alone: it is not known which part of its operands it reads
// BUFFERS: error: 'linalg.generic' falls back to the host, and the device is to be the NPU alone
// CUT: error: expected a file with layouts or without for device CPU, got a program that is cut into tiles, which cannot be undone
// LIST: remark: device NPU,CPU: NPU does not take the whole model ('tensor.gather' falls back to the host), so that it is CPU
// LIST: function @main: 0 operations on the NPU

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
func.func @main(%x: tensor<4x4xf32, #rows>, %i: tensor<4x1xindex>) -> tensor<4x4xf32, #rows> {
  %e = tensor.empty() : tensor<4x4xf32, #rows>
  %y = linalg.exp ins(%x : tensor<4x4xf32, #rows>) outs(%e : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
  %g = tensor.gather %y[%i] gather_dims([0]) : (tensor<4x4xf32, #rows>, tensor<4x1xindex>) -> tensor<4x4xf32, #rows>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = scf.for %n = %c0 to %c3 step %c1 iter_args(%a = %g) -> (tensor<4x4xf32, #rows>) {
    %b = linalg.add ins(%a, %y : tensor<4x4xf32, #rows>, tensor<4x4xf32, #rows>) outs(%e : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
    scf.yield %b : tensor<4x4xf32, #rows>
  }
  %zero = tensor.extract %i[%c0, %c0] : tensor<4x1xindex>
  %hundred = arith.constant 100 : index
  %never = arith.cmpi eq, %zero, %hundred : index
  %r = scf.if %never -> tensor<4x4xf32, #rows> {
    %t = linalg.tanh ins(%s : tensor<4x4xf32, #rows>) outs(%e : tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
    scf.yield %t : tensor<4x4xf32, #rows>
  } else {
    scf.yield %s : tensor<4x4xf32, #rows>
  }
  return %r : tensor<4x4xf32, #rows>
}
