// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and attributes as the field compiler spells them, so that they can be
// pasted into its tests and dumps.

#ifndef NPU_LIB_TRANSLATION_DUMP_FIELDSPELLING_H
#define NPU_LIB_TRANSLATION_DUMP_FIELDSPELLING_H

#include "DumpEdges.h"

namespace npu {

/// {mode = "SEGMENTED", num_tiles = [1, 4, 1, 1], num_clusters = 4 : i64}
std::string spellFields(const LoggedAttribute &fields);

/// The distributed type with other fields:
/// !VPU.DistributedTensor<1x28x336x128xf16, #NCHW, @CMX_NN, {mode = ...}>
std::string spellType(const DumpType &type, const LoggedAttribute &fields);

/// One value of a field: "SEGMENTED" in quotation marks, [1, 4, 1, 1], ...
std::string spellValue(const LoggedField &field);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_FIELDSPELLING_H
