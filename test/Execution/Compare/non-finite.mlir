// NaN on both sides is no difference, but shows nothing: where most of a result is
// not finite, the run says since which operation, and does not pass.
//
// RUN: not npu-run %s --entry=overflow --reference=%s | FileCheck %s --check-prefix=OVERFLOW
// RUN: not npu-run %s --entry=overflow --reference=%s -O0 | FileCheck %s --check-prefix=OVERFLOW
// RUN: npu-run %s --entry=overflow --reference=%s --allow-non-finite | FileCheck %s --check-prefix=ALLOWED --implicit-check-not=since
// RUN: npu-run %s --entry=overflow --reference=%s --inputs=special | FileCheck %s --check-prefix=ALLOWED
// RUN: npu-run %s --entry=overflow | FileCheck %s --check-prefix=ALONE
// RUN: not npu-run %s --entry=on_tiles --compare | FileCheck %s --check-prefix=TILES
// RUN: not npu-run %s --entry=masked --reference=%s | FileCheck %s --check-prefix=MASKED
// RUN: not npu-run %s --entry=given --reference=%s | FileCheck %s --check-prefix=GIVEN
// RUN: npu-run %s --entry=half --reference=%s | FileCheck %s --check-prefix=HALF
// RUN: not npu-run %s --entry=called --reference=%s | FileCheck %s --check-prefix=CALLED
// RUN: not npu-run %s --entry=in_a_loop --reference=%s | FileCheck %s --check-prefix=LOOP
// RUN: not npu-run %s --entry=harmless_first --compare | FileCheck %s --check-prefix=HARMLESS
// RUN: not npu-run %s --entry=forgotten_fill --compare | FileCheck %s --check-prefix=FORGOTTEN
// RUN: not npu-run %s --entry=nothing --compare 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not npu-run %s --entry=at_length --reference=%s --length=2..4 | FileCheck %s --check-prefix=LENGTH
// RUN: npu-run %s --entry=finite_at_length --reference=%s --length=1..4 | FileCheck %s --check-prefix=FINITE --implicit-check-not=NaN

// The first infinities, and the first NaN; the operation between them has both from
// others. 0 and -inf in the reduction's start are not what went wrong.
// OVERFLOW: result #0 4xf16: 4 elements, 0 different
// OVERFLOW-NEXT: {{^}}  4 of 4 entries are NaN or infinite (4 NaN, 0 infinite), on both sides
// OVERFLOW-NEXT: {{^}}    since arith.mulf at {{.*}}non-finite.mlir:[[#@LINE+17]]:8: 4 of 4 entries are NaN or infinite (0 NaN, 4 infinite), of finite operands
// OVERFLOW-NEXT: {{^}}    NaN since arith.subf at {{.*}}non-finite.mlir:[[#@LINE+19]]:8: 4 of 4 entries are NaN or infinite (4 NaN, 0 infinite), of operands without NaN
// OVERFLOW-NEXT: {{^}}not comparable: more than half of a result is NaN or infinite on both sides
// ALLOWED: 4 of 4 entries are NaN or infinite
// ALLOWED-NEXT: {{^}}equal
// ALONE: 'overflow' ran
// ALONE: result #0: 4 of 4 entries are NaN or infinite (4 NaN, 0 infinite)
// ALONE-NEXT: since arith.mulf
func.func @overflow(%x: tensor<4xf16>) -> tensor<4xf16> {
  %one = arith.constant dense<1.0> : tensor<4xf16>
  %large = arith.constant dense<60000.0> : tensor<4xf16>
  %low = arith.constant 0xFC00 : f16
  %square = arith.mulf %x, %x : tensor<4xf16>
  %e = tensor.empty() : tensor<4xf16>
  %lowest = linalg.fill ins(%low : f16) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  %0 = arith.maximumf %square, %lowest : tensor<4xf16>
  %1 = arith.addf %0, %one : tensor<4xf16>
  %2 = arith.mulf %large, %large : tensor<4xf16>
  %3 = arith.addf %2, %1 : tensor<4xf16>
  %4 = arith.mulf %3, %large : tensor<4xf16>
  %5 = arith.subf %4, %3 : tensor<4xf16>
  return %5 : tensor<4xf16>
}

