// npu-print-placement says the same of a function before and after it is cut
// into tiles, counts how often loops and calls let an operation run, and with
// on-npu refuses what the CPU computes, but not what only fills or moves in DDR.
//
// RUN: npu-opt %s --npu-print-placement -o /dev/null 2>/dev/null > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: not grep -E '^.{81}' %t.txt
// RUN: npu-opt %s --npu-lower-to-tiles=gather=allow --npu-print-placement -o /dev/null | FileCheck %s
// RUN: npu-opt %s --npu-print-placement=format=json -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=JSON
// RUN: not npu-opt %s --npu-print-placement=on-npu -o /dev/null 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not npu-opt %s --npu-print-placement=format=xml -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: npu-print-placement: {{.*}}xml

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// Called twice in four rounds.
// CHECK-LABEL: function @called: 2 operations on the NPU, 0 on the host
// CHECK: NPU.0 tiles 0-1 8 0 0
// CHECK-NEXT: {{^}} linalg.generic(arith.mulf+arith.addf) f32->f32
func.func private @called(%x: tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows> {
  %e = tensor.empty() : tensor<4x4xf32, #rows>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32, #rows>) outs(%e : tensor<4x4xf32, #rows>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %a : f32
    %q = arith.addf %p, %a : f32
    linalg.yield %q : f32
  } -> tensor<4x4xf32, #rows>
  return %y : tensor<4x4xf32, #rows>
}

// CHECK-LABEL: function @loop
// CHECK-DAG: CPU 4 {{[0-9]+ [0-9]+}} call of @called
// CHECK-DAG: CPU 1 {{[0-9]+ [0-9]+}} linalg.fill ->f32
// REFUSED: error: 'func.call' falls back to the host, and the device is to be the NPU alone: what it calls takes and gives whole tensors
func.func @loop(%x: tensor<4x4xf32, #rows>) -> (tensor<4x4xf32, #rows>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %n = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<4x4xf32, #rows>) {
    %b = func.call @called(%a) : (tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
    %c = func.call @called(%b) : (tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #rows>
    scf.yield %c : tensor<4x4xf32, #rows>
  }
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r, %f : tensor<4x4xf32, #rows>, tensor<4xf32>
}

// Without layouts, everything falls back to the host: as often as somebody asks for.
// CHECK-LABEL: function @plain: 0 operations on the NPU, 1 on the host
// CHECK-NEXT: 0 bytes from tiles to the host, 0 back
// CHECK: CPU at least 0 0 0 math.exp f32->f32
// CHECK: the function has
// JSON: "name": "plain"
// JSON-NEXT: "npu_operations": 0
// JSON-NEXT: "cpu_operations": 1
// JSON: "kernel": "math.exp f32->f32"
// JSON: "bytes_from_tiles": 0
// JSON: "runs_at_least": 0
// JSON-NEXT: "runs_at_most": null
func.func @plain(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = math.exp %a : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
