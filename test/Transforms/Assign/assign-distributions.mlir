// Layouts of least cost for functions without any: each strategy gives a
// function that verifies strictly, that legalization has nothing to do in, and
// that computes the same.
//
// RUN: npu-opt %s --npu-assign-distributions=target=npu4000 -o %t.least 2>/dev/null
// RUN: npu-opt %t.least --npu-verify-distributions=strict -o /dev/null
// RUN: npu-opt %t.least --npu-legalize-distributions -o %t.legal
// RUN: npu-opt %t.least -o %t.printed
// RUN: diff %t.printed %t.legal
// RUN: npu-run -O0 %t.least --entry=block --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-opt %s --npu-assign-distributions="target=npu4000 strategy=greedy" 2>/dev/null \
// RUN:   | npu-run -O0 - --entry=block --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-opt %s --npu-assign-distributions="target=npu4000 strategy=beam" 2>/dev/null \
// RUN:   | npu-run -O0 - --entry=block --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-opt %s --npu-assign-distributions="tiles=3 strategy=rows" 2>/dev/null -o %t.rows
// RUN: npu-run -O0 %t.rows --entry=block --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: npu-opt %s --npu-assign-distributions="tiles=3 strategy=duplicate" 2>/dev/null -o %t.same
// RUN: npu-run -O0 %t.same --entry=block --reference=%s | FileCheck %s --check-prefix=EQUAL
// RUN: FileCheck %s --input-file=%t.least
// RUN: FileCheck %s --input-file=%t.rows --check-prefix=ROWS
// RUN: FileCheck %s --input-file=%t.same --check-prefix=SAME
//
// EQUAL-COUNT-2: 0 different
// EQUAL: {{^}}equal

// ROWS: #[[$ROWS:.*]] = #npu.layout<SEGMENTED, tiles = [3, 1]{{(, split = ceil)?}}>
// SAME: #[[$ALL:.*]] = #npu.layout<DUPLICATED, tiles = 3>

// Arguments and results stay in DDR; a reshape of what is there moves nothing.
// CHECK-LABEL: func.func @block(
// CHECK-SAME: %[[X:.*]]: tensor<1x64x32xf32>, %{{.*}}: tensor<32x32xf32>, %{{.*}}: tensor<3xf32>)
// CHECK-SAME: -> (tensor<64x32xf32>, tensor<3xf32>)
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[X]]
// CHECK: npu.redistribute %[[FLAT]] : tensor<64x32xf32> to tensor<64x32xf32, #
// ROWS-LABEL: func.func @block(
// ROWS: linalg.matmul {{.*}} -> tensor<64x32xf32, #[[$ROWS]]>
// SAME-LABEL: func.func @block(
// SAME: linalg.matmul {{.*}} -> tensor<64x32xf32, #[[$ALL]]>
func.func @block(%x: tensor<1x64x32xf32>, %w: tensor<32x32xf32>, %s: tensor<3xf32>)
    -> (tensor<64x32xf32>, tensor<3xf32>) {
  // A splat is made where it is read.
  %init = arith.constant dense<1.0> : tensor<64x32xf32>
  // A constant whose values are not one is loaded.
  %three = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x64x32xf32> into tensor<64x32xf32>
  %y = linalg.matmul ins(%flat, %w : tensor<64x32xf32>, tensor<32x32xf32>)
      outs(%init : tensor<64x32xf32>) -> tensor<64x32xf32>
  // What a loop hands on is in DDR; what it reads from outside need not be.
  // CHECK: scf.for {{.*}} -> (tensor<64x32xf32>)
  %z = scf.for %i = %c0 to %c2 step %c1 iter_args(%it = %y) -> tensor<64x32xf32> {
    %sum = linalg.add ins(%it, %y : tensor<64x32xf32>, tensor<64x32xf32>)
        outs(%init : tensor<64x32xf32>) -> tensor<64x32xf32>
    scf.yield %sum : tensor<64x32xf32>
  }
  // CHECK: npu.redistribute %{{.*}} : tensor<3xf32> to tensor<3xf32, #
  %t = linalg.mul ins(%s, %three : tensor<3xf32>, tensor<3xf32>)
      outs(%three : tensor<3xf32>) -> tensor<3xf32>
  return %z, %t : tensor<64x32xf32>, tensor<3xf32>
}

// Heads of rows: reshapes and transposes re-read memory, on the same tiles.
// CHECK-LABEL: func.func @heads(
// CHECK: linalg.matmul
// CHECK-NEXT: tensor.expand_shape
// CHECK-NEXT: npu.permute_cast {{.*}} mem_perm = [0, 1, 2] : tensor<64x4x8xf32, {{.*}} to tensor<4x64x8xf32,
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @heads(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>) -> tensor<4x64x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x32xf32>)
      outs(%zero : tensor<64x32xf32>) -> tensor<64x32xf32>
  %h = tensor.expand_shape %y [[0], [1, 2]] output_shape [64, 4, 8]
      : tensor<64x32xf32> into tensor<64x4x8xf32>
  %e = tensor.empty() : tensor<4x64x8xf32>
  %t = linalg.transpose ins(%h : tensor<64x4x8xf32>) outs(%e : tensor<4x64x8xf32>) permutation = [1, 0, 2]
  %r = linalg.exp ins(%t : tensor<4x64x8xf32>) outs(%e : tensor<4x64x8xf32>) -> tensor<4x64x8xf32>
  return %r : tensor<4x64x8xf32>
}

// Tensors that no layout fits are left alone.
// CHECK-LABEL: func.func @stays(
// CHECK-SAME: tensor<3xindex>, %{{.*}}: tensor<0x4xf32>, %{{.*}}: tensor<1x1x1x1x1x1x1x1x8xf32>, %{{.*}}: tensor<288230376151711743xf32>)
// CHECK-NEXT: return
func.func @stays(%a: tensor<3xindex>, %b: tensor<0x4xf32>,
                 %c: tensor<1x1x1x1x1x1x1x1x8xf32>, %d: tensor<288230376151711743xf32>) {
  return
}

// Attributes that are no values of tensors keep their types.
// CHECK-LABEL: func.func @attributes(
// CHECK: strides = dense<1> : tensor<2xi64>
func.func @attributes(%x: tensor<1x8x8x4xf32>, %w: tensor<1x1x4x4xf32>,
                      %to: tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32> {
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x8x8x4xf32>, tensor<1x1x4x4xf32>)
      outs(%to : tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  return %y : tensor<1x8x8x4xf32>
}
