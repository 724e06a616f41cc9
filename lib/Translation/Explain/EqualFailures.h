// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures of a log that differ in nothing but their place and their names: a
// model of many equal layers fails in each of them, and is explained once.

#ifndef NPU_LIB_TRANSLATION_EXPLAIN_EQUALFAILURES_H
#define NPU_LIB_TRANSLATION_EXPLAIN_EQUALFAILURES_H

#include "OtherLengths.h"

namespace npu {

/// Failures of one kind, by their numbers in the log, in its order; never
/// empty.
using EqualFailures = std::vector<std::size_t>;

/// The failures of the log by their kinds, in the order of the first of each.
/// Two are of one kind where operation, types, mem_perm, and the fields that
/// are compared are equal.
std::vector<EqualFailures> equalFailures(const NpuLog &log);

/// The repaired function of a failure, as a module's text.
std::string spellRepaired(const NpuLog &log, std::size_t failure);

/// The explanation as JSON, which docs/field-failure.md describes.
/// `lengths` has one for each kind, or none where none are asked for.
std::string explainAsJson(const NpuLog &log,
                          const std::vector<EqualFailures> &kinds,
                          const std::vector<OtherLengths> &lengths);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_EXPLAIN_EQUALFAILURES_H
