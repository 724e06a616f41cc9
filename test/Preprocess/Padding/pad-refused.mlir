// What cannot be padded, and what is asked for wrongly, is an error with the
// numbers, at the place that has to change.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=16 --split-input-file --verify-diagnostics -o /dev/null
// RUN: npu-opt %s --npu-legalize-distributions=max-prompt-len=16 --split-input-file --verify-diagnostics -o /dev/null
// RUN: echo 'func.func @f(%%x: tensor<?xf32>) { return }' > %t.mlir
// RUN: not npu-opt %t.mlir --npu-pad-to-max-prompt-len 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not npu-opt %t.mlir --npu-pad-to-max-prompt-len=max-prompt-len=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not npu-opt %t.mlir --npu-legalize-distributions=max-prompt-len=512,-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not npu-opt %t.mlir --npu-pad-to-max-prompt-len="max-prompt-len=4 side=up" 2>&1 | FileCheck %s --check-prefix=SIDE
// RUN: not npu-opt %t.mlir --npu-legalize-distributions="max-prompt-len=4 side=up" 2>&1 | FileCheck %s --check-prefix=SIDE
// RUN: not npu-opt %t.mlir --npu-plan-scratchpad="report prompts-of=%s side=up" 2>&1 | FileCheck %s --check-prefix=SIDE
// RUN: not npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=4611686018427387904 2>&1 | FileCheck %s --check-prefix=MOST
// A refusal is the line that says why: no operation and no function is printed with it.
// RUN: not npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=16 --split-input-file 2>&1 | FileCheck %s --check-prefix=ALONE --implicit-check-not='see current operation'
// ALONE-COUNT-20: error:
// MOST: error: expected max-prompt-len of at most 2147483647, got 4611686018427387904
// ZERO: error: expected max-prompt-len of at least 1, got 0
// NEGATIVE: error: expected max-prompt-len of at least 1, got -3
// SIDE: error: expected side=right or side=left, got 'up'

// expected-error @+1 {{expected a prompt length of at most max-prompt-len = 16, got 17 (argument #0 dimension 0)}}
func.func @too_long(%x: tensor<17xf32> {npu.prompt_dim = 0}) -> tensor<17xf32> {
  return %x : tensor<17xf32>
}

// -----

// expected-error @+1 {{expected a prompt length of at least 1, got 0 (argument #0 dimension 1)}}
func.func @nothing(%x: tensor<2x0xf32> {npu.prompt_dim = 1}) {
  return
}

// -----

// expected-error @+1 {{expected a prompt dimension to pad to 16: mark arguments with npu.prompt_dim, or make the dimension dynamic}}
func.func @unmarked(%x: tensor<7xf32>) -> tensor<7xf32> {
  return %x : tensor<7xf32>
}

// -----

// expected-error @+1 {{conflicting prompt dimensions: argument #0 dimension 0 is 7, argument #1 dimension 1 is 9}}
func.func @two_lengths(%x: tensor<7xf32> {npu.prompt_dim = 0}, %y: tensor<2x9xf32> {npu.prompt_dim = 1}) {
  return
}

// -----

// expected-error @+1 {{argument #1: dimension 0 is dynamic, but not marked as the prompt's while others are}}
func.func @half_marked(%x: tensor<?xf32> {npu.prompt_dim = 0}, %y: tensor<?xf32>) {
  return
}

// -----

