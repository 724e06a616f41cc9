// Every kind of operation over the prompt, padded to 8 with poison, is bit-equal
// at every length to the function without padding: one compiled function each.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.right.mlir %s --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison" -o %t.left.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.left.mlir %s --length=1..8 -O0 | FileCheck %s
//
// Each mask is needed: with the first or the second of every function taken away,
// poison reaches the result. (But for that of cumulative_sum: entries that are not
// before this one are 0.0 there, and no sum is -0.0.)
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison without-mask=0" -o %t.right0.mlir
// RUN: not %python %S/../../Inputs/run_every_entry.py %t.right0.mlir %s --length=5 -O0 | FileCheck %s --check-prefix=FIRST
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison without-mask=0" -o %t.left0.mlir
// RUN: not %python %S/../../Inputs/run_every_entry.py %t.left0.mlir %s --length=5 -O0 | FileCheck %s --check-prefix=FIRST
// FIRST: mean: different
// FIRST: log_sum_exp: different
// FIRST: contraction: different
// FIRST: arg_max: different
// FIRST: after_cache: different
// FIRST: before_others: different
// FIRST: folded: different
// FIRST: norm_then_pool: different
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison without-mask=1" -o %t.right1.mlir
// RUN: not %python %S/../../Inputs/run_every_entry.py %t.right1.mlir %s --length=5 -O0 | FileCheck %s --check-prefix=SECOND
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison without-mask=1" -o %t.left1.mlir
// RUN: not %python %S/../../Inputs/run_every_entry.py %t.left1.mlir %s --length=5 -O0 | FileCheck %s --check-prefix=SECOND
// SECOND: named_softmax: different
// SECOND: log_sum_exp: different
//
// A named softmax takes its largest entry by maxnumf, which drops a NaN; an
// infinity in the padding it does not.
// RUN: sed 's/0x7FC00000/0x7F800000/' %t.right.mlir > %t.infinite.mlir
// RUN: npu-run %t.infinite.mlir --entry=named_softmax --reference=%s --length=5 -O0
// RUN: sed 's/0x7FC00000/0x7F800000/' %t.right0.mlir > %t.infinite0.mlir
// RUN: not npu-run %t.infinite0.mlir --entry=named_softmax --reference=%s --length=5 -O0 | FileCheck %s --check-prefix=INFINITE
// INFINITE: first difference at [0, 0]: expected {{.*}}, got nan
// INFINITE: {{^}}different

#id1 = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#scalar = affine_map<(d0) -> ()>

// The real length divides, not the padded one.
// CHECK: mean: equal
func.func @mean(%x: tensor<?x3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %length = tensor.dim %x, %c0 : tensor<?x3xf32>
  %i = arith.index_cast %length : index to i32
  %n = arith.sitofp %i : i32 to f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x3xf32>) outs(%f : tensor<3xf32>) dimensions = [0]
  %mean = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%sum : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.divf %a, %n : f32
    linalg.yield %q : f32
  } -> tensor<3xf32>
  return %mean : tensor<3xf32>
}

// CHECK: named_softmax: equal
func.func @named_softmax(%x: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %length = tensor.dim %x, %c1 : tensor<3x?xf32>
  %e = tensor.empty(%length) : tensor<3x?xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<3x?xf32>) outs(%e : tensor<3x?xf32>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}

