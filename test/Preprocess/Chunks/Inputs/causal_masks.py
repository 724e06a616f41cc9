# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes prefix sums over a cache with every mask `position ? row + a * offset +
shift`, and expects an error where going through all rows, chunks and positions
finds one that comes out differently in chunks.

usage: causal_masks.py > OUT
"""

import itertools
import operator

OPERATORS = {"le": operator.le, "lt": operator.lt, "ge": operator.ge,
             "gt": operator.gt}
PREDICATES = {kind + name: fn for kind in "su" for name, fn in OPERATORS.items()}
PREDICATES |= {"eq": operator.eq, "ne": operator.ne}
POSITIONS = 12

FUNCTION = """\
func.func @f(%x: tensor<?x4xf32>, %cache: tensor<16x4xf32> {{npu.cache_dim = 0}}, %offset: index {{npu.cache_offset}}) -> (tensor<?x4xf32>, tensor<16x4xf32>) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %full = tensor.insert_slice %x into %cache[%offset, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<16x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  {expected}
  %y = linalg.generic {{indexing_maps = [affine_map<(i, c, j) -> (j, c)>, affine_map<(i, c, j) -> (i, c)>], iterator_types = ["parallel", "parallel", "reduction"]}} ins(%full : tensor<16x4xf32>) outs(%init : tensor<?x4xf32>) {{
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %shift = arith.constant {shift} : index
    %times = arith.constant {times} : index
    %scaled = arith.muli %offset, %times : index
    %shifted = arith.addi %i, %shift : index
    %p = arith.addi %shifted, %scaled : index
    %seen = arith.cmpi {predicate}, {compared} : index
    %t = arith.select %seen, {chosen} : f32
    %s = arith.addf %sum, %t : f32
    linalg.yield %s : f32
  }} -> tensor<?x4xf32>
  return %y, %full : tensor<?x4xf32>, tensor<16x4xf32>
}}
"""


def seen(mask, row, offset):
    predicate, times, shift, swapped, negated = mask
    place = row + times * offset + shift
    if predicate[0] == "u" and place < 0:
        place += 1 << 64
    holds = PREDICATES[predicate]
    return {j for j in range(POSITIONS)
            if (holds(place, j) if swapped else holds(j, place)) != negated}


def runs_in_chunks(mask):
    for offset in range(3):
        for length in range(1, POSITIONS - offset + 1):
            for chunk, row in itertools.product((1, 2, 3), range(length)):
                begin = row // chunk * chunk
                whole = seen(mask, row, offset)
                part = seen(mask, row - begin, offset + begin)
                # What later chunks put into the cache is not there yet.
                end = offset + begin + min(chunk, length - begin)
                missing = set(range(end, offset + length))
                if whole != part or whole & missing:
                    return False
    return True


cases = []
for mask in itertools.product(PREDICATES, (0, 1, 2), (-1, 0, 1),
                              (False, True), (False, True)):
    predicate, times, shift, swapped, negated = mask
    cases.append(FUNCTION.format(
        expected="" if runs_in_chunks(mask) else
        "// expected-error@+1 {{'linalg.generic' cannot be run in chunks}}",
        shift=shift, times=times, predicate=predicate,
        compared="%p, %j" if swapped else "%j, %p",
        chosen="%zero, %v" if negated else "%v, %zero"))
print("// -----\n".join(cases))
