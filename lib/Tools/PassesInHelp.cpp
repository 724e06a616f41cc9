// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PassesInHelp.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;

namespace {

/// The description of each pass or pipeline, by its name.
using Lines = std::map<llvm::StringRef, llvm::StringRef>;

void print(llvm::raw_ostream &os, llvm::StringRef title, const Lines &lines) {
  size_t width = 0;
  for (const auto &line : lines)
    width = std::max(width, line.first.size());
  os << "\n" << title << ":\n";
  for (auto [name, description] : lines)
    os << "  --" << llvm::left_justify(name, width) << "  " << description
       << "\n";
}

} // namespace

std::string npu::passesFirst(llvm::StringRef sentence) {
  // Groups of options are printed in the alphabetical order of their names, and
  // upstream's is called "General options".
  static llvm::cl::OptionCategory passesWithOptions(
      "Every pass and pipeline with its options");
  Lines passes, pipelines;
  // MLIR registers every pass name as an option, and all of these share one
  // parser.
  for (auto &[name, option] : llvm::cl::getRegisteredOptions()) {
    const PassRegistryEntry *pass = PassInfo::lookup(name);
    const PassRegistryEntry *pipeline = PassPipelineInfo::lookup(name);
    if (!pass && !pipeline)
      continue;
    option->addCategory(passesWithOptions);
    if (name.starts_with("npu-"))
      (pass ? passes : pipelines)
          .emplace(name, (pass ? pass : pipeline)->getPassDescription());
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << sentence << "\n";
  print(os, "Passes", passes);
  print(os, "Pipelines", pipelines);
  return text;
}
