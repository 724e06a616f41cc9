// Errors beside values: what the rewritten functions look like, and that what no
// rule knows is listed. That the bounds hold is tested by running random programs.
//
// RUN: npu-opt %s --npu-track-rounding-errors=exact=0 --split-input-file --canonicalize --mlir-print-local-scope | FileCheck %s

// The pass's example: one rounding of f16, by 2^-11 of the sum and a little for f64
// itself, up to where f16 overflows.
// CHECK-LABEL: func.func @double(%arg0: f16) -> (f64, f64, f64)
// CHECK-DAG: %[[UNIT:.*]] = arith.constant 4.959{{.*}}E-4 : f64
// CHECK-DAG: %[[MOST:.*]] = arith.constant 65519.99{{.*}} : f64
// CHECK: %[[X:.*]] = arith.extf %arg0 : f16 to f64
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %{{.*}} : f64
// CHECK: %[[SIZE:.*]] = math.absf %[[SUM]] : f64
// CHECK: arith.mulf %[[SIZE]], %[[UNIT]] : f64
// CHECK: arith.cmpf ult, %[[SIZE]], %[[MOST]]
// CHECK: return %[[SUM]], %{{.*}}, %{{.*}} : f64, f64, f64
func.func @double(%x: f16) -> f16 {
  %0 = arith.addf %x, %x : f16
  return %0 : f16
}

// -----

// A tensor without errors stays in its type, one with errors becomes two; what only
// moves elements moves both.
// CHECK-LABEL: func.func @moves(%arg0: tensor<4xf16>, %arg1: tensor<4xf64>, %arg2: tensor<4xf64>)
// CHECK: %[[EXACT:.*]] = tensor.extract_slice %arg0[0] [2] [1] : tensor<4xf16> to tensor<2xf16>
// CHECK: %[[VALUE:.*]] = tensor.extract_slice %arg1[2] [2] [1] : tensor<4xf64> to tensor<2xf64>
// CHECK: %[[ERROR:.*]] = tensor.extract_slice %arg2[2] [2] [1] : tensor<4xf64> to tensor<2xf64>
func.func @moves(%x: tensor<4xf16>, %y: tensor<4xf16>) -> (tensor<2xf16>, tensor<2xf16>) {
  %0 = tensor.extract_slice %x[0] [2] [1] : tensor<4xf16> to tensor<2xf16>
  %1 = tensor.extract_slice %y[2] [2] [1] : tensor<4xf16> to tensor<2xf16>
  return %0, %1 : tensor<2xf16>, tensor<2xf16>
}

// -----

// Sums of integers are also computed where they do not wrap around: with signs, or
// where that leaves the type and the sum without signs does not, without.
// CHECK-LABEL: func.func @integers(%arg0: i8, %arg1: i8, %arg2: f64) -> (i8, f64, f64)
// CHECK-DAG: %[[SUM:.*]] = arith.addi %arg0, %arg1 : i8
// CHECK-DAG: %[[A:.*]] = arith.sitofp %arg0 : i8 to f64
// CHECK-DAG: %[[B:.*]] = arith.sitofp %arg1 : i8 to f64
// CHECK: %[[SIGNED:.*]] = arith.addf %[[A]], %[[B]] : f64
// CHECK-DAG: %[[C:.*]] = arith.uitofp %arg0 : i8 to f64
// CHECK-DAG: %[[D:.*]] = arith.uitofp %arg1 : i8 to f64
// CHECK: %[[PLAIN:.*]] = arith.addf %[[C]], %[[D]] : f64
// CHECK: %[[OTHER:.*]] = arith.select %{{.*}}, %[[PLAIN]], %[[SIGNED]] : f64
// CHECK: %[[WIDE:.*]] = arith.select %{{.*}}, %[[SIGNED]], %[[OTHER]] : f64
// CHECK: return %[[SUM]], %[[WIDE]], %arg2 : i8, f64, f64
func.func @integers(%x: i8, %y: i8) -> i8 {
  %0 = arith.addi %x, %y : i8
  return %0 : i8
}

// -----

// CHECK-LABEL: func.func @unknown
// CHECK-SAME: attributes {not_tracked = ["math.tan"]}
func.func @unknown(%x: f32, %y: f32) -> f32 {
  %0 = math.tan %y : f32
  return %0 : f32
}
