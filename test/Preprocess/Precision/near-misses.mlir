// What looks like a pattern and is none stays as it is: an error here would
// change results that nobody asked to change.
// RUN: npu-opt %s --npu-set-precision=policy=accuracy --split-input-file --verify-diagnostics -o %t.mlir
// RUN: npu-opt %s --split-input-file -o %t.plain.mlir
// RUN: diff %t.plain.mlir %t.mlir
// RUN: npu-opt %s --npu-set-precision --split-input-file --remarks-filter=npu --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --allow-empty
// CHECK-NOT: precision-pattern

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#made = affine_map<(i, j, k) -> (i, j)>

// 3xy.
// expected-warning@+1 {{policy=accuracy changes nothing}}
module {
  func.func @three(%x: tensor<8x16xf16>) -> tensor<8x8xf16> {
    %n0 = arith.constant dense<0.0> : tensor<8xf16>
    %p0 = arith.constant dense<0.0> : tensor<8x8xf16>
    %three = arith.constant 3.0 : f16
    %n = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf16>) outs(%n0 : tensor<8xf16>) {
    ^bb0(%in: f16, %out: f16):
      %q = arith.mulf %in, %in : f16
      %s = arith.addf %out, %q : f16
      linalg.yield %s : f16
    } -> tensor<8xf16>
    %p = linalg.matmul indexing_maps = [#left, #right, #made] ins(%x, %x : tensor<8x16xf16>, tensor<8x16xf16>) outs(%p0 : tensor<8x8xf16>) -> tensor<8x8xf16>
    %d = linalg.generic {indexing_maps = [#r, #c, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%n, %n, %p : tensor<8xf16>, tensor<8xf16>, tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) {
    ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
      %t = arith.mulf %c, %three : f16
      %s = arith.subf %a, %t : f16
      %d = arith.addf %s, %b : f16
      linalg.yield %d : f16
    } -> tensor<8x8xf16>
    return %d : tensor<8x8xf16>
  }
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#made = affine_map<(i, j, k) -> (i, j)>

// Plus 2xy: nothing cancels where x is near y.
// expected-warning@+1 {{policy=accuracy changes nothing}}
module {
  func.func @plus(%x: tensor<8x16xf16>) -> tensor<8x8xf16> {
    %n0 = arith.constant dense<0.0> : tensor<8xf16>
    %p0 = arith.constant dense<0.0> : tensor<8x8xf16>
    %two = arith.constant 2.0 : f16
    %n = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf16>) outs(%n0 : tensor<8xf16>) {
    ^bb0(%in: f16, %out: f16):
      %q = arith.mulf %in, %in : f16
      %s = arith.addf %out, %q : f16
      linalg.yield %s : f16
    } -> tensor<8xf16>
    %p = linalg.matmul indexing_maps = [#left, #right, #made] ins(%x, %x : tensor<8x16xf16>, tensor<8x16xf16>) outs(%p0 : tensor<8x8xf16>) -> tensor<8x8xf16>
    %d = linalg.generic {indexing_maps = [#r, #c, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%n, %n, %p : tensor<8xf16>, tensor<8xf16>, tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) {
    ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
      %t = arith.mulf %c, %two : f16
      %s = arith.addf %a, %t : f16
      %d = arith.addf %s, %b : f16
      linalg.yield %d : f16
    } -> tensor<8x8xf16>
    return %d : tensor<8x8xf16>
  }
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#made = affine_map<(i, j, k) -> (i, j)>

// The norms are those of z.
// expected-warning@+1 {{policy=accuracy changes nothing}}
module {
  func.func @of_another(%x: tensor<8x16xf16>, %z: tensor<8x16xf16>) -> tensor<8x8xf16> {
    %n0 = arith.constant dense<0.0> : tensor<8xf16>
    %p0 = arith.constant dense<0.0> : tensor<8x8xf16>
    %two = arith.constant 2.0 : f16
    %n = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%z : tensor<8x16xf16>) outs(%n0 : tensor<8xf16>) {
    ^bb0(%in: f16, %out: f16):
      %q = arith.mulf %in, %in : f16
      %s = arith.addf %out, %q : f16
      linalg.yield %s : f16
    } -> tensor<8xf16>
    %p = linalg.matmul indexing_maps = [#left, #right, #made] ins(%x, %x : tensor<8x16xf16>, tensor<8x16xf16>) outs(%p0 : tensor<8x8xf16>) -> tensor<8x8xf16>
    %d = linalg.generic {indexing_maps = [#r, #c, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%n, %n, %p : tensor<8xf16>, tensor<8xf16>, tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) {
    ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
      %t = arith.mulf %c, %two : f16
      %s = arith.subf %a, %t : f16
      %d = arith.addf %s, %b : f16
      linalg.yield %d : f16
    } -> tensor<8x8xf16>
    return %d : tensor<8x8xf16>
  }
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#made = affine_map<(i, j, k) -> (i, j)>

// The norms are those of columns, and the product is that of rows.
// expected-warning@+1 {{policy=accuracy changes nothing}}
module {
  func.func @of_columns(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    %n0 = arith.constant dense<0.0> : tensor<8xf16>
    %p0 = arith.constant dense<0.0> : tensor<8x8xf16>
    %two = arith.constant 2.0 : f16
    %n = linalg.generic {indexing_maps = [affine_map<(i, k) -> (k, i)>, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf16>) outs(%n0 : tensor<8xf16>) {
    ^bb0(%in: f16, %out: f16):
      %q = arith.mulf %in, %in : f16
      %s = arith.addf %out, %q : f16
      linalg.yield %s : f16
    } -> tensor<8xf16>
    %p = linalg.matmul indexing_maps = [#left, #right, #made] ins(%x, %x : tensor<8x8xf16>, tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) -> tensor<8x8xf16>
    %d = linalg.generic {indexing_maps = [#r, #c, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%n, %n, %p : tensor<8xf16>, tensor<8xf16>, tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) {
    ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
      %t = arith.mulf %c, %two : f16
      %s = arith.subf %a, %t : f16
      %d = arith.addf %s, %b : f16
      linalg.yield %d : f16
    } -> tensor<8x8xf16>
    return %d : tensor<8x8xf16>
  }
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#made = affine_map<(i, j, k) -> (i, j)>

// Both norms are those of row i.
// expected-warning@+1 {{policy=accuracy changes nothing}}
module {
  func.func @of_one_row(%x: tensor<8x16xf16>) -> tensor<8x8xf16> {
    %n0 = arith.constant dense<0.0> : tensor<8xf16>
    %p0 = arith.constant dense<0.0> : tensor<8x8xf16>
    %two = arith.constant 2.0 : f16
    %n = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf16>) outs(%n0 : tensor<8xf16>) {
    ^bb0(%in: f16, %out: f16):
      %q = arith.mulf %in, %in : f16
      %s = arith.addf %out, %q : f16
      linalg.yield %s : f16
    } -> tensor<8xf16>
    %p = linalg.matmul indexing_maps = [#left, #right, #made] ins(%x, %x : tensor<8x16xf16>, tensor<8x16xf16>) outs(%p0 : tensor<8x8xf16>) -> tensor<8x8xf16>
    %d = linalg.generic {indexing_maps = [#r, #r, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%n, %n, %p : tensor<8xf16>, tensor<8xf16>, tensor<8x8xf16>) outs(%p0 : tensor<8x8xf16>) {
    ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
      %t = arith.mulf %c, %two : f16
      %s = arith.subf %a, %t : f16
      %d = arith.addf %s, %b : f16
      linalg.yield %d : f16
    } -> tensor<8x8xf16>
    return %d : tensor<8x8xf16>
  }
}

// -----

// The mean of squares minus the square of a mean of half as many: no variance.
// expected-warning@+1 {{policy=accuracy changes nothing}}
module {
  func.func @other_count(%x: tensor<8x16xf16>) -> (tensor<8xf16>, tensor<8xf16>) {
    %n0 = arith.constant dense<0.0> : tensor<8xf16>
    %count = arith.constant 16.0 : f16
    %half = arith.constant 8.0 : f16
    %s = linalg.reduce { arith.addf } ins(%x : tensor<8x16xf16>) outs(%n0 : tensor<8xf16>) dimensions = [1]
    %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf16>) outs(%n0 : tensor<8xf16>) {
    ^bb0(%in: f16, %out: f16):
      %square = arith.mulf %in, %in : f16
      %next = arith.addf %out, %square : f16
      linalg.yield %next : f16
    } -> tensor<8xf16>
    %v = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s, %q : tensor<8xf16>, tensor<8xf16>) outs(%n0 : tensor<8xf16>) {
    ^bb0(%a: f16, %b: f16, %out: f16):
      %m = arith.divf %a, %half : f16
      %mm = arith.mulf %m, %m : f16
      %e = arith.divf %b, %count : f16
      %apart = arith.subf %e, %mm : f16
      linalg.yield %apart : f16
    } -> tensor<8xf16>
    return %s, %v : tensor<8xf16>, tensor<8xf16>
  }
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>

// A softmax with its maximum, and one that divides by the sum of other rows.
// expected-warning@+1 {{policy=accuracy changes nothing}}
module {
  func.func @with_maximum(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    %low = arith.constant dense<0xFC00> : tensor<8xf16>
    %n0 = arith.constant dense<0.0> : tensor<8xf16>
    %empty = tensor.empty() : tensor<8x8xf16>
    %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x8xf16>) outs(%low : tensor<8xf16>) dimensions = [1]
    %e = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<8x8xf16>, tensor<8xf16>) outs(%empty : tensor<8x8xf16>) {
    ^bb0(%in: f16, %m: f16, %out: f16):
      %s = arith.subf %in, %m : f16
      %e = math.exp %s : f16
      linalg.yield %e : f16
    } -> tensor<8x8xf16>
    %sum = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf16>) outs(%n0 : tensor<8xf16>) dimensions = [1]
    %p = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %sum : tensor<8x8xf16>, tensor<8xf16>) outs(%empty : tensor<8x8xf16>) {
    ^bb0(%in: f16, %s: f16, %out: f16):
      %d = arith.divf %in, %s : f16
      linalg.yield %d : f16
    } -> tensor<8x8xf16>
    return %p : tensor<8x8xf16>
  }
  func.func @of_other_rows(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    %n0 = arith.constant dense<0.0> : tensor<8xf16>
    %empty = tensor.empty() : tensor<8x8xf16>
    %e = linalg.exp ins(%x : tensor<8x8xf16>) outs(%empty : tensor<8x8xf16>) -> tensor<8x8xf16>
    %sum = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf16>) outs(%n0 : tensor<8xf16>) dimensions = [1]
    %p = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %sum : tensor<8x8xf16>, tensor<8xf16>) outs(%empty : tensor<8x8xf16>) {
    ^bb0(%in: f16, %s: f16, %out: f16):
      %d = arith.divf %in, %s : f16
      linalg.yield %d : f16
    } -> tensor<8x8xf16>
    return %p : tensor<8x8xf16>
  }
}