// Dimensions of two names are two prompts, whose lengths may differ.
func.func @two_names(%x: tensor<?xf32> {npu.dim_names = ["S"]}, %past: tensor<?xf32> {npu.dim_names = ["P"]}) -> tensor<?xf32> {
  // expected-error @+2 {{conflicting padding along loop 0 of 'linalg.add': operand #1 has L1 real entries of 16, another has L of 16}}
  // expected-note @+1 {{L is the length of 'S', L1 is the length of 'P'; where two of them always have one length, say so with npu.prompt_dim, and where a dimension is as long as several of them together, name it after their sum, as in 'past + new', which a run asserts}}
  %0 = linalg.add ins(%x, %past : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// One value, two lengths: the prompt once, and twice.
func.func @conflict(%x: tensor<?x2xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %m = arith.muli %n, %c2 : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  // expected-error @+1 {{conflicting padding along loop 0 of 'linalg.add': operand #1 has L real entries of 16, another has L * 2 of 32}}
  %0 = linalg.add ins(%flat, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Windows that happen to be as many at some lengths are not at all of them.
func.func @same_count(%x: tensor<?xf32>, %w: tensor<3xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg.conv_1d' cannot be padded to max-prompt-len = 16 and stay exact: dimension 0 of its result has 4 entries at every length, and L - 2 by its operands}}
  %0 = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @elsewhere(tensor<?xf32>) -> tensor<?xf32>
func.func @call(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'func.call' cannot be padded to max-prompt-len = 16 and stay exact: it calls '@elsewhere', of which there is only a declaration}}
  %0 = func.call @elsewhere(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @+1 {{expected a function of one block to pad, got 2 blocks}}
func.func @two_blocks(%x: tensor<?xf32>) -> tensor<?xf32> {
  cf.br ^end(%x : tensor<?xf32>)
^end(%y: tensor<?xf32>):
  return %y : tensor<?xf32>
}

// -----

// At length 1, one entry is repeated: a broadcast that TOSA allows, and that no
// function of one shape can be.
func.func @broadcast_at_one(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.muli %n, %c2 : index
  %one = arith.cmpi eq, %n, %c1 : index
  // expected-error @+1 {{'scf.if' cannot be padded to max-prompt-len = 16 and stay exact: dimension 0 is repeated where it has one entry; expected as many entries to be wanted as there are, got L * 2 of L}}
  %0 = scf.if %one -> (tensor<?xf32>) {
    %e = tensor.empty(%m) : tensor<?xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// The larger of two extents that nothing says to be equal.
func.func @broadcast_to_unknown(%x: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.maxui %n, %k : index
  %one = arith.cmpi eq, %n, %c1 : index
  // expected-error @+1 {{expected as many entries to be wanted as there are, got ? of L}}
  %0 = scf.if %one -> (tensor<?xf32>) {
    %e = tensor.empty(%m) : tensor<?xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Whether another dimension has one entry.
func.func @other_dimension(%x: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %one = arith.cmpi eq, %k, %c1 : index
  // expected-error @+1 {{'scf.if' cannot be padded to max-prompt-len = 16 and stay exact: it is not known what it does with padding; expected it to ask for the extent of dimension 0 of '%arg0', L, got ?}}
  %0 = scf.if %one -> (tensor<?xf32>) {
    %e = tensor.empty(%n) : tensor<?xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Another question than that.
func.func @other_choice(%x: tensor<?xf32>, %which: i1) -> tensor<?xf32> {
  // expected-error @+1 {{'scf.if' cannot be padded to max-prompt-len = 16 and stay exact: it is not known what it does with padding; expected a choice that repeats one entry along a dimension where there is one}}
  %0 = scf.if %which -> (tensor<?xf32>) {
    %1 = linalg.abs ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// How many entries there are is a square of the length.
func.func @all_pairs(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'tensor.collapse_shape' cannot be padded to max-prompt-len = 16 and stay exact: it merges dimension 0 of '%arg0' with others that are as long as the prompt; how many entries dimension 0 of its result has is no known expression of the prompt length}}
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A size that does not divide gives no known extent.
func.func @rounded(%x: tensor<1x2x?x3xf32>) -> tensor<2x1x?x3xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %flat = tensor.collapse_shape %x [[0, 1, 2, 3]] : tensor<1x2x?x3xf32> into tensor<?xf32>
  %all = tensor.dim %flat, %c0 : tensor<?xf32>
  %n = arith.divsi %all, %c4 : index
  // expected-error @+1 {{'tensor.expand_shape' cannot be padded to max-prompt-len = 16 and stay exact: it splits dimension 0 of '%collapsed', L * 6 real entries of 96, into parts of as many as the prompt has that the padding would cut; how many entries dimension 2 of its result has is no known expression of the prompt length}}
  %0 = tensor.expand_shape %flat [[0, 1, 2, 3]] output_shape [2, 1, %n, 3] : tensor<?xf32> into tensor<2x1x?x3xf32>
  return %0 : tensor<2x1x?x3xf32>
}

// -----

// As many entries as something else says.
func.func @cut_by_data(%x: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  // expected-error @+1 {{exact: of '%arg0', which has L real entries of 16 along dimension 0, it takes entries that do not follow from the prompt length; how many entries dimension 0}}
  %0 = tensor.extract_slice %x[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @fewer_than_none(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c17 = arith.constant 17 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c17 : index
  // expected-error @+1 {{'tensor.empty' cannot be padded to max-prompt-len = 16 and stay exact: dimension 0 of its result has L - 17 entries, which is below zero at every length}}
  %0 = tensor.empty(%m) : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Written elsewhere than where its loop stands.
func.func @scattered(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'linalg.generic' cannot be padded to max-prompt-len = 16 and stay exact: it reads '%arg1' along dimension 0, of which L entries of 16 are real, at positions shifted by 1}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i + 1)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Padding may never be small enough.
func.func @until(%x: tensor<?xf32>) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  // expected-error @+1 {{'linalg.generic' cannot be padded to max-prompt-len = 16 and stay exact: 'scf.while' in its body has a data-dependent trip count, which padding could make infinite}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<?xf32>) {
  ^bb0(%out: f32):
    %r = scf.while (%a = %out) : (f32) -> f32 {
      %big = arith.cmpf ugt, %a, %one : f32
      scf.condition(%big) %a : f32
    } do {
    ^bb0(%a: f32):
      %b = arith.subf %a, %one : f32
      scf.yield %b : f32
    }
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @asserted(%x: tensor<?xi32>) -> tensor<?xi32> {
  %zero = arith.constant 0 : i32
  // expected-error @+1 {{exact: 'cf.assert' in its body has effects, on padding too}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<?xi32>) {
  ^bb0(%out: i32):
    %ok = arith.cmpi sge, %out, %zero : i32
    cf.assert %ok, "expected no negative token"
    linalg.yield %out : i32
  } -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

func.func private @no_helper(%x: tensor<?xf32>) -> tensor<?xf32> attributes {no_inline} {
  return %x : tensor<?xf32>
}
func.func @kept(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'func.call' cannot be padded to max-prompt-len = 16 and stay exact: it calls '@no_helper', which is not to be inlined (no_inline)}}
  %0 = func.call @no_helper(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A helper that calls itself is no body that could stand in the call's place.
func.func private @again(%x: tensor<4xf32>, %k: index) -> tensor<4xf32> {
  %0 = func.call @again(%x, %k) : (tensor<4xf32>, index) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @recursive(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  // expected-error @+1 {{exact: in its body, it calls '@again', which calls itself}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<?xf32>) {
  ^bb0(%out: f32):
    %1 = func.call @again(%y, %n) : (tensor<4xf32>, index) -> tensor<4xf32>
    %2 = tensor.extract %1[%c0] : tensor<4xf32>
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @no_such_dimension_asked(%x: tensor<?xf32>) -> index {
  %c5 = arith.constant 5 : index
  // expected-error @+1 {{'tensor.dim' of '%arg0': expected one of its 1 dimensions, got 5}}
  %0 = tensor.dim %x, %c5 : tensor<?xf32>
  return %0 : index
}

// -----

func.func @of_any_shape(%x: tensor<?xf32>, %shape: tensor<2xindex>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'tensor.reshape' cannot be padded to max-prompt-len = 16 and stay exact: it is not known what it does with padding, and it reads '%arg0'}}
  %0 = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The smaller of two numbers is no expression of the length; a tensor is padded
// as a whole or stays dynamic.
func.func @partly(%x: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %few = arith.minsi %n, %c5 : index
  %e = tensor.empty(%few, %n) : tensor<?x?xf32>
  // expected-error @+1 {{'linalg.generic' cannot be padded to max-prompt-len = 16 and stay exact: dimension 0 of '%1' has a number of entries that is no expression of the prompt length, beside another that is padded}}
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @parallel_by_data(%x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  // expected-error @+1 {{'scf.parallel' in its body has a data-dependent trip count, which padding could make infinite}}
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %b = arith.index_cast %a : i64 to index
    %r = scf.parallel (%j) = (%c0) to (%b) step (%c1) init (%one) -> i64 {
      scf.reduce(%one : i64) {
      ^bb0(%l: i64, %q: i64):
        %u = arith.addi %l, %q : i64
        scf.reduce.return %u : i64
      }
    }
    linalg.yield %r : i64
  } -> tensor<?xi64>
  return %m : tensor<?xi64>
}

// -----

func.func @empty_by_data(%x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  // expected-error @+1 {{'tensor.empty' in its body is of as many entries as data say, and padding may say any number}}
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %b = arith.index_cast %a : i64 to index
    %g = tensor.empty(%b) : tensor<?xi64>
    %h = tensor.insert %a into %g[%c0] : tensor<?xi64>
    %r = tensor.extract %h[%c0] : tensor<?xi64>
    linalg.yield %r : i64
  } -> tensor<?xi64>
  return %m : tensor<?xi64>
}

// -----

func.func @generate_by_data(%x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  // expected-error @+1 {{'tensor.generate' in its body has a data-dependent trip count, which padding could make infinite}}
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %b = arith.index_cast %a : i64 to index
    %g = tensor.generate %b {
    ^bb0(%q: index):
      tensor.yield %one : i64
    } : tensor<?xi64>
    %r = tensor.extract %g[%c0] : tensor<?xi64>
    linalg.yield %r : i64
  } -> tensor<?xi64>
  return %m : tensor<?xi64>
}

// -----

// The extent of a padded tensor is known, and its type does not say it.
func.func @does_not_say(%x: tensor<?x3xf32>, %v: f32) -> tensor<?x?xf32> {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{'tensor.pad' cannot be padded to max-prompt-len = 16 and stay exact: dimension 1 of '%padded' has 5 entries at every length, which its type does not say, beside another that is padded}}
  %0 = tensor.pad %x low[0, %c2] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<?x3xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The last four entries are all of a prompt of up to four, and known there.
func.func @last_four(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %before = affine.apply affine_map<()[s0] -> (s0 - 4)>()[%n]
  %first = arith.maxsi %before, %c0 : index
  %size = affine.apply affine_map<()[s0, s1] -> (s0 - s1)>()[%n, %first]
  // expected-error @+2 {{'tensor.extract_slice' cannot be padded to max-prompt-len = 16 and stay exact}}
  // expected-note @+1 {{along dimension 0, it has L entries up to length 4, and 4 at length 5: with max-prompt-len = 4 that is known}}
  %r = tensor.extract_slice %x[%first, 0] [%size, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

// Of short prompts nothing is left.
func.func @after_three(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %first = arith.minsi %n, %c3 : index
  %size = affine.apply affine_map<()[s0, s1] -> (s0 - s1)>()[%n, %first]
  // expected-error @+2 {{'tensor.extract_slice' cannot be padded to max-prompt-len = 16 and stay exact}}
  // expected-note @+1 {{along dimension 0, it has 0 entries at length 1}}
  %r = tensor.extract_slice %x[%first, 0] [%size, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
