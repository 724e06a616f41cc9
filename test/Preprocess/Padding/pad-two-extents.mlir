// All prompt dimensions of a function have one length, which is read from the first of
// them. A caller that gives another extent elsewhere is told so, with the argument: the
// padded function would read too few entries of it, or too many.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.mlir --mlir-print-debuginfo
// RUN: npu-run %t.mlir --reference=%s --length=1..8 -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=equal --reference=%s -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: not npu-run %t.mlir --entry=longer -O0 2>&1 | FileCheck %s
// RUN: not npu-run %t.mlir --entry=shorter -O0 2>&1 | FileCheck %s
// RUN: not npu-run %t.mlir --entry=in_one_argument -O0 2>&1 | FileCheck %s --check-prefix=SQUARE
//
// So is the choice among several lengths, the loop over chunks, and what npu-compile makes.
//
// RUN: npu-opt %s --npu-legalize-distributions="max-prompt-len=4,8 poison" -o %t.buckets.mlir --mlir-print-debuginfo
// RUN: npu-run %t.buckets.mlir --reference=%s --length=1..8 -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: not npu-run %t.buckets.mlir --entry=longer -O0 2>&1 | FileCheck %s
// RUN: npu-opt %s --npu-chunk-prefill=chunk-len=4 -o %t.chunks.mlir --mlir-print-debuginfo
// RUN: not npu-run %t.chunks.mlir --entry=in_chunks -O0 2>&1 | FileCheck %s --check-prefix=CHUNKS
// RUN: sed '/^\/\/ CHUNKS/,$d' %s > %t.head.mlir
// RUN: npu-opt %t.head.mlir --npu-compile="target=npu4000 max-prompt-len=8 gather=allow compile-to=tiles" -o %t.tiles.mlir --mlir-print-debuginfo
// RUN: npu-run %t.tiles.mlir --reference=%s --length=1..8 -O0 | FileCheck %s --check-prefix=EQUAL
//
// EQUAL: {{^}}equal

// CHECK: {{^.*}}pad-two-extents.mlir:[[@LINE+1]]:{{[0-9]+}}: error: assertion failed: 'main': expected argument #1 dimension 0 to have the prompt's length, that of argument #0 dimension 0
func.func @main(%x: tensor<?x4xf32>, %past: tensor<?x4xf32>, %w: tensor<2x4xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x4xf32>) outs(%zero : tensor<4xf32>) dimensions = [0]
  %t = linalg.reduce { arith.addf } ins(%past : tensor<?x4xf32>) outs(%s : tensor<4xf32>) dimensions = [0]
  return %t : tensor<4xf32>
}

func.func @equal(%x: tensor<3x4xf32>, %past: tensor<3x4xf32>, %w: tensor<2x4xf32>) -> tensor<4xf32> {
  %a = tensor.cast %x : tensor<3x4xf32> to tensor<?x4xf32>
  %b = tensor.cast %past : tensor<3x4xf32> to tensor<?x4xf32>
  %y = call @main(%a, %b, %w) : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @longer(%x: tensor<3x4xf32>, %past: tensor<5x4xf32>, %w: tensor<2x4xf32>) -> tensor<4xf32> {
  %a = tensor.cast %x : tensor<3x4xf32> to tensor<?x4xf32>
  %b = tensor.cast %past : tensor<5x4xf32> to tensor<?x4xf32>
  %y = call @main(%a, %b, %w) : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @shorter(%x: tensor<5x4xf32>, %past: tensor<3x4xf32>, %w: tensor<2x4xf32>) -> tensor<4xf32> {
  %a = tensor.cast %x : tensor<5x4xf32> to tensor<?x4xf32>
  %b = tensor.cast %past : tensor<3x4xf32> to tensor<?x4xf32>
  %y = call @main(%a, %b, %w) : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// SQUARE: error: assertion failed: 'square': expected argument #0 dimension 2 to have the prompt's length, that of argument #0 dimension 0
func.func @square(%x: tensor<?x4x?xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x4x?xf32>) outs(%zero : tensor<4xf32>) dimensions = [0, 2]
  return %s : tensor<4xf32>
}

func.func @in_one_argument(%x: tensor<3x4x2xf32>) -> tensor<4xf32> {
  %a = tensor.cast %x : tensor<3x4x2xf32> to tensor<?x4x?xf32>
  %y = call @square(%a) : (tensor<?x4x?xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHUNKS: error: assertion failed: 'prefill': expected argument #2 dimension 0 to have the prompt's length, that of argument #0 dimension 0
func.func @prefill(%rows: tensor<?x4xf32>, %cache: tensor<16x4xf32> {npu.cache_dim = 0}, %scale: tensor<?xf32>, %offset: index {npu.cache_offset}) -> tensor<16x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %rows, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%rows, %scale : tensor<?x4xf32>, tensor<?xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%in: f32, %by: f32, %out: f32):
    %0 = arith.mulf %in, %by : f32
    linalg.yield %0 : f32
  } -> tensor<?x4xf32>
  %written = tensor.insert_slice %scaled into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  return %written : tensor<16x4xf32>
}

func.func @in_chunks(%rows: tensor<6x4xf32>, %cache: tensor<16x4xf32>, %scale: tensor<5xf32>) -> tensor<16x4xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.cast %rows : tensor<6x4xf32> to tensor<?x4xf32>
  %b = tensor.cast %scale : tensor<5xf32> to tensor<?xf32>
  %y = call @prefill(%a, %cache, %b, %c0) : (tensor<?x4xf32>, tensor<16x4xf32>, tensor<?xf32>, index) -> tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}
