// TOSA is lowered one operation at a time: upstream's passes fold and merge what
// stands beside it, and one constant, or one tensor, of two tiles lies on one of
// them. Operations that upstream lowers in several steps run, too.
//
// RUN: npu-opt %s --npu-legalize-distributions -o %t
// RUN: %python %S/../../Inputs/run_every_entry.py %t %s | FileCheck %s
// RUN: %python %S/../../Inputs/run_every_entry.py %t %s --tiles=parallel | FileCheck %s
// CHECK-NOT: : {{[^e]}}
// CHECK: branches: equal
// CHECK: in_a_loop: equal
// CHECK: chosen: equal
// CHECK: scattered: equal
// CHECK: rescaled: equal
// CHECK: transposed_conv: equal
// RUN: npu-run %s --entry=chosen --inputs=iota | FileCheck %s --check-prefix=CHOSEN
// RUN: npu-run %s --entry=scattered --inputs=iota | FileCheck %s --check-prefix=SCATTERED
// RUN: npu-run %s --entry=rescaled --inputs=iota | FileCheck %s --check-prefix=RESCALED
// RUN: npu-run %s --entry=transposed_conv --inputs=iota | FileCheck %s --check-prefix=CONV

#rows = #npu.layout<SEGMENTED, tiles = [2]>

// Both tiles have the constant, and yield it.
func.func @branches(%x: tensor<8xi32, #rows>, %c: i1, %z: tensor<4xf32>) -> (tensor<8xi32, #rows>, tensor<4xf32>) {
  %k = arith.constant dense<3> : tensor<8xi32, #rows>
  %r = scf.if %c -> tensor<8xi32, #rows> {
    scf.yield %k : tensor<8xi32, #rows>
  } else {
    %s = arith.addi %x, %k : tensor<8xi32, #rows>
    scf.yield %s : tensor<8xi32, #rows>
  }
  %s = arith.select %c, %r, %k : tensor<8xi32, #rows>
  %t = tosa.tanh %z : (tensor<4xf32>) -> tensor<4xf32>
  return %s, %t : tensor<8xi32, #rows>, tensor<4xf32>
}

// On tiles, TOSA falls back to the host, a constant with a layout included.
func.func @in_a_loop(%x: tensor<4xf32, #rows>) -> tensor<4xf32, #rows> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %k = "tosa.const"() <{values = dense<1.0> : tensor<4xf32, #rows>}> : () -> tensor<4xf32, #rows>
  %two = arith.constant dense<2.0> : tensor<4xf32, #rows>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32, #rows> {
    %s = tosa.add %a, %k : (tensor<4xf32, #rows>, tensor<4xf32, #rows>) -> tensor<4xf32, #rows>
    %t = tosa.tanh %s : (tensor<4xf32, #rows>) -> tensor<4xf32, #rows>
    %u = arith.addf %t, %two : tensor<4xf32, #rows>
    scf.yield %u : tensor<4xf32, #rows>
  }
  return %r : tensor<4xf32, #rows>
}

// The first input counts 0, which is false.
// CHOSEN: result #0 2xi32: 1 2
func.func @chosen(%c: tensor<i1>, %x: tensor<2xi32>) -> tensor<2xi32> {
  %one = "tosa.const"() <{values = dense<1> : tensor<2xi32>}> : () -> tensor<2xi32>
  %r = tosa.cond_if %c (%a = %x) : tensor<i1> (tensor<2xi32>) -> tensor<2xi32> {
  ^bb0(%a: tensor<2xi32>):
    tosa.yield %a : tensor<2xi32>
  } else {
  ^bb0(%a: tensor<2xi32>):
    %s = tosa.add %a, %one : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    tosa.yield %s : tensor<2xi32>
  }
  return %r : tensor<2xi32>
}

// Rows 0 and 1 become the two of %y. No index lies outside.
// SCATTERED: result #0 1x3x1xf32: 0 1 2
func.func @scattered(%x: tensor<1x3x1xf32>, %i: tensor<1x2xi32>, %y: tensor<1x2x1xf32>) -> tensor<1x3x1xf32> {
  %one = arith.constant dense<1> : tensor<1x2xi32>
  %in = arith.andi %i, %one : tensor<1x2xi32>
  %r = tosa.scatter %x, %in, %y : (tensor<1x3x1xf32>, tensor<1x2xi32>, tensor<1x2x1xf32>) -> tensor<1x3x1xf32>
  return %r : tensor<1x3x1xf32>
}

// Times 2^30, shifted by 29.
// RESCALED: result #0 4xi32: 0 2 4 6
func.func @rescaled(%x: tensor<4xi8>) -> tensor<4xi32> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<29> : tensor<1xi8>}> : () -> tensor<1xi8>
  %from = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %to = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %r = tosa.rescale %x, %m, %s, %from, %to {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false}
      : (tensor<4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// [0 1] by [0 1], all terms.
// CONV: result #0 1x1x3x1xf32: 0 0 1
func.func @transposed_conv(%x: tensor<1x1x2x1xf32>, %w: tensor<1x1x2x1xf32>) -> tensor<1x1x3x1xf32> {
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %r = tosa.transpose_conv2d %x, %w, %zero, %zero, %zero {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3x1xf32>
  return %r : tensor<1x1x3x1xf32>
}
