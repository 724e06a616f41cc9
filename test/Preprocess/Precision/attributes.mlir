// What npu.precision asks for is what the types of the IR say afterwards: a
// result of the accumulation's type and a cast after it, or casts in a body.
// RUN: npu-opt %s --npu-set-precision --mlir-print-local-scope | FileCheck %s
// A second run changes nothing.
// RUN: npu-opt %s --npu-set-precision -o %t.once.mlir
// RUN: npu-opt %t.once.mlir --npu-set-precision -o %t.twice.mlir
// RUN: diff %t.once.mlir %t.twice.mlir

// A named product keeps its name, because linalg casts what it multiplies to
// the type of its output.
// CHECK-LABEL: func @product
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[INIT:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK: %[[SUM:.*]] = linalg.matmul {npu.precision = #npu.precision<storage = f16, accumulation = f32, intermediate = f32>} ins(%{{.*}} : tensor<4x8xf16>, tensor<8x4xf16>) outs(%[[INIT]] : tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] : tensor<4x4xf32>)
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @product(%x: tensor<4x8xf16>, %w: tensor<8x4xf16>) -> tensor<4x4xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<4x4xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<4x4xf16>) -> tensor<4x4xf16>
  %0 = linalg.matmul {npu.precision = #npu.precision<accumulation = f32>}
    ins(%x, %w : tensor<4x8xf16>, tensor<8x4xf16>) outs(%init : tensor<4x4xf16>) -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// Products in f16 that are added up in f32: no name says that, but a body does.
// CHECK-LABEL: func @short_products
// CHECK: linalg.generic
// CHECK: ^bb0(%[[X:.*]]: f16, %[[W:.*]]: f16, %[[ACC:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[X]], %[[W]] : f16
// CHECK-NEXT: %[[LONG:.*]] = arith.extf %[[P]] : f16 to f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[LONG]] : f32
// CHECK-NEXT: linalg.yield %[[S]] : f32
func.func @short_products(%x: tensor<4x8xf16>, %w: tensor<8x4xf16>, %init: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %0 = linalg.matmul {npu.precision = #npu.precision<accumulation = f32, intermediate = f16>}
    ins(%x, %w : tensor<4x8xf16>, tensor<8x4xf16>) outs(%init : tensor<4x4xf16>) -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}

// An operation without a sum casts inside; its result is what is stored.
// CHECK-LABEL: func @elementwise
// CHECK: ins(%{{.*}} : tensor<4xbf16>) outs(%{{.*}} : tensor<4xbf16>) attrs = {npu.precision = #npu.precision<storage = bf16, intermediate = f32>}
// CHECK: ^bb0(%[[X:.*]]: bf16, %{{.*}}: bf16):
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK: %[[EXP:.*]] = math.exp %[[WIDE]] : f32
// CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[EXP]], %[[HALF]] : f32
// CHECK: %[[SHORT:.*]] = arith.truncf %[[PRODUCT]] : f32 to bf16
// CHECK: linalg.yield %[[SHORT]] : bf16
func.func @elementwise(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %half = arith.constant 0.5 : bf16
  %empty = tensor.empty() : tensor<4xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : tensor<4xbf16>) outs(%empty : tensor<4xbf16>) attrs = {npu.precision = #npu.precision<intermediate = f32>} {
  ^bb0(%in: bf16, %out: bf16):
    %e = math.exp %in : bf16
    %p = arith.mulf %e, %half : bf16
    linalg.yield %p : bf16
  } -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func @reduction
// CHECK: linalg.reduce ins(%{{.*}} : tensor<4x8xbf16>) outs(%{{.*}} : tensor<4xf32>) dimensions = [1]
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @reduction(%x: tensor<4x8xbf16>) -> tensor<4xbf16> {
  %zero = arith.constant dense<0.0> : tensor<4xbf16>
  %0 = linalg.reduce { arith.addf {fastmath = #arith.fastmath<none>} } ins(%x : tensor<4x8xbf16>) outs(%zero : tensor<4xbf16>)
    dimensions = [1] {npu.precision = #npu.precision<accumulation = f32>}
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func @bytes
// CHECK: linalg.matmul {{.*}} ins(%{{.*}} : tensor<4x8xi8>, tensor<8x4xi8>) outs(%{{.*}} : tensor<4x4xi32>) -> tensor<4x4xi32>
// CHECK: arith.trunci %{{.*}} : i32 to i8
func.func @bytes(%x: tensor<4x8xi8>, %w: tensor<8x4xi8>) -> tensor<4x4xi8> {
  %zero = arith.constant 0 : i8
  %empty = tensor.empty() : tensor<4x4xi8>
  %init = linalg.fill ins(%zero : i8) outs(%empty : tensor<4x4xi8>) -> tensor<4x4xi8>
  %0 = linalg.matmul {npu.precision = #npu.precision<accumulation = i32>}
    ins(%x, %w : tensor<4x8xi8>, tensor<8x4xi8>) outs(%init : tensor<4x4xi8>) -> tensor<4x4xi8>
  return %0 : tensor<4x4xi8>
}

// Stored wider than before: who computes in a type that holds it reads it as it
// lies, through a transpose; who does not reads it rounded.
// CHECK-LABEL: func @stored_wider
// CHECK: %[[SUM:.*]] = linalg.matmul {{.*}} -> tensor<4x6xf32>
// CHECK: %[[ROUNDED:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<4x6xf32>)
// CHECK: arith.truncf
// CHECK: %[[TURNED:.*]] = linalg.transpose ins(%[[SUM]] : tensor<4x6xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[TURNED]] : tensor<6x4xf32>)
// CHECK: math.exp %{{.*}} : f32
// CHECK: linalg.exp ins(%[[ROUNDED]] : tensor<4x6xf16>)
func.func @stored_wider(%x: tensor<4x8xf16>, %w: tensor<8x6xf16>, %init: tensor<4x6xf16>) -> (tensor<6x4xf16>, tensor<4x6xf16>) {
  %0 = linalg.matmul {npu.precision = #npu.precision<storage = f32, accumulation = f32>}
    ins(%x, %w : tensor<4x8xf16>, tensor<8x6xf16>) outs(%init : tensor<4x6xf16>) -> tensor<4x6xf16>
  %empty = tensor.empty() : tensor<6x4xf16>
  %turned = linalg.transpose ins(%0 : tensor<4x6xf16>) outs(%empty : tensor<6x4xf16>) permutation = [1, 0]
  %1 = linalg.exp {npu.precision = #npu.precision<intermediate = f32>} ins(%turned : tensor<6x4xf16>) outs(%empty : tensor<6x4xf16>) -> tensor<6x4xf16>
  %other = tensor.empty() : tensor<4x6xf16>
  %2 = linalg.exp ins(%0 : tensor<4x6xf16>) outs(%other : tensor<4x6xf16>) -> tensor<4x6xf16>
  return %1, %2 : tensor<6x4xf16>, tensor<4x6xf16>
}

// Stored shorter than before: users read what is left of it.
// CHECK-LABEL: func @stored_shorter
// CHECK: linalg.matmul {{.*}} -> tensor<4x4xf32>
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.extf %{{.*}} : f16 to f32
func.func @stored_shorter(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %init: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul {npu.precision = #npu.precision<storage = f16>}
    ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// The number of rows may be known only at run time.
// CHECK-LABEL: func @rows_of_a_prompt
// CHECK: linalg.matmul {{.*}} -> tensor<?x4xf32>
// CHECK: tensor.dim
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @rows_of_a_prompt(%x: tensor<?x8xf16>, %w: tensor<8x4xf16>, %init: tensor<?x4xf16>) -> tensor<?x4xf16> {
  %0 = linalg.matmul {npu.precision = #npu.precision<accumulation = f32>}
    ins(%x, %w : tensor<?x8xf16>, tensor<8x4xf16>) outs(%init : tensor<?x4xf16>) -> tensor<?x4xf16>
  return %0 : tensor<?x4xf16>
}

// CHECK-LABEL: func @nobody_asks
// CHECK-NEXT: %[[EXP:.*]] = linalg.exp ins(%arg0 : tensor<4xf16>) outs(%arg0 : tensor<4xf16>) -> tensor<4xf16>
// CHECK-NEXT: return %[[EXP]]
func.func @nobody_asks(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = linalg.exp ins(%x : tensor<4xf16>) outs(%x : tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// Integers keep the sign that their casts give them, and only what the body
// yields is cut to the type of the storage.
// CHECK-LABEL: func @integers
// CHECK: ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i1, %{{.*}}: i8):
// CHECK-NEXT: %[[ONE:.*]] = arith.extui %[[B]] : i1 to i32
// CHECK-NEXT: %[[POSITIVE:.*]] = arith.extui %[[A]] : i8 to i32
// CHECK-NEXT: %[[SQUARE:.*]] = arith.muli %[[POSITIVE]], %[[POSITIVE]] : i32
// CHECK: %[[SUM:.*]] = arith.addi %[[ONE]], %[[SQUARE]] : i32
// CHECK: %[[SIGNED:.*]] = arith.extsi %[[A]] : i8 to i32
// CHECK: %[[CHOSEN:.*]] = arith.select %[[B]], %[[SUM]], %[[SIGNED]] : i32
// CHECK: %[[MINUS:.*]] = arith.constant -1 : i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[CHOSEN]], %[[MINUS]] : i32
// CHECK: arith.trunci %[[NEXT]] : i32 to i8
func.func @integers(%x: tensor<4xi8>, %y: tensor<4xi1>) -> tensor<4xi16> {
  %empty = tensor.empty() : tensor<4xi16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x, %y : tensor<4xi8>, tensor<4xi1>) outs(%empty : tensor<4xi16>) attrs = {npu.precision = #npu.precision<storage = i8, intermediate = i32>} {
  ^bb0(%a: i8, %b: i1, %out: i16):
    %one = arith.extui %b : i1 to i16
    %positive = arith.extui %a : i8 to i16
    %square = arith.muli %positive, %positive : i16
    %sum = arith.addi %one, %square : i16
    %signed = arith.extsi %a : i8 to i16
    %chosen = arith.select %b, %sum, %signed : i16
    %minus = arith.constant -1 : i16
    %next = arith.addi %chosen, %minus : i16
    linalg.yield %next : i16
  } -> tensor<4xi16>
  return %0 : tensor<4xi16>
}

// An entry that is extended without a sign has the bits that the function has
// for it, also where it is stored in more of them.
// CHECK-LABEL: func @bits_of_what_is_stored_wider
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: ^bb0(%[[BITS:.*]]: i8, %{{.*}}: i32):
// CHECK-NEXT: %[[POSITIVE:.*]] = arith.extui %[[BITS]] : i8 to i64
// CHECK-NEXT: arith.addi %[[POSITIVE]], %[[POSITIVE]] : i64
func.func @bits_of_what_is_stored_wider(%x: tensor<4xi8>, %e: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.add {npu.precision = #npu.precision<storage = i32, intermediate = i32>} ins(%x, %x : tensor<4xi8>, tensor<4xi8>) outs(%x : tensor<4xi8>) -> tensor<4xi8>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%0 : tensor<4xi8>) outs(%e : tensor<4xi32>) attrs = {npu.precision = #npu.precision<intermediate = i64>} {
  ^bb0(%in: i8, %out: i32):
    %positive = arith.extui %in : i8 to i32
    %twice = arith.addi %positive, %positive : i32
    linalg.yield %twice : i32
  } -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// What lies in front of a sum stays in the type it has where only something else
// is said: nothing is rounded that was not, and what says what is changes nothing.
// CHECK-LABEL: func @squares_in_more_bits
// CHECK: linalg.generic {{.*}} attrs = {npu.precision = #npu.precision<storage = f16, accumulation = f16, intermediate = f32>}
// CHECK: ^bb0(%[[X:.*]]: f16, %[[ACC:.*]]: f16):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[WIDE]], %[[WIDE]] : f32
// CHECK-NEXT: %[[REST:.*]] = arith.subf %[[SQUARE]], %[[WIDE]] : f32
// CHECK-NEXT: %[[SHORT:.*]] = arith.truncf %[[REST]] : f32 to f16
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[ACC]], %[[SHORT]] : f16
// CHECK-NEXT: linalg.yield %[[SUM]] : f16
func.func @squares_in_more_bits(%x: tensor<4x16xf16>) -> tensor<4xf16> {
  %zero = arith.constant dense<0.0> : tensor<4xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x16xf16>) outs(%zero : tensor<4xf16>) attrs = {npu.precision = #npu.precision<storage = f16>} {
  ^bb0(%in: f16, %out: f16):
    %wide = arith.extf %in : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %rest = arith.subf %square, %wide : f32
    %short = arith.truncf %rest : f32 to f16
    %sum = arith.addf %out, %short : f16
    linalg.yield %sum : f16
  } -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// The same where the sum becomes shorter than what it adds up.
// CHECK-LABEL: func @products_longer_than_their_sum
// CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: %[[SHORT:.*]] = arith.truncf %[[PRODUCT]] : f32 to f16
// CHECK-NEXT: arith.addf %{{.*}}, %[[SHORT]] : f16
func.func @products_longer_than_their_sum(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %init: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul {npu.precision = #npu.precision<storage = f16, accumulation = f16>}
    ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
