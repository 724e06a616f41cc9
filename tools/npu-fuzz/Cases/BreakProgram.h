// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spoils programs in ways that must not pass, to see that they do not: sums in
// parts, which must not pass for rounding, and tile programs, for which
// npu-verify-tile-program is responsible.

#ifndef NPU_FUZZ_CASES_BREAKPROGRAM_H
#define NPU_FUZZ_CASES_BREAKPROGRAM_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace npu {

/// Spoils one part of one split reduction of a legalized function, chosen by
/// the seed. Returns a description, or "" where no float sum is split.
std::string spoilSplitSum(mlir::ModuleOp module, uint64_t seed);

/// Makes one edit in a tile program, chosen by the seed, and returns the
/// operation before and after it; empty where there is nothing to edit. The
/// edit is one of
///  * a number of a transfer, of a tile's slice, insertion or permute_cast, or
///    of `npu.tile`, `npu.begin`, `npu.offset`, `npu.of`, `npu.order`,
///    `npu.extents`, `npu.padding`, `npu.paddings` and `npu.tiles`, or of the
///    extents that an expand_shape lists: another one, one exchanged for its
///    neighbour, or a whole attribute left out;
///  * two numbers that go together: the box of a load and where it is in DDR,
///    once more in front of reshapes; the offset of a slice or an insertion in
///    a tile's part and in the whole tensor, where other tiles have parts of
///    the same operand;
///  * an operand: a value of its type on another tile, or what its own tensor
///    was before something was written to it; the destination of a transfer:
///    any value of its type at its place;
///  * one entry less of what a tile reduces, from its load on;
///  * a load that becomes padding;
///  * a transfer, an insertion into nothing or a permute_cast of a tile left
///    out, or a transfer, slice, insertion or cast made twice.
/// What an operation computes stays: its body, its maps, its permutation, and
/// which of several tensors of one tile it reads.
std::string editTileProgram(mlir::ModuleOp program, uint64_t seed);

} // namespace npu

#endif // NPU_FUZZ_CASES_BREAKPROGRAM_H
