// Every operation on integers that can wrap around is OVERFLOW where it does, as a
// product is: a shift to the left, a truncation, a cast of an index, a power. What is chosen or
// divided after that, in one body, is not what it is meant to be either. Bits that are
// masked, shifted without a sign or compared are taken as they are.
//
// RUN: not npu-run %s --audit --entry=truncated --inputs=iota | FileCheck %s --check-prefix=TRUNCATED
// RUN: not npu-run %s --audit --entry=shifted | FileCheck %s --check-prefix=SHIFTED
// RUN: not npu-run %s --audit --entry=cast | FileCheck %s --check-prefix=CAST
// RUN: not npu-run %s --audit --entry=power | FileCheck %s --check-prefix=POWER
// RUN: not npu-run %s --audit --entry=bodies | FileCheck %s --check-prefix=BODIES
// RUN: npu-run %s --audit --entry=fits | FileCheck %s --check-prefix=FITS

#id = affine_map<(i) -> (i)>

// TRUNCATED: 1 OVERFLOW, 1 EXACT
// TRUNCATED: worst at [3]: expected 300, got 44
// TRUNCATED: verdict: OVERFLOW at arith.trunci ({{.*}}wrapping.mlir:[[#@LINE+4]]:8): 1 of 4 elements have wrapped around
func.func @truncated(%a: tensor<4xi32>) -> tensor<4xi8> {
  %c = arith.constant dense<100> : tensor<4xi32>
  %0 = arith.muli %a, %c : tensor<4xi32>
  %1 = arith.trunci %0 : tensor<4xi32> to tensor<4xi8>
  return %1 : tensor<4xi8>
}

// 100 << 1 is 200, which is a number without a sign.
// SHIFTED: worst at [1]: expected 400, got -112
// SHIFTED: verdict: OVERFLOW at arith.shli {{.*}}: 1 of 3 elements have wrapped around
func.func @shifted() -> tensor<3xi8> {
  %a = arith.constant dense<[100, 100, -3]> : tensor<3xi8>
  %n = arith.constant dense<[1, 2, 5]> : tensor<3xi8>
  %0 = arith.shli %a, %n : tensor<3xi8>
  return %0 : tensor<3xi8>
}

// CAST: worst at [3]: expected 300, got 44
// CAST: verdict: OVERFLOW at linalg.generic {{.*}}: 1 of 4 elements have wrapped around
func.func @cast() -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<4xi8>) {
  ^bb0(%o: i8):
    %hundred = arith.constant 100 : index
    %i = linalg.index 0 : index
    %m = arith.muli %i, %hundred : index
    %j = arith.index_cast %m : index to i8
    linalg.yield %j : i8
  } -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// POWER: worst at [1]: expected 343, got 87
// POWER: verdict: OVERFLOW at math.ipowi {{.*}}: 1 of 3 elements have wrapped around
func.func @power() -> tensor<3xi8> {
  %x = arith.constant dense<[-4, 7, 2]> : tensor<3xi8>
  %n = arith.constant dense<[3, 3, -1]> : tensor<3xi8>
  %0 = math.ipowi %x, %n : tensor<3xi8>
  return %0 : tensor<3xi8>
}

// 100 * 3 in i8: the larger one of it and 0, it or 0, half of it, and so on.
// BODIES: 5 OVERFLOW
// BODIES: worst at [0]: expected 300, got 44
// BODIES: worst at [0]: expected 300, got 44
// BODIES: worst at [0]: expected 150, got 22
// BODIES: worst at [0]: expected 150, got 22
// BODIES: worst at [0]: expected 290, got 34
func.func @bodies() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) {
  %c = arith.constant dense<[100, 3]> : tensor<2xi8>
  %e = tensor.empty() : tensor<2xi8>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%c : tensor<2xi8>) outs(%e : tensor<2xi8>) {
  ^bb0(%i: i8, %o: i8):
    %three = arith.constant 3 : i8
    %zero = arith.constant 0 : i8
    %m = arith.muli %i, %three : i8
    %r = arith.maxsi %m, %zero : i8
    linalg.yield %r : i8
  } -> tensor<2xi8>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%c : tensor<2xi8>) outs(%e : tensor<2xi8>) {
  ^bb0(%i: i8, %o: i8):
    %three = arith.constant 3 : i8
    %zero = arith.constant 0 : i8
    %m = arith.muli %i, %three : i8
    %t = arith.cmpi sgt, %i, %zero : i8
    %r = arith.select %t, %m, %zero : i8
    linalg.yield %r : i8
  } -> tensor<2xi8>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%c : tensor<2xi8>) outs(%e : tensor<2xi8>) {
  ^bb0(%i: i8, %o: i8):
    %three = arith.constant 3 : i8
    %one = arith.constant 1 : i8
    %m = arith.muli %i, %three : i8
    %h = arith.shrsi %m, %one : i8
    linalg.yield %h : i8
  } -> tensor<2xi8>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%c : tensor<2xi8>) outs(%e : tensor<2xi8>) {
  ^bb0(%i: i8, %o: i8):
    %three = arith.constant 3 : i8
    %two = arith.constant 2 : i8
    %m = arith.muli %i, %three : i8
    %h = arith.divsi %m, %two : i8
    linalg.yield %h : i8
  } -> tensor<2xi8>
  // The sum is one that the bits have, but not what it is the sum of.
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%c : tensor<2xi8>) outs(%e : tensor<2xi8>) {
  ^bb0(%i: i8, %o: i8):
    %three = arith.constant 3 : i8
    %ten = arith.constant 10 : i8
    %m = arith.muli %i, %three : i8
    %h = arith.subi %m, %ten : i8
    linalg.yield %h : i8
  } -> tensor<2xi8>
  return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>
}

// A hash takes its bits from a product that wraps around; -1 and 200 fit i8, each in
// its way; the lowest bit of 2 is a condition and no number.
// FITS: 3 EXACT
// FITS: verdict: EXACT
func.func @fits() -> (tensor<2xi32>, tensor<2xi8>, tensor<2xi1>) {
  %c = arith.constant dense<[123456789, 7]> : tensor<2xi32>
  %e = tensor.empty() : tensor<2xi32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%c : tensor<2xi32>) outs(%e : tensor<2xi32>) {
  ^bb0(%i: i32, %o: i32):
    %k = arith.constant 1103515245 : i32
    %n = arith.constant 16 : i32
    %mask = arith.constant 255 : i32
    %m = arith.muli %i, %k : i32
    %h = arith.shrui %m, %n : i32
    %b = arith.andi %h, %mask : i32
    linalg.yield %b : i32
  } -> tensor<2xi32>
  %s = arith.constant dense<[-1, 200]> : tensor<2xi32>
  %1 = arith.trunci %s : tensor<2xi32> to tensor<2xi8>
  %t = arith.constant dense<[2, 1]> : tensor<2xi32>
  %2 = arith.trunci %t : tensor<2xi32> to tensor<2xi1>
  return %0, %1, %2 : tensor<2xi32>, tensor<2xi8>, tensor<2xi1>
}
