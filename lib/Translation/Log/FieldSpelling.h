// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and attributes as the field compiler spells them, so that they can be
// pasted into its tests and dumps.

#ifndef NPU_LIB_TRANSLATION_LOG_FIELDSPELLING_H
#define NPU_LIB_TRANSLATION_LOG_FIELDSPELLING_H

#include "LogFields.h"

namespace npu {

/// {mode = "SEGMENTED", num_tiles = [1, 4, 1, 1], num_clusters = 4 : i64}
std::string spellFields(const LoggedAttribute &fields);

/// Its entries, each by itself: mode = "SEGMENTED"
std::vector<std::string> spellEachField(const LoggedAttribute &fields);

/// A distributed type: !VPU.DistributedTensor<1x28x336x128xf16, #NCHW, @CMX_NN,
/// {mode = ...}>, where `head` is what stands before '<' and `middle` what
/// stands between the element type and the fields.
std::string spellType(std::string_view head, const Extents &shape,
                      std::string_view element, std::string_view middle,
                      const LoggedAttribute &fields);

/// The fields of `got` whose values differ, as they would have to be to equal
/// those of `expected`: mode = "SEGMENTED", no alignment
std::string spellChanges(const LoggedAttribute &expected,
                         const LoggedAttribute &got);

/// One value of a field: "SEGMENTED" in quotation marks, [1, 4, 1, 1], ...
std::string spellValue(const LoggedField &field);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_FIELDSPELLING_H
