// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that is assigned layouts for scratchpads of many sizes: which
// sizes the assignment accepts has to agree with what its programs take as
// buffers.

#ifndef NPU_FUZZ_CASES_SCRATCHPADCASE_H
#define NPU_FUZZ_CASES_SCRATCHPADCASE_H

#include "npu-fuzz/Cases/FunctionCase.h"

namespace npu {

/// Bisects the smallest scratchpad, in multiples of the buffers' alignment,
/// for which the recipe's function gets layouts. Different is a case in which
///  * what was accepted takes more as buffers than the scratchpad has,
///  * what one size accepts takes no more as buffers than another size that
///    refuses the function, or
///  * a size is refused and a smaller one accepted.
CaseResult runScratchpadCase(const Recipe &recipe);

} // namespace npu

#endif // NPU_FUZZ_CASES_SCRATCHPADCASE_H
