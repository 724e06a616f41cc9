// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DimensionRoles.h"

#include "npu/Dialect/NPU/IR/DimensionNames.h"

namespace npu {
namespace {

struct Role {
  const char *input;
  std::size_t dim;
  const char *withoutStates, *withStates;
};

constexpr const char *batch = "batch_size", *sequence = "sequence_length",
                     *past = "past_sequence_length";

} // namespace

std::string dimensionName(llvm::StringRef input, std::size_t dim, bool isState,
                          bool hasStates) {
  // Both parts of a cache, by the names that Optimum gives its variables.
  if (isState && input.starts_with("past_key_values")) {
    if (dim == 0)
      return batch;
    if (dim == 2)
      return past;
  }
  const Role roles[] = {
      {"input_ids", 0, batch, batch},
      {"input_ids", 1, sequence, sequence},
      {"inputs_embeds", 0, batch, batch},
      {"inputs_embeds", 1, sequence, sequence},
      {"position_ids", 0, batch, batch},
      {"position_ids", 1, sequence, sequence},
      {"token_type_ids", 0, batch, batch},
      {"token_type_ids", 1, sequence, sequence},
      {"attention_mask", 0, batch, batch},
      {"attention_mask", 1, sequence, totalLengthSum.data()},
      {"beam_idx", 0, batch, batch},
  };
  for (const Role &role : roles)
    if (input == role.input && dim == role.dim)
      return hasStates ? role.withStates : role.withoutStates;
  return input.str() + "_" + std::to_string(dim);
}

} // namespace npu
