// A scatter writes tuple after tuple, so that of the same position the later one counts; a
// negative coordinate counts from the end of its own dimension; one that is not there ends
// the run at the operation, on tiles as on the host. test/positions.py has random ones.
//
// RUN: npu-run %s --entry=twice --inputs=iota -O0 | FileCheck %s --check-prefix=TWICE
// RUN: npu-run %s --entry=last --inputs=iota -O0 | FileCheck %s --check-prefix=LAST
// RUN: not npu-run %s --entry=beyond --inputs=iota -O0 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: npu-opt %s --npu-compile="target=npu4000 tiles=2 compile-to=tiles" -o %t.mlir
// RUN: FileCheck %s --check-prefix=TILES --input-file=%t.mlir
// RUN: npu-run %t.mlir --reference=%s --entry=twice --inputs=iota -O0
// RUN: npu-run %t.mlir --reference=%s --entry=last --inputs=iota -O0
// RUN: not npu-run %t.mlir --entry=beyond --inputs=iota -O0 2>&1 | FileCheck %s --check-prefix=NOT-THERE
// RUN: npu-opt %s --npu-lower-to-tiles | npu-run - --entry=rows --reference=%s --inputs=iota -O0
// RUN: npu-opt %s --npu-lower-to-tiles | FileCheck %s --check-prefix=ROWS

// RUN: npu-opt %s --npu-lower-to-tiles | not npu-run - --entry=outside --inputs=iota -O0 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// A gather moves the entries that it takes, of their own width, and not the table: 4,161
// cycles, and 512 * 128 entries loaded and stored at 13.807 each cycle.
//
// RUN: npu-opt %s --npu-print-costs=target=npu4000 -o /dev/null | FileCheck %s --check-prefix=COSTS
// COSTS-LABEL: function @table
// COSTS: 13655 operation npu.gather

// TWICE: result #0 4x2xf32: 0 1 2 3 4 5 4 5
// TILES-LABEL: @twice
// TILES: npu.scatter {{.*}}npu.tile = 0
func.func @twice(%x: tensor<4x2xf32>, %new: tensor<3x2xf32>) -> tensor<4x2xf32> {
  %at = arith.constant dense<[[3], [0], [3]]> : tensor<3x1xi32>
  %moved = arith.constant dense<[[1], [0], [2]]> : tensor<3x1xi32>
  // Row 3 is (2, 3) first and then (4, 5).
  %0 = npu.gather %new at %moved : tensor<3x2xf32>, tensor<3x1xi32> -> tensor<3x2xf32>
  %1 = npu.scatter %0 into %x at %at : tensor<3x2xf32>, tensor<4x2xf32>, tensor<3x1xi32> -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// LAST: result #0 2x3xf32: 0 1 0 3 4 1
func.func @last(%x: tensor<2x3xf32>, %new: tensor<2xf32>) -> tensor<2x3xf32> {
  %at = arith.constant dense<[[0, -1], [-1, 2]]> : tensor<2x2xi8>
  %0 = npu.scatter %new into %x at %at : tensor<2xf32>, tensor<2x3xf32>, tensor<2x2xi8> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// NOT-THERE: error: assertion failed: expected an index of the 4 entries of dimension 0
// BEYOND: order.mlir:[[#@LINE+4]]:{{.*}}error: assertion failed: expected an index of the 4 entries of dimension 0
func.func @beyond(%x: tensor<4x2xf32>, %by: tensor<2x1xi32>) -> tensor<2x2xf32> {
  %base = arith.constant dense<[[1], [-6]]> : tensor<2x1xi32>
  %at = arith.addi %base, %by : tensor<2x1xi32>
  %0 = npu.gather %x at %at : tensor<4x2xf32>, tensor<2x1xi32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

#all = #npu.layout<DUPLICATED, tiles = 2>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// Each tile looks for the updates of its own rows.
// ROWS-LABEL: @rows
// ROWS-DAG: npu.scatter {{.*}}origin = array<i64: 2>, whole = array<i64: 4>
// ROWS-DAG: npu.scatter {{.*}}origin = array<i64: 0>, whole = array<i64: 4>
func.func @rows(%x: tensor<4x2xf32>, %new: tensor<3x2xf32>) -> tensor<4x2xf32> {
  %at = arith.constant dense<[[3], [0], [-1]]> : tensor<3x1xi32>
  %0 = npu.redistribute %at : tensor<3x1xi32> to tensor<3x1xi32, #all>
  %1 = npu.redistribute %new : tensor<3x2xf32> to tensor<3x2xf32, #all>
  %2 = npu.redistribute %x : tensor<4x2xf32> to tensor<4x2xf32, #rows>
  %3 = npu.scatter %1 into %2 at %0 : tensor<3x2xf32, #all>, tensor<4x2xf32, #rows>, tensor<3x1xi32, #all> -> tensor<4x2xf32, #rows>
  %4 = npu.redistribute %3 : tensor<4x2xf32, #rows> to tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

// OUTSIDE: error: assertion failed: expected an index of the 4 entries of dimension 0
func.func @outside(%x: tensor<4x2xf32>, %new: tensor<2x2xf32>) -> tensor<4x2xf32> {
  %at = arith.constant dense<[[3], [4]]> : tensor<2x1xi32>
  %0 = npu.redistribute %at : tensor<2x1xi32> to tensor<2x1xi32, #all>
  %1 = npu.redistribute %new : tensor<2x2xf32> to tensor<2x2xf32, #all>
  %2 = npu.redistribute %x : tensor<4x2xf32> to tensor<4x2xf32, #rows>
  %3 = npu.scatter %1 into %2 at %0 : tensor<2x2xf32, #all>, tensor<4x2xf32, #rows>, tensor<2x1xi32, #all> -> tensor<4x2xf32, #rows>
  %4 = npu.redistribute %3 : tensor<4x2xf32, #rows> to tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

func.func @table(%x: tensor<400x256xf16, #columns>, %at: tensor<512x1xi32, #all>) -> tensor<512x256xf16, #columns> {
  %0 = npu.gather %x at %at : tensor<400x256xf16, #columns>, tensor<512x1xi32, #all> -> tensor<512x256xf16, #columns>
  return %0 : tensor<512x256xf16, #columns>
}
