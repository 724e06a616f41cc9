// Squared distances are found however their parts are written, and under
// policy=accuracy all that computes them computes in f32, up to the result.
// RUN: npu-opt %s --npu-set-precision=policy=accuracy --split-input-file --remarks-filter=npu --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s
// No operation of them is left in f16 but what moves the operands and the result.
// RUN: FileCheck %s --check-prefix=TYPES --input-file=%t.mlir --implicit-check-not="addf {{.*}} : f16" --implicit-check-not="subf {{.*}} : f16" --implicit-check-not="mulf {{.*}} : f16"

// In one operation each, with broadcasts, a transpose, a maximum and a root.
// CHECK: remark: [Analysis] precision-pattern | Category:npu | Function=one_by_one | Reason="squared distances as |x|^2 - 2xy + |y|^2, of linalg.mul, linalg.square, linalg.reduce, linalg.reduce, linalg.matmul, linalg.mul, linalg.sub, linalg.add, linalg.max, linalg.sqrt, in f16: the squares overflow where the distance does not, and what rounding leaves of it is small where x is near y"
// CHECK: precision | Category:npu | Function=one_by_one | Reason="storage f32, intermediate f32, by policy=accuracy, squared distances as |x|^2 - 2xy + |y|^2"
// CHECK: precision | Category:npu | Function=one_by_one | Reason="storage f32, accumulation f32, intermediate f32, by policy=accuracy, squared
// CHECK: precision | Category:npu | Function=one_by_one | Reason="storage f16, intermediate f32, by policy=accuracy, squared
// TYPES-LABEL: func @one_by_one
// TYPES: linalg.reduce {{.*}} outs(%{{.*}} : tensor<8xf32>)
// TYPES: linalg.matmul {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x16xf16>, tensor<16x6xf16>) outs(%{{.*}} : tensor<8x6xf32>)
// TYPES: linalg.broadcast ins(%{{.*}} : tensor<8xf32>)
// TYPES: math.sqrt %{{.*}} : f32
// TYPES: arith.truncf
func.func @one_by_one(%x: tensor<8x16xf16>, %y: tensor<6x16xf16>) -> tensor<8x6xf16> {
  %zero = arith.constant 0.0 : f16
  %e8 = tensor.empty() : tensor<8xf16>
  %z8 = linalg.fill ins(%zero : f16) outs(%e8 : tensor<8xf16>) -> tensor<8xf16>
  %e6 = tensor.empty() : tensor<6xf16>
  %z6 = linalg.fill ins(%zero : f16) outs(%e6 : tensor<6xf16>) -> tensor<6xf16>
  %e = tensor.empty() : tensor<8x6xf16>
  %z = linalg.fill ins(%zero : f16) outs(%e : tensor<8x6xf16>) -> tensor<8x6xf16>
  %ex = tensor.empty() : tensor<8x16xf16>
  %ey = tensor.empty() : tensor<6x16xf16>
  %xx = linalg.mul ins(%x, %x : tensor<8x16xf16>, tensor<8x16xf16>) outs(%ex : tensor<8x16xf16>) -> tensor<8x16xf16>
  %yy = linalg.square ins(%y : tensor<6x16xf16>) outs(%ey : tensor<6x16xf16>) -> tensor<6x16xf16>
  %nx = linalg.reduce { arith.addf } ins(%xx : tensor<8x16xf16>) outs(%z8 : tensor<8xf16>) dimensions = [1]
  %ny = linalg.reduce { arith.addf } ins(%yy : tensor<6x16xf16>) outs(%z6 : tensor<6xf16>) dimensions = [1]
  %et = tensor.empty() : tensor<16x6xf16>
  %yt = linalg.transpose ins(%y : tensor<6x16xf16>) outs(%et : tensor<16x6xf16>) permutation = [1, 0]
  %p = linalg.matmul ins(%x, %yt : tensor<8x16xf16>, tensor<16x6xf16>) outs(%z : tensor<8x6xf16>) -> tensor<8x6xf16>
  %bx = linalg.broadcast ins(%nx : tensor<8xf16>) outs(%e : tensor<8x6xf16>) dimensions = [1]
  %by = linalg.broadcast ins(%ny : tensor<6xf16>) outs(%e : tensor<8x6xf16>) dimensions = [0]
  %two = arith.constant dense<2.0> : tensor<8x6xf16>
  %p2 = linalg.mul ins(%two, %p : tensor<8x6xf16>, tensor<8x6xf16>) outs(%e : tensor<8x6xf16>) -> tensor<8x6xf16>
  %s = linalg.sub ins(%bx, %p2 : tensor<8x6xf16>, tensor<8x6xf16>) outs(%e : tensor<8x6xf16>) -> tensor<8x6xf16>
  %d = linalg.add ins(%s, %by : tensor<8x6xf16>, tensor<8x6xf16>) outs(%e : tensor<8x6xf16>) -> tensor<8x6xf16>
  %r = linalg.max ins(%d, %z : tensor<8x6xf16>, tensor<8x6xf16>) outs(%e : tensor<8x6xf16>) -> tensor<8x6xf16>
  %q = linalg.sqrt ins(%r : tensor<8x6xf16>) outs(%e : tensor<8x6xf16>) -> tensor<8x6xf16>
  return %q : tensor<8x6xf16>
}

