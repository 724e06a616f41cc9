// Positions that a body computes in many operations, each of which reads the one before it twice:
// all of them are looked at once, where there are 2^40 paths from the position to the data.
//
// RUN: npu-opt %s --npu-assign-distributions --npu-mark-cycles | FileCheck %s
// CHECK: npu.load_cycles

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "npu3720">>} {
func.func @main(%table: tensor<1024x64xf16>, %ids: tensor<8xi64>) -> tensor<8x64xf16> {
  %empty = tensor.empty() : tensor<8x64xf16>
  %rows = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<8xi64>) outs(%empty : tensor<8x64xf16>) {
  ^bb0(%id: i64, %old: f16):
    %0 = arith.index_cast %id : i64 to index
    %1 = arith.andi %0, %0 : index
    %2 = arith.andi %1, %1 : index
    %3 = arith.andi %2, %2 : index
    %4 = arith.andi %3, %3 : index
    %5 = arith.andi %4, %4 : index
    %6 = arith.andi %5, %5 : index
    %7 = arith.andi %6, %6 : index
    %8 = arith.andi %7, %7 : index
    %9 = arith.andi %8, %8 : index
    %10 = arith.andi %9, %9 : index
    %11 = arith.andi %10, %10 : index
    %12 = arith.andi %11, %11 : index
    %13 = arith.andi %12, %12 : index
    %14 = arith.andi %13, %13 : index
    %15 = arith.andi %14, %14 : index
    %16 = arith.andi %15, %15 : index
    %17 = arith.andi %16, %16 : index
    %18 = arith.andi %17, %17 : index
    %19 = arith.andi %18, %18 : index
    %20 = arith.andi %19, %19 : index
    %21 = arith.andi %20, %20 : index
    %22 = arith.andi %21, %21 : index
    %23 = arith.andi %22, %22 : index
    %24 = arith.andi %23, %23 : index
    %25 = arith.andi %24, %24 : index
    %26 = arith.andi %25, %25 : index
    %27 = arith.andi %26, %26 : index
    %28 = arith.andi %27, %27 : index
    %29 = arith.andi %28, %28 : index
    %30 = arith.andi %29, %29 : index
    %31 = arith.andi %30, %30 : index
    %32 = arith.andi %31, %31 : index
    %33 = arith.andi %32, %32 : index
    %34 = arith.andi %33, %33 : index
    %35 = arith.andi %34, %34 : index
    %36 = arith.andi %35, %35 : index
    %37 = arith.andi %36, %36 : index
    %38 = arith.andi %37, %37 : index
    %39 = arith.andi %38, %38 : index
    %40 = arith.andi %39, %39 : index
    %column = linalg.index 1 : index
    %entry = tensor.extract %table[%40, %column] : tensor<1024x64xf16>
    linalg.yield %entry : f16
  } -> tensor<8x64xf16>
  return %rows : tensor<8x64xf16>
}
}