// Not along the prompt: padded rows stay garbage.
// CHECK: softmax_per_row: equal
func.func @softmax_per_row(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %length = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%length) : tensor<?x3xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// CHECK: log_sum_exp: equal
func.func @log_sum_exp(%x: tensor<?xf32>) -> tensor<f32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %m0 = linalg.fill ins(%low : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<?xf32>) outs(%m0 : tensor<f32>) dimensions = [0]
  %s = linalg.generic {indexing_maps = [#id1, #scalar, #scalar], iterator_types = ["reduction"]} ins(%x, %m : tensor<?xf32>, tensor<f32>) outs(%s0 : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %l = linalg.log ins(%s : tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.add ins(%l, %m : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK: contraction: equal
func.func @contraction(%a: tensor<2x?xf32>, %b: tensor<?x3xf32>, %c: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<2x?xf32>, tensor<?x3xf32>) outs(%c : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Two results that are combined together: the largest, and where it is.
// CHECK: arg_max: equal
func.func @arg_max(%x: tensor<?xf32>, %m: tensor<f32>, %p: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
  %0:2 = linalg.generic {indexing_maps = [#id1, #scalar, #scalar], iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%m, %p : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %best: f32, %where: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %smaller = arith.cmpf ole, %in, %best : f32
    %a = arith.select %smaller, %best, %in : f32
    %b = arith.select %smaller, %where, %j : i64
    linalg.yield %a, %b : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %0#0, %0#1 : tensor<f32>, tensor<i64>
}

// Sums of all entries up to here, as a product with a triangle.
// CHECK: cumulative_sum: equal
func.func @cumulative_sum(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %length = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%length) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#column, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %before = arith.cmpi ule, %j, %i : index
    %t = arith.select %before, %a, %zero : f32
    %r = arith.addf %o, %t : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A window of three over the prompt with a zero on either side: what stands after
// the last real entry is the zero, not padding.
// CHECK: window: equal
func.func @window(%x: tensor<?xf32>, %w: tensor<3xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %length = tensor.dim %x, %c0 : tensor<?xf32>
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%length) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.conv_1d ins(%p, %w : tensor<?xf32>, tensor<3xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Positions are looked up in a table: those of padding could be anywhere.
// CHECK: gather: equal
func.func @gather(%at: tensor<?xi32>, %table: tensor<16x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %eight = arith.constant 8 : i32
  %length = tensor.dim %at, %c0 : tensor<?xi32>
  %e = tensor.empty(%length) : tensor<?x2xf32>
  %0 = linalg.generic {indexing_maps = [#row, #id2], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<?xi32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%p: i32, %o: f32):
    %q = arith.addi %p, %eight : i32
    %i = arith.index_cast %q : i32 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%i, %j] : tensor<16x2xf32>
    linalg.yield %v : f32
  } -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// The other way round: the prompt is the table.
// CHECK: lookup: equal
func.func @lookup(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%length) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#id1], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %last = arith.subi %length, %c1 : index
    %j = arith.subi %last, %i : index
    %v = tensor.extract %x[%j] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Padding as a divisor could be zero.
// CHECK: division: equal
func.func @division(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %sixteen = arith.constant 16 : i32
  %length = tensor.dim %a, %c0 : tensor<?xi32>
  %e = tensor.empty(%length) : tensor<?xi32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]} ins(%a, %b : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %d = arith.addi %y, %sixteen : i32
    %q = arith.divsi %x, %d : i32
    %r = arith.remsi %x, %d : i32
    %s = arith.addi %q, %r : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// A cache of three entries before the prompt; both are summed.
// CHECK: after_cache: equal
func.func @after_cache(%cache: tensor<3x2xf32>, %x: tensor<?x2xf32>, %e: tensor<2xf32>) -> (tensor<?x2xf32>, tensor<2xf32>) {
  %all = tensor.concat dim(0) %cache, %x : (tensor<3x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %sum = linalg.reduce { arith.addf } ins(%all : tensor<?x2xf32>) outs(%e : tensor<2xf32>) dimensions = [0]
  return %all, %sum : tensor<?x2xf32>, tensor<2xf32>
}

// Something after the prompt: padding is in the middle.
// CHECK: before_others: equal
func.func @before_others(%x: tensor<?x2xf32>, %others: tensor<3x2xf32>, %e: tensor<2xf32>) -> (tensor<?x2xf32>, tensor<2xf32>) {
  %all = tensor.concat dim(0) %x, %others : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %sum = linalg.reduce { arith.addf } ins(%all : tensor<?x2xf32>) outs(%e : tensor<2xf32>) dimensions = [0]
  return %all, %sum : tensor<?x2xf32>, tensor<2xf32>
}

// CHECK: heads: equal
func.func @heads(%x: tensor<?x6xf32>) -> tensor<3x?x2xf32> {
  %c0 = arith.constant 0 : index
  %length = tensor.dim %x, %c0 : tensor<?x6xf32>
  %split = tensor.expand_shape %x [[0], [1, 2]] output_shape [%length, 3, 2] : tensor<?x6xf32> into tensor<?x3x2xf32>
  %e = tensor.empty(%length) : tensor<3x?x2xf32>
  %0 = linalg.transpose ins(%split : tensor<?x3x2xf32>) outs(%e : tensor<3x?x2xf32>) permutation = [1, 0, 2]
  return %0 : tensor<3x?x2xf32>
}

// Entries of two and more, folded into the prompt, keep together.
// CHECK: folded: equal
func.func @folded(%x: tensor<?x3xf32>, %e: tensor<f32>) -> (tensor<?xf32>, tensor<f32>) {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%flat : tensor<?xf32>) outs(%e : tensor<f32>) dimensions = [0]
  return %flat, %sum : tensor<?xf32>, tensor<f32>
}

// The last token's row.
// CHECK: last_token: equal
func.func @last_token(%x: tensor<?x2xf32>) -> tensor<1x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %length = tensor.dim %x, %c0 : tensor<?x2xf32>
  %last = arith.subi %length, %c1 : index
  %0 = tensor.extract_slice %x[%last, 0] [1, 2] [1, 1] : tensor<?x2xf32> to tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// Into a cache that is longer than any prompt goes the real part alone.
// CHECK: cache_update: equal
func.func @cache_update(%x: tensor<?x2xf32>, %cache: tensor<16x2xf32>) -> tensor<16x2xf32> {
  %c0 = arith.constant 0 : index
  %length = tensor.dim %x, %c0 : tensor<?x2xf32>
  %0 = tensor.insert_slice %x into %cache[0, 0] [%length, 2] [1, 1] : tensor<?x2xf32> into tensor<16x2xf32>
  return %0 : tensor<16x2xf32>
}

// Layer norm across features, and the largest over the prompt of its result.
// CHECK: norm_then_pool: equal
func.func @norm_then_pool(%x: tensor<?x4xf32>, %e: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %four = arith.constant 4.0 : f32
  %length = tensor.dim %x, %c0 : tensor<?x4xf32>
  %re = tensor.empty(%length) : tensor<?xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%re : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x4xf32>) outs(%r0 : tensor<?xf32>) dimensions = [1]
  %xe = tensor.empty(%length) : tensor<?x4xf32>
  %centred = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<?x4xf32>, tensor<?xf32>) outs(%xe : tensor<?x4xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.divf %s, %four : f32
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  } -> tensor<?x4xf32>
  %l0 = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %pool = linalg.reduce { arith.maximumf } ins(%centred : tensor<?x4xf32>) outs(%l0 : tensor<4xf32>) dimensions = [0]
  return %centred, %pool : tensor<?x4xf32>, tensor<4xf32>
}

// As upstream's lowering of TOSA has it: what has one entry is repeated, as often
// as it has entries.
// CHECK: broadcast_choice: equal
func.func @broadcast_choice(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %most = arith.maxui %n, %n : index
  %one = arith.cmpi eq, %n, %c1 : index
  %a = scf.if %one -> (tensor<?x3xf32>) {
    %e = tensor.empty(%most) : tensor<?x3xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x3xf32>
    scf.yield %0 : tensor<?x3xf32>
  } else {
    scf.yield %x : tensor<?x3xf32>
  }
  %m = tensor.dim %a, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%m) : tensor<?x3xf32>
  %0 = linalg.add ins(%a, %x : tensor<?x3xf32>, tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// Dimensions of extent 1 move, by way of a flat tensor in which padding would be
// repeated.
// CHECK: moved_ones: equal
func.func @moved_ones(%x: tensor<1x2x?x3xf32>, %e: tensor<2x1x3xf32>) -> (tensor<2x1x?x3xf32>, tensor<2x1x3xf32>) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %flat = tensor.collapse_shape %x [[0, 1, 2, 3]] : tensor<1x2x?x3xf32> into tensor<?xf32>
  %all = tensor.dim %flat, %c0 : tensor<?xf32>
  %n = arith.divsi %all, %c6 : index
  %0 = tensor.expand_shape %flat [[0, 1, 2, 3]] output_shape [2, 1, %n, 3] : tensor<?xf32> into tensor<2x1x?x3xf32>
  %sum = linalg.reduce { arith.addf } ins(%0 : tensor<2x1x?x3xf32>) outs(%e : tensor<2x1x3xf32>) dimensions = [2]
  return %0, %sum : tensor<2x1x?x3xf32>, tensor<2x1x3xf32>
}

// A flat tensor of which only the extent is asked.
// CHECK: extent_of_flat: equal
func.func @extent_of_flat(%x: tensor<2x?x3xf32>) -> tensor<2x?x1x3xf32> {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %flat = tensor.collapse_shape %x [[0, 1, 2]] : tensor<2x?x3xf32> into tensor<?xf32>
  %all = tensor.dim %flat, %c0 : tensor<?xf32>
  %n = arith.divsi %all, %c6 : index
  %0 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [2, %n, 1, 3] : tensor<2x?x3xf32> into tensor<2x?x1x3xf32>
  return %0 : tensor<2x?x1x3xf32>
}

// Without the first token, and without the last two (nothing is left at length 2):
// real entries stand where they stood, in fewer of them. The first sum reads the
// pad's zeros after the prompt, the second must not read the last entries of it.
// CHECK: without_ends: equal
func.func @without_ends(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %below = arith.constant -0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %p = tensor.pad %x low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %below : f32
  } : tensor<?x2xf32> to tensor<?x2xf32>
  %after = arith.addi %n, %c2 : index
  %most = arith.addi %n, %c1 : index
  %back = tensor.extract_slice %p[1, 0] [%after, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  %front = tensor.extract_slice %p[0, 0] [%most, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %sum0 = linalg.reduce { arith.addf } ins(%back : tensor<?x2xf32>) outs(%f : tensor<2xf32>) dimensions = [0]
  %sum1 = linalg.reduce { arith.addf } ins(%front : tensor<?x2xf32>) outs(%f : tensor<2xf32>) dimensions = [0]
  %less = arith.subi %n, %c1 : index
  %rest = tensor.extract_slice %x[1, 0] [%less, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  %middle = tensor.extract_slice %p[2, 1] [%less, 1] [1, 1] : tensor<?x2xf32> to tensor<?x1xf32>
  %wide = tensor.concat dim(1) %middle, %middle : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x2xf32>
  return %rest, %wide, %sum0, %sum1 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Divisions and reads in a branch of the body: whether a position is real is asked in
// front of it.
// CHECK: in_a_branch: equal
func.func @in_a_branch(%x: tensor<?xi32>, %table: tensor<4xi32>) -> (tensor<?xi32>, tensor<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %many = arith.constant 16 : i32
  %zero = arith.constant 0 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %m = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%x : tensor<?xi32>) outs(%e : tensor<?xi32>) {
  ^bb0(%a: i32, %o: i32):
    %i = linalg.index 0 : index
    %p = arith.cmpi sgt, %i, %c1 : index
    %s = scf.if %p -> (i32) {
      %d = arith.addi %a, %many : i32
      %k = arith.constant 100 : i32
      %q = arith.divsi %k, %d : i32
      scf.yield %q : i32
    } else {
      %at = arith.muli %i, %c3 : index
      %v = tensor.extract %table[%at] : tensor<4xi32>
      scf.yield %v : i32
    }
    linalg.yield %s : i32
  } -> tensor<?xi32>
  %e0 = tensor.empty() : tensor<i32>
  %f = linalg.fill ins(%zero : i32) outs(%e0 : tensor<i32>) -> tensor<i32>
  %sum = linalg.reduce { arith.addi } ins(%m : tensor<?xi32>) outs(%f : tensor<i32>) dimensions = [0]
  return %m, %sum : tensor<?xi32>, tensor<i32>
}

// Extents that are asked for in a body, or of a dimension that is no constant.
// CHECK: extents_in_a_body: equal
func.func @extents_in_a_body(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %j = linalg.index 1 : index
    %two = arith.constant 2 : index
    %which = arith.remui %j, %two : index
    %m = tensor.dim %x, %which : tensor<?x3xf32>
    %k = tensor.dim %x, %c0 : tensor<?x3xf32>
    %sum = arith.addi %m, %k : index
    %i = arith.index_cast %sum : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.divf %a, %f : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