// -----

// Batches, norms as they are squared and added up in one operation, -2 folded
// into x, and one generic around it with the maximum in it.
// CHECK: precision-pattern | Category:npu | Function=in_batches | Reason="squared distances as |x|^2 - 2xy + |y|^2, of linalg.generic, linalg.generic, linalg.generic, linalg.batch_matmul, linalg.generic, in bf16
// TYPES-LABEL: func @in_batches
// TYPES: linalg.batch_matmul {{.*}} -> tensor<2x8x6xf32>
// TYPES: tensor.expand_shape %{{.*}} : tensor<2x8xf32>
// TYPES: arith.truncf %{{.*}} : f32 to bf16
#batch = affine_map<(b, i, k) -> (b, i, k)>
#row = affine_map<(b, i, k) -> (b, i)>
#one = affine_map<(b, i, j) -> (b, i, 0)>
#two = affine_map<(b, i, j) -> (b, j)>
#all = affine_map<(b, i, j) -> (b, i, j)>
func.func @in_batches(%x: tensor<2x8x16xbf16>, %y: tensor<2x16x6xbf16>) -> tensor<2x8x6xbf16> {
  %zero = arith.constant 0.0 : bf16
  %minus = arith.constant -2.0 : bf16
  %nx0 = arith.constant dense<0.0> : tensor<2x8xbf16>
  %ny0 = arith.constant dense<0.0> : tensor<2x6xbf16>
  %p0 = arith.constant dense<0.0> : tensor<2x8x6xbf16>
  %ex = tensor.empty() : tensor<2x8x16xbf16>
  %nx = linalg.generic {indexing_maps = [#batch, #row], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x : tensor<2x8x16xbf16>) outs(%nx0 : tensor<2x8xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %q = arith.mulf %in, %in : bf16
    %s = arith.addf %q, %out : bf16
    linalg.yield %s : bf16
  } -> tensor<2x8xbf16>
  %ny = linalg.generic {indexing_maps = [affine_map<(b, k, j) -> (b, k, j)>, affine_map<(b, k, j) -> (b, j)>], iterator_types = ["parallel", "reduction", "parallel"]}
    ins(%y : tensor<2x16x6xbf16>) outs(%ny0 : tensor<2x6xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %q = arith.mulf %in, %in : bf16
    %s = arith.addf %out, %q : bf16
    linalg.yield %s : bf16
  } -> tensor<2x6xbf16>
  %x2 = linalg.generic {indexing_maps = [#batch, #batch], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%x : tensor<2x8x16xbf16>) outs(%ex : tensor<2x8x16xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %q = arith.mulf %in, %minus : bf16
    linalg.yield %q : bf16
  } -> tensor<2x8x16xbf16>
  %p = linalg.batch_matmul ins(%x2, %y : tensor<2x8x16xbf16>, tensor<2x16x6xbf16>) outs(%p0 : tensor<2x8x6xbf16>) -> tensor<2x8x6xbf16>
  %nxe = tensor.expand_shape %nx [[0], [1, 2]] output_shape [2, 8, 1] : tensor<2x8xbf16> into tensor<2x8x1xbf16>
  %d = linalg.generic {indexing_maps = [#one, #two, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%nxe, %ny, %p : tensor<2x8x1xbf16>, tensor<2x6xbf16>, tensor<2x8x6xbf16>) outs(%p0 : tensor<2x8x6xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16, %out: bf16):
    %s = arith.addf %a, %b : bf16
    %d = arith.addf %s, %c : bf16
    %m = arith.maximumf %d, %zero : bf16
    linalg.yield %m : bf16
  } -> tensor<2x8x6xbf16>
  return %d : tensor<2x8x6xbf16>
}

// -----

// Rows with themselves, in one operation whose sum has all three terms.
// CHECK: precision-pattern | Category:npu | Function=fused | Reason="squared distances as |x|^2 - 2xy + |y|^2, of linalg.generic, in f16
// TYPES-LABEL: func @fused
// TYPES: addf %{{.*}} : f32
func.func @fused(%x: tensor<8x16xf16>) -> tensor<8x8xf16> {
  %init = arith.constant dense<0.0> : tensor<8x8xf16>
  %two = arith.constant 2.0 : f16
  %d = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %x : tensor<8x16xf16>, tensor<8x16xf16>) outs(%init : tensor<8x8xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %aa = arith.mulf %a, %a : f16
    %bb = arith.mulf %b, %b : f16
    %ab = arith.mulf %a, %b : f16
    %ab2 = arith.mulf %ab, %two : f16
    %s = arith.subf %aa, %ab2 : f16
    %d = arith.addf %s, %bb : f16
    %r = arith.addf %out, %d : f16
    linalg.yield %r : f16
  } -> tensor<8x8xf16>
  return %d : tensor<8x8xf16>
}

// -----

// A model that adds up in f32 already and rounds each part: the casts between go.
// CHECK: precision-pattern | Category:npu | Function=rounded_between
// TYPES-LABEL: func @rounded_between
// TYPES: %[[P:.*]] = linalg.matmul {{.*}} -> tensor<8x6xf32>
// TYPES-NOT: arith.truncf
// TYPES: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %[[P]] : tensor<8xf32>, tensor<6xf32>, tensor<8x6xf32>)
// TYPES: arith.truncf
#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
#c = affine_map<(i, j) -> (j)>
func.func @rounded_between(%x: tensor<8x16xf16>, %y: tensor<6x16xf16>) -> tensor<8x6xf16> {
  %nx0 = arith.constant dense<0.0> : tensor<8xf32>
  %ny0 = arith.constant dense<0.0> : tensor<6xf32>
  %p0 = arith.constant dense<0.0> : tensor<8x6xf32>
  %e = tensor.empty() : tensor<8x6xf16>
  %two = arith.constant 2.0 : f16
  %nx = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf16>) outs(%nx0 : tensor<8xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    %q = arith.mulf %w, %w : f32
    %s = arith.addf %q, %out : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %ny = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<6x16xf16>) outs(%ny0 : tensor<6xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    %q = arith.mulf %w, %w : f32
    %s = arith.addf %q, %out : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%x, %y : tensor<8x16xf16>, tensor<6x16xf16>) outs(%p0 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %short = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x6xf32>) outs(%e : tensor<8x6xf16>) {
  ^bb0(%in: f32, %out: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  } -> tensor<8x6xf16>
  %d = linalg.generic {indexing_maps = [#r, #c, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%nx, %ny, %short : tensor<8xf32>, tensor<6xf32>, tensor<8x6xf16>) outs(%e : tensor<8x6xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f16, %out: f16):
    %sa = arith.truncf %a : f32 to f16
    %sb = arith.truncf %b : f32 to f16
    %s = arith.addf %sa, %sb : f16
    %t = arith.mulf %c, %two : f16
    %r = arith.subf %s, %t : f16
    linalg.yield %r : f16
  } -> tensor<8x6xf16>
  return %d : tensor<8x6xf16>
}
