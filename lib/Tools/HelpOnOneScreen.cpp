// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HelpOnOneScreen.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;

namespace {

/// The description of each pass or pipeline, by its name.
using Lines = std::map<llvm::StringRef, llvm::StringRef>;

/// The options that most users need. Each takes one line; an option with a list
/// of values would take more.
const llvm::StringSet<> &frequentOptions() {
  static const llvm::StringSet<> names = {"allow-unregistered-dialect",
                                          "help",
                                          "help-hidden",
                                          "list-passes",
                                          "load-dialect-plugin",
                                          "load-pass-plugin",
                                          "mlir-print-ir-after-all",
                                          "o",
                                          "pass-pipeline",
                                          "show-dialects",
                                          "version"};
  return names;
}

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

std::string npu::helpOnOneScreen(llvm::StringRef sentence) {
  // Groups of options are printed in the alphabetical order of their names, and
  // upstream's is called "General options".
  static llvm::cl::OptionCategory passesWithOptions(
      "Every pass and pipeline with its options");
  Lines passes, pipelines;
  // MLIR registers every pass name as an option, and all of these share one
  // parser.
  for (auto &[name, option] : llvm::cl::getRegisteredOptions()) {
    // What upstream always hides stays so.
    if (option->getOptionHiddenFlag() != llvm::cl::ReallyHidden)
      option->setHiddenFlag(frequentOptions().contains(name)
                                ? llvm::cl::NotHidden
                                : llvm::cl::Hidden);
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
  os << "\nMLIR's own passes, dialects and options are here as well: "
        "--help-hidden shows\nall of them, and the options of every pass.\n";
  return text;
}