// The search runs on the whole operations, and names where they stand.
#halves = #npu.layout<SEGMENTED, tiles = [2]>
// TILES: 4 of 4 entries are NaN or infinite
// TILES-NEXT: since linalg.log at {{.*}}non-finite.mlir:[[#@LINE+4]]:8: 4 of 4 entries are NaN or infinite (4 NaN, 0 infinite), of finite operands
func.func @on_tiles(%x: tensor<4xf32, #halves>) -> tensor<4xf32, #halves> {
  %minus = arith.constant dense<-2.0> : tensor<4xf32, #halves>
  %0 = arith.addf %x, %minus : tensor<4xf32, #halves>
  %1 = linalg.log ins(%0 : tensor<4xf32, #halves>) outs(%x : tensor<4xf32, #halves>) -> tensor<4xf32, #halves>
  return %1 : tensor<4xf32, #halves>
}

// An infinity that a constant has is not wrong; that it becomes NaN is.
// MASKED: since arith.subf at {{.*}}non-finite.mlir:[[#@LINE+4]]:8: 3 of 3 entries are NaN or infinite (3 NaN, 0 infinite), of operands without NaN
func.func @masked(%x: tensor<3xf32>) -> tensor<3xf32> {
  %mask = arith.constant dense<0xFF800000> : tensor<3xf32>
  %0 = arith.addf %x, %mask : tensor<3xf32>
  %1 = arith.subf %0, %mask : tensor<3xf32>
  return %1 : tensor<3xf32>
}

// GIVEN: given by arith.constant at {{.*}}non-finite.mlir:[[#@LINE+2]]:11: 3 of 3 entries are NaN or infinite (0 NaN, 3 infinite)
func.func @given(%x: tensor<3xf32>) -> tensor<3xf32> {
  %mask = arith.constant dense<0xFF800000> : tensor<3xf32>
  %0 = arith.addf %x, %mask : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Half of the entries are not most of them.
// HALF: 4 elements, 0 different
// HALF-NEXT: 2 of 4 entries are NaN or infinite (1 NaN, 1 infinite), on both sides
// HALF-NEXT: {{^}}equal
func.func @half(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.constant dense<[0.0, 0x7FC00000, 0xFF800000, 1.0]> : tensor<4xf32>
  %1 = arith.addf %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// What is called is searched as well, and a loop is one operation.
func.func private @callee(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = arith.subf %x, %x : tensor<3xf32>
  // CALLED: since arith.divf at {{.*}}non-finite.mlir:[[#@LINE+1]]:8: 3 of 3
  %1 = arith.divf %0, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}

func.func @called(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @callee(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @in_a_loop(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  %ten = arith.constant dense<10.0> : tensor<3xf32>
  // LOOP: since scf.for at {{.*}}non-finite.mlir:[[#@LINE+1]]:8: 3 of 3
  %0 = scf.for %i = %c0 to %c200 step %c1 iter_args(%y = %x) -> tensor<3xf32> {
    %1 = arith.mulf %y, %ten : tensor<3xf32>
    scf.yield %1 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// At each length only real entries count: after them nothing is written, and is
// poison on both sides.
// LENGTH: length 2:
// LENGTH: 2 of 2 entries are NaN or infinite (2 NaN, 0 infinite), on both sides
// LENGTH-NEXT: since arith.divf
// LENGTH: length 3:
// LENGTH: 3 of 3 entries are NaN
// LENGTH: at 3 lengths, results have NaN or infinite entries on both sides
// LENGTH-NEXT: 3 lengths, 0 different
// LENGTH-NEXT: not comparable
func.func @at_length(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.subf %x, %x : tensor<?xf32>
  %1 = arith.divf %0, %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// FINITE: 4 lengths, 0 different
// FINITE-NEXT: equal
func.func @finite_at_length(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.addf %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// The -inf of log(0) ends in exp: it is not why the result is infinite.
func.func @harmless_first(%x: tensor<8xf32>) -> tensor<8xf32> {
  %large = arith.constant dense<200.0> : tensor<8xf32>
  %0 = arith.subf %x, %x : tensor<8xf32>
  %1 = math.log %0 : tensor<8xf32>
  %2 = math.exp %1 : tensor<8xf32>
  %3 = arith.addf %2, %large : tensor<8xf32>
  // HARMLESS: since math.exp at {{.*}}non-finite.mlir:[[#@LINE+1]]:8: 8 of 8
  %4 = math.exp %3 : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// Accumulating into a tensor that nobody has written is a forgotten linalg.fill.
func.func @forgotten_fill(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // FORGOTTEN: no operation makes them: they are entries that nobody has written
  // FORGOTTEN-NEXT: linalg.matmul at {{.*}}:[[#@LINE+1]]:8 reads a tensor.empty that nobody has written (a linalg.fill is missing)
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>)
                     outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Without results there is nothing to compare, and nothing that is equal.
// NOTHING-NOT: equal
// NOTHING: npu-run: error: expected results to compare, and 'nothing' has none
func.func @nothing(%x: tensor<4xf32>) {
  return
}
