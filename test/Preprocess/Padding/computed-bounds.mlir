// Bounds that are computed from the prompt's extent, as exports to TOSA and linalg have
// them: what is left after the first entries, shapes with one extent open, as many rows of
// a table as the prompt has, where it has them at every length and where it does not,
// and loops over the prompt.
//
// RUN: split-file %s %t
// RUN: npu-run -O0 %t/tosa.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=6 poison" --length=1..6 2>&1 | FileCheck %s
// RUN: npu-run -O0 %t/tosa.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=6 poison side=left" --length=1..6 2>&1 | FileCheck %s
// RUN: npu-run -O0 %t/table.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=6 poison" --length=1..6 2>&1 | FileCheck %s
// RUN: npu-run -O0 %t/table.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=6 poison side=left" --length=1..6 2>&1 | FileCheck %s
// RUN: npu-run -O0 %t/loop.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=6 poison" --length=1..6 2>&1 | FileCheck %s
// RUN: npu-run -O0 %t/loop.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=6 poison side=left" --length=1..6 2>&1 | FileCheck %s
// RUN: npu-run -O0 %t/table.mlir --compile="compile-to=tiles tiles=2 max-prompt-len=16 poison" --length=1..12 2>&1 | FileCheck %s
// RUN: not npu-opt %t/whole.mlir --npu-pad-to-max-prompt-len=max-prompt-len=16 2>&1 | FileCheck %s --check-prefix=WHOLE
//
// CHECK: equal
//
// WHOLE: error: 'scf.for' cannot be padded to max-prompt-len = 16 and stay exact: in its body, 'linalg.add' uses '{{.*}}' otherwise than entry by entry of the prompt

//--- tosa.mlir
func.func @main(%x: tensor<1x?x4xf32>) -> (tensor<1x?x4xf32>, tensor<1x?x2x2xf32>) {
  %start = tosa.const_shape {values = dense<[0, 1, 0]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %size = tosa.const_shape {values = dense<[1, -1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %rest = tosa.slice %x, %start, %size : (tensor<1x?x4xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x?x4xf32>
  %shape = tosa.const_shape {values = dense<[1, -1, 2, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %heads = tosa.reshape %x, %shape : (tensor<1x?x4xf32>, !tosa.shape<4>) -> tensor<1x?x2x2xf32>
  return %rest, %heads : tensor<1x?x4xf32>, tensor<1x?x2x2xf32>
}

//--- table.mlir
func.func @main(%x: tensor<?x4xf32>, %table: tensor<12x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c12 = arith.constant 12 : index
  %length = tensor.dim %x, %c0 : tensor<?x4xf32>
  %rows = arith.minsi %length, %c12 : index
  %less = arith.subi %length, %c12 : index
  %first = arith.maxsi %less, %c0 : index
  %cut = tensor.extract_slice %table[%first, 0] [%rows, 4] [1, 1] : tensor<12x4xf32> to tensor<?x4xf32>
  %0 = linalg.add ins(%x, %cut : tensor<?x4xf32>, tensor<?x4xf32>) outs(%x : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

//--- loop.mlir
// Running sums from the last row to the first one.
func.func @main(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<1x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %length = tensor.dim %x, %c0 : tensor<?x4xf32>
  %last = arith.subi %length, %c1 : index
  %all = tensor.empty(%length) : tensor<?x4xf32>
  %row = tensor.empty() : tensor<1x4xf32>
  %first = linalg.fill ins(%zero : f32) outs(%row : tensor<1x4xf32>) -> tensor<1x4xf32>
  %0:2 = scf.for %i = %c0 to %length step %c1 iter_args(%sums = %all, %sum = %first) -> (tensor<?x4xf32>, tensor<1x4xf32>) {
    %at = arith.subi %last, %i : index
    %entry = tensor.extract_slice %x[%at, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
    %next = linalg.add ins(%sum, %entry : tensor<1x4xf32>, tensor<1x4xf32>) outs(%sum : tensor<1x4xf32>) -> tensor<1x4xf32>
    %more = tensor.insert_slice %next into %sums[%at, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
    scf.yield %more, %next : tensor<?x4xf32>, tensor<1x4xf32>
  }
  return %0#0, %0#1 : tensor<?x4xf32>, tensor<1x4xf32>
}

//--- whole.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> (tensor<?xf32>) {
    %1 = linalg.add ins(%y, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
