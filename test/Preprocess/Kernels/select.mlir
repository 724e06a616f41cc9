// Positions get a type that the kernel of the device takes: what constants and
// ranges say of them, or else what they may be at most.

// RUN: npu-opt %s --npu-select-kernels=target=npu4000 --remarks-filter=npu --remark-format=emitRemark 2>&1 >%t.mlir | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: npu-opt %t.mlir --npu-select-kernels=target=npu4000 | diff %t.mlir -

// The case of a field log: data of f16, positions of i64.
// SAID: no kernel: index type i64; narrowed to i32 (largest index 172031)
// CHECK-LABEL: @field
// CHECK: %[[AT:.*]] = arith.constant dense<{{.*}}> : tensor<2x1xi32>
// CHECK: npu.scatter %{{.*}} into %{{.*}} at %[[AT]]
func.func @field(%data: tensor<172032xf16>, %new: tensor<2xf16>) -> tensor<172032xf16> {
  %at = arith.constant dense<[[172031], [7]]> : tensor<2x1xi64>
  %r = npu.scatter %new into %data at %at
      : tensor<2xf16>, tensor<172032xf16>, tensor<2x1xi64> -> tensor<172032xf16>
  return %r : tensor<172032xf16>
}

// Nothing is known of the positions, but those beyond the data are an error.
// SAID: no kernel: index type i64; narrowed to i32 (largest index 172031, bounded)
// CHECK-LABEL: @unknown
// CHECK-SAME: %[[GIVEN:[a-z0-9]*]]: tensor<3x1xi64>
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[GIVEN]] : tensor<3x1xi64>)
// CHECK-SAME: tensor<3x1xi32>
// CHECK: %[[LEAST:.*]] = arith.constant -172033
// CHECK: %[[ABOVE:.*]] = arith.maxsi %{{.*}}, %[[LEAST]]
// CHECK: %[[MOST:.*]] = arith.constant 172032
// CHECK: %[[BETWEEN:.*]] = arith.minsi %[[ABOVE]], %[[MOST]]
// CHECK: arith.trunci %[[BETWEEN]] : i64 to i32
func.func @unknown(%at: tensor<3x1xi64>, %data: tensor<172032xf16>) -> tensor<3xf16> {
  %r = npu.gather %data at %at : tensor<172032xf16>, tensor<3x1xi64> -> tensor<3xf16>
  return %r : tensor<3xf16>
}

// What a structured operation computes of entries.
// SAID: no kernel: index type index; narrowed to i32 (largest index 17)
// CHECK-LABEL: @computed
// CHECK-NOT: arith.maxsi
// CHECK: arith.index_cast %{{.*}} : tensor<8x1xindex> to tensor<8x1xi32>
func.func @computed(%data: tensor<64xf16>, %given: tensor<8x1xi64>) -> tensor<8xf16> {
  %e = tensor.empty() : tensor<8x1xindex>
  %at = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                        iterator_types = ["parallel", "parallel"]}
      ins(%given : tensor<8x1xi64>) outs(%e : tensor<8x1xindex>) {
  ^bb0(%in: i64, %out: index):
    %three = arith.constant 3 : i64
    %few = arith.andi %in, %three : i64
    %0 = arith.index_cast %few : i64 to index
    %1 = linalg.index 0 : index
    %two = arith.constant 2 : index
    %2 = arith.muli %1, %two : index
    %3 = arith.addi %0, %2 : index
    linalg.yield %3 : index
  } -> tensor<8x1xindex>
  %r = npu.gather %data at %at : tensor<64xf16>, tensor<8x1xindex> -> tensor<8xf16>
  return %r : tensor<8xf16>
}

// A position that no type of the row holds.
// CHECK-LABEL: @far
// CHECK: npu.gather {{.*}}npu.host = "no kernel: index type i64; the row takes i32, i16, i8"
func.func @far(%at: tensor<3x1xi64>, %data: tensor<4294967296xi8>) -> tensor<3xi8> {
  %r = npu.gather %data at %at : tensor<4294967296xi8>, tensor<3x1xi64> -> tensor<3xi8>
  return %r : tensor<3xi8>
}

// Any i8 is an i32.
// CHECK-LABEL: @wider
// CHECK: arith.extsi %{{.*}} : tensor<3x1xi1> to tensor<3x1xi32>
func.func @wider(%at: tensor<3x1xi1>, %data: tensor<1000xf16>) -> tensor<3xf16> {
  %r = npu.gather %data at %at : tensor<1000xf16>, tensor<3x1xi1> -> tensor<3xf16>
  return %r : tensor<3xf16>
}
