// Causal softmaxes whose largest entry and whose sum need no mask: padding is -inf,
// then 0, or NaN in a row that has a NaN already. Equal at every length with
// infinities, NaNs and rows of -inf among the real scores; masked where the argument
// does not hold.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=12 poison" -o %t.mlir
// RUN: npu-run %t.mlir --entry=maximumf --reference=%s --length=1..12 --allow-non-finite -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=maxnumf --reference=%s --length=1..12 --allow-non-finite -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=powers_of_two --reference=%s --length=1..12 --allow-non-finite -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=named --reference=%s --length=1..12 --allow-non-finite -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=of_another --reference=%s --length=1..12 --allow-non-finite -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=of_columns --reference=%s --length=1..12 --allow-non-finite -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=of_the_smallest --reference=%s --length=1..12 --allow-non-finite -O0 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t.mlir --entry=begins_with_negative_zero --reference=%s --length=1..12 --allow-non-finite -O0 | FileCheck %s --check-prefix=EQUAL
// EQUAL: 12 lengths, 0 different
// EQUAL-NEXT: equal
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=12" --remarks-filter=npu -o /dev/null 2>&1 | FileCheck %s

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>

// As models write it.
// CHECK: pad | {{.*}}Function=maximumf | {{.*}}masks=0, masks proved unnecessary=2
func.func @maximumf(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e2 = tensor.empty(%n, %n) : tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %scores = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c9 = arith.constant 9 : index
    %c31 = arith.constant 31 : index
    %i7 = arith.muli %i, %c7 : index
    %j3 = arith.muli %j, %c3 : index
    %place = arith.addi %i7, %j3 : index
    %kind = arith.andi %place, %c31 : index
    %is0 = arith.cmpi eq, %kind, %c0 : index
    %is5 = arith.cmpi eq, %kind, %c5 : index
    %is9 = arith.cmpi eq, %kind, %c9 : index
    %row4 = arith.cmpi eq, %i, %c4 : index
    %v0 = arith.select %is0, %nan, %v : f32
    %v1 = arith.select %is5, %high, %v0 : f32
    %v2 = arith.select %is9, %low, %v1 : f32
    %v3 = arith.select %row4, %low, %v2 : f32
    %seen = arith.cmpi sle, %j, %i : index
    %r = arith.select %seen, %v3, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %first = linalg.fill ins(%low : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.reduce { arith.maximumf } ins(%scores : tensor<?x?xf32>) outs(%first : tensor<?xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%scores, %largest : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %d = arith.subf %s, %m : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %begin = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%weights : tensor<?x?xf32>) outs(%begin : tensor<?xf32>) dimensions = [1]
  return %sum : tensor<?xf32>
}

// The largest number, of which a NaN is none.
// CHECK: pad | {{.*}}Function=maxnumf | {{.*}}masks=0, masks proved unnecessary=2
func.func @maxnumf(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e2 = tensor.empty(%n, %n) : tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %scores = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c9 = arith.constant 9 : index
    %c31 = arith.constant 31 : index
    %i7 = arith.muli %i, %c7 : index
    %j3 = arith.muli %j, %c3 : index
    %place = arith.addi %i7, %j3 : index
    %kind = arith.andi %place, %c31 : index
    %is0 = arith.cmpi eq, %kind, %c0 : index
    %is5 = arith.cmpi eq, %kind, %c5 : index
    %is9 = arith.cmpi eq, %kind, %c9 : index
    %row4 = arith.cmpi eq, %i, %c4 : index
    %v0 = arith.select %is0, %nan, %v : f32
    %v1 = arith.select %is5, %high, %v0 : f32
    %v2 = arith.select %is9, %low, %v1 : f32
    %v3 = arith.select %row4, %low, %v2 : f32
    %seen = arith.cmpi sle, %j, %i : index
    %r = arith.select %seen, %v3, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %first = linalg.fill ins(%low : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.reduce { arith.maxnumf } ins(%scores : tensor<?x?xf32>) outs(%first : tensor<?xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%scores, %largest : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %d = arith.subf %s, %m : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %begin = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%weights : tensor<?x?xf32>) outs(%begin : tensor<?xf32>) dimensions = [1]
  return %sum : tensor<?xf32>
}

// Scaled, and powers of two.
// CHECK: pad | {{.*}}Function=powers_of_two | {{.*}}masks=0, masks proved unnecessary=2
func.func @powers_of_two(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e2 = tensor.empty(%n, %n) : tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %scores = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c9 = arith.constant 9 : index
    %c31 = arith.constant 31 : index
    %i7 = arith.muli %i, %c7 : index
    %j3 = arith.muli %j, %c3 : index
    %place = arith.addi %i7, %j3 : index
    %kind = arith.andi %place, %c31 : index
    %is0 = arith.cmpi eq, %kind, %c0 : index
    %is5 = arith.cmpi eq, %kind, %c5 : index
    %is9 = arith.cmpi eq, %kind, %c9 : index
    %row4 = arith.cmpi eq, %i, %c4 : index
    %v0 = arith.select %is0, %nan, %v : f32
    %v1 = arith.select %is5, %high, %v0 : f32
    %v2 = arith.select %is9, %low, %v1 : f32
    %v3 = arith.select %row4, %low, %v2 : f32
    %seen = arith.cmpi sle, %j, %i : index
    %r = arith.select %seen, %v3, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %first = linalg.fill ins(%low : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.reduce { arith.maximumf } ins(%scores : tensor<?x?xf32>) outs(%first : tensor<?xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%scores, %largest : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %d = arith.subf %s, %m : f32
    %log = arith.constant 1.442695 : f32
    %scaled = arith.mulf %d, %log : f32
    %r = math.exp2 %scaled : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %begin = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%weights : tensor<?x?xf32>) outs(%begin : tensor<?xf32>) dimensions = [1]
  return %sum : tensor<?xf32>
}

// The named one: upstream's decomposition takes the largest number from a NaN on,
// which that of none must stay.
// CHECK: pad | {{.*}}Function=named | {{.*}}masks=1, masks proved unnecessary=1
func.func @named(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e2 = tensor.empty(%n, %n) : tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %scores = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c9 = arith.constant 9 : index
    %c31 = arith.constant 31 : index
    %i7 = arith.muli %i, %c7 : index
    %j3 = arith.muli %j, %c3 : index
    %place = arith.addi %i7, %j3 : index
    %kind = arith.andi %place, %c31 : index
    %is0 = arith.cmpi eq, %kind, %c0 : index
    %is5 = arith.cmpi eq, %kind, %c5 : index
    %is9 = arith.cmpi eq, %kind, %c9 : index
    %row4 = arith.cmpi eq, %i, %c4 : index
    %v0 = arith.select %is0, %nan, %v : f32
    %v1 = arith.select %is5, %high, %v0 : f32
    %v2 = arith.select %is9, %low, %v1 : f32
    %v3 = arith.select %row4, %low, %v2 : f32
    %seen = arith.cmpi sle, %j, %i : index
    %r = arith.select %seen, %v3, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %weights = linalg.softmax dimension(1) ins(%scores : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %weights : tensor<?x?xf32>
}

// The largest of other scores: it is -inf in rows where these are not.
// CHECK: pad | {{.*}}Function=of_another | {{.*}}masks=2, masks proved unnecessary=0
func.func @of_another(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e2 = tensor.empty(%n, %n) : tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %scores = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c9 = arith.constant 9 : index
    %c31 = arith.constant 31 : index
    %i7 = arith.muli %i, %c7 : index
    %j3 = arith.muli %j, %c3 : index
    %place = arith.addi %i7, %j3 : index
    %kind = arith.andi %place, %c31 : index
    %is0 = arith.cmpi eq, %kind, %c0 : index
    %is5 = arith.cmpi eq, %kind, %c5 : index
    %is9 = arith.cmpi eq, %kind, %c9 : index
    %row4 = arith.cmpi eq, %i, %c4 : index
    %v0 = arith.select %is0, %nan, %v : f32
    %v1 = arith.select %is5, %high, %v0 : f32
    %v2 = arith.select %is9, %low, %v1 : f32
    %v3 = arith.select %row4, %low, %v2 : f32
    %seen = arith.cmpi sle, %j, %i : index
    %r = arith.select %seen, %v3, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %other = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %c5 = arith.constant 5 : index
    %late = arith.cmpi sgt, %i, %c5 : index
    %r = arith.select %late, %low, %v : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %first = linalg.fill ins(%low : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.reduce { arith.maximumf } ins(%other : tensor<?x?xf32>) outs(%first : tensor<?xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%scores, %largest : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %d = arith.subf %s, %m : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %begin = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%weights : tensor<?x?xf32>) outs(%begin : tensor<?xf32>) dimensions = [1]
  return %sum : tensor<?xf32>
}

// The largest of a column, of which padding has none.
// CHECK: pad | {{.*}}Function=of_columns | {{.*}}masks=2, masks proved unnecessary=0
func.func @of_columns(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e2 = tensor.empty(%n, %n) : tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %scores = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c9 = arith.constant 9 : index
    %c31 = arith.constant 31 : index
    %i7 = arith.muli %i, %c7 : index
    %j3 = arith.muli %j, %c3 : index
    %place = arith.addi %i7, %j3 : index
    %kind = arith.andi %place, %c31 : index
    %is0 = arith.cmpi eq, %kind, %c0 : index
    %is5 = arith.cmpi eq, %kind, %c5 : index
    %is9 = arith.cmpi eq, %kind, %c9 : index
    %row4 = arith.cmpi eq, %i, %c4 : index
    %v0 = arith.select %is0, %nan, %v : f32
    %v1 = arith.select %is5, %high, %v0 : f32
    %v2 = arith.select %is9, %low, %v1 : f32
    %v3 = arith.select %row4, %low, %v2 : f32
    %seen = arith.cmpi sle, %j, %i : index
    %r = arith.select %seen, %v3, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %first = linalg.fill ins(%low : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.reduce { arith.maximumf } ins(%scores : tensor<?x?xf32>) outs(%first : tensor<?xf32>) dimensions = [0]
  %weights = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]} ins(%scores, %largest : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %d = arith.subf %s, %m : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %begin = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%weights : tensor<?x?xf32>) outs(%begin : tensor<?xf32>) dimensions = [1]
  return %sum : tensor<?xf32>
}

// The smallest is another matter.
// CHECK: pad | {{.*}}Function=of_the_smallest | {{.*}}masks=2, masks proved unnecessary=0
func.func @of_the_smallest(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e2 = tensor.empty(%n, %n) : tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %scores = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c9 = arith.constant 9 : index
    %c31 = arith.constant 31 : index
    %i7 = arith.muli %i, %c7 : index
    %j3 = arith.muli %j, %c3 : index
    %place = arith.addi %i7, %j3 : index
    %kind = arith.andi %place, %c31 : index
    %is0 = arith.cmpi eq, %kind, %c0 : index
    %is5 = arith.cmpi eq, %kind, %c5 : index
    %is9 = arith.cmpi eq, %kind, %c9 : index
    %row4 = arith.cmpi eq, %i, %c4 : index
    %v0 = arith.select %is0, %nan, %v : f32
    %v1 = arith.select %is5, %high, %v0 : f32
    %v2 = arith.select %is9, %low, %v1 : f32
    %v3 = arith.select %row4, %low, %v2 : f32
    %seen = arith.cmpi sle, %j, %i : index
    %r = arith.select %seen, %v3, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %first = linalg.fill ins(%high : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.reduce { arith.minimumf } ins(%scores : tensor<?x?xf32>) outs(%first : tensor<?xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%scores, %largest : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %d = arith.subf %s, %m : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %begin = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%weights : tensor<?x?xf32>) outs(%begin : tensor<?xf32>) dimensions = [1]
  return %sum : tensor<?xf32>
}

// A sum that begins with -0.0 is one no more when 0.0 is added.
// CHECK: pad | {{.*}}Function=begins_with_negative_zero | {{.*}}masks=1, masks proved unnecessary=1
func.func @begins_with_negative_zero(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e2 = tensor.empty(%n, %n) : tensor<?x?xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %scores = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c7 = arith.constant 7 : index
    %c5 = arith.constant 5 : index
    %c9 = arith.constant 9 : index
    %c31 = arith.constant 31 : index
    %i7 = arith.muli %i, %c7 : index
    %j3 = arith.muli %j, %c3 : index
    %place = arith.addi %i7, %j3 : index
    %kind = arith.andi %place, %c31 : index
    %is0 = arith.cmpi eq, %kind, %c0 : index
    %is5 = arith.cmpi eq, %kind, %c5 : index
    %is9 = arith.cmpi eq, %kind, %c9 : index
    %row4 = arith.cmpi eq, %i, %c4 : index
    %v0 = arith.select %is0, %nan, %v : f32
    %v1 = arith.select %is5, %high, %v0 : f32
    %v2 = arith.select %is9, %low, %v1 : f32
    %v3 = arith.select %row4, %low, %v2 : f32
    %seen = arith.cmpi sle, %j, %i : index
    %r = arith.select %seen, %v3, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %first = linalg.fill ins(%low : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.reduce { arith.maximumf } ins(%scores : tensor<?x?xf32>) outs(%first : tensor<?xf32>) dimensions = [1]
  %weights = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]} ins(%scores, %largest : tensor<?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%s: f32, %m: f32, %o: f32):
    %d = arith.subf %s, %m : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %zero = arith.constant -0.0 : f32
  %begin = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%weights : tensor<?x?xf32>) outs(%begin : tensor<?xf32>) dimensions = [1]
  return %sum : tensor<?xf32>
}
