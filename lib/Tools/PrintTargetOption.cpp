// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Tools/PrintTargetOption.h"

#include "npu/Target/TargetJson.h"

#include <fmt/format.h>

namespace cl = llvm::cl;

namespace npu {

PrintTargetOption::PrintTargetOption(cl::OptionCategory &category)
    : text("print-target",
           cl::desc("Print the figures of this built-in target as JSON, for "
                    "--target-file, and do nothing else"),
           cl::value_desc("name"), cl::ValueOptional, cl::cat(category)) {}

Result<std::string>
PrintTargetOption::file(const std::string &otherwise) const {
  const std::string &name = text.empty() ? otherwise : text.getValue();
  if (const Target *target = findBuiltinTarget(name))
    return writeTargetJson(*target);
  return Error{fmt::format("--print-target: expected {}, got {}",
                           builtinTargetNames(),
                           name.empty() ? "none" : "'" + name + "'")};
}

} // namespace npu
