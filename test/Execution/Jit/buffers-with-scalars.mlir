// Scalars of a signature count as tensors of rank 0 on buffers, too, and results
// keep their order although only tensors become arguments.
//
// RUN: npu-opt %s --npu-lower-to-tiles --npu-to-buffers -o %t
// RUN: FileCheck %s --input-file=%t --check-prefix=BUFFERS
// RUN: npu-run %t --entry=chosen --reference=%s | FileCheck %s
// RUN: npu-run %t --entry=mixed --reference=%s | FileCheck %s
// RUN: npu-run %t --entry=mixed --reference=%s --tiles=parallel | FileCheck %s
// RUN: npu-run %t --entry=mixed --inputs=iota | FileCheck %s --check-prefix=MIXED
// RUN: npu-run %t --entry=calls_itself --reference=%s | FileCheck %s
// RUN: npu-run %t --entry=only_scalars --reference=%s | FileCheck %s
// CHECK: {{^}}equal

// Read back as it stands, and lowered further.
// RUN: npu-opt %t --npu-to-llvm -o /dev/null

#s = #npu.layout<SEGMENTED, tiles = [2]>

func.func @chosen(%x: tensor<8xi32, #s>, %c: i1) -> tensor<8xi32, #s> {
  %y = arith.addi %x, %x : tensor<8xi32, #s>
  %r = arith.select %c, %x, %y : tensor<8xi32, #s>
  return %r : tensor<8xi32, #s>
}

// BUFFERS-LABEL: func.func @mixed
// BUFFERS-SAME: -> (f32 {npu.result = 0 : i64}, index {npu.result = 2 : i64}, i1 {npu.result = 4 : i64})
// MIXED: 'mixed' ran: (f32, 4xi32, i64) -> (f32, 4xi32, i64, 4xi32, i1)
// MIXED: result #0 f32: 0
// MIXED: result #1 4xi32: 0 2 4 6
// MIXED: result #2 i64: 0
// MIXED: result #3 4xi32: 0 1 4 9
// MIXED: result #4 i1: true
func.func @mixed(%f: f32, %x: tensor<4xi32, #s>, %n: index) -> (f32, tensor<4xi32, #s>, index, tensor<4xi32, #s>, i1) {
  %true = arith.constant true
  %y = arith.addi %x, %x : tensor<4xi32, #s>
  %z = arith.muli %x, %x : tensor<4xi32, #s>
  return %f, %y, %n, %z, %true : f32, tensor<4xi32, #s>, index, tensor<4xi32, #s>, i1
}

// Its own calls go on with scalars.
func.func @calls_itself(%x: tensor<4xi32>, %n: i1) -> (i1, tensor<4xi32>) {
  %false = arith.constant false
  %true = arith.constant true
  %y = arith.addi %x, %x : tensor<4xi32>
  %r:2 = scf.if %n -> (i1, tensor<4xi32>) {
    %z:2 = func.call @calls_itself(%y, %false) : (tensor<4xi32>, i1) -> (i1, tensor<4xi32>)
    scf.yield %z#0, %z#1 : i1, tensor<4xi32>
  } else {
    scf.yield %true, %y : i1, tensor<4xi32>
  }
  return %r#0, %r#1 : i1, tensor<4xi32>
}

func.func @only_scalars(%n: index, %b: bf16) -> (bf16, index) {
  %s = arith.addi %n, %n : index
  return %b, %s : bf16, index
}
