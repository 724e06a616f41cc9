// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Conversion/Compile/CompileOptions.h"

#include "npu/Support/OptionReaders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace npu {

std::vector<BoundOption> boundOptions(CompileOptions &options) {
  AssignDistributionsOptions &assignment = options.assignment;
  PadPromptsOptions &padding = options.padding;
  SetPrecisionOptions &precision = options.precision;
  return {
      {"compile-from", "", &options.from, "phase",
       "the phase that has written the file; the next one is the first to run "
       "(start: none has)"},
      {"compile-to", "", &options.to, "phase", "the last phase that runs"},
      {"target", "target", &options.target, "name",
       "the device, instead of the module's own"},
      {"target-file", "target-file", &options.targetFile, "FILE",
       "file of JSON with the figures of the device, as --print-target writes "
       "one"},
      {"kernels", "kernels", &options.kernels, "FILE",
       "file with a target description whose table of kernels (npu.kernels) "
       "counts instead of the device's own"},
      {"function", "entry", &options.function, "name",
       "the function to compile, with what it calls; without it main, or else "
       "the only public function, or the only one (pipeline: all, or the only "
       "one in a program around a model)"},
      {"policy", "policy", &precision.policy, "name",
       "accuracy or performance: in which types distances, variances and "
       "softmax of a risky form are computed (default: as they are)"},
      {"precision-overrides", "precision-overrides", &precision.overrides,
       "FILE",
       "file that names operations by location, and the types that they store, "
       "accumulate and compute in"},
      {"distances", "distances", &precision.distances, "form",
       "under policy=accuracy: norms or direct", "policy=accuracy"},
      {"softmax", "softmax", &precision.softmax, "form",
       "under policy=accuracy: keep or subtract-maximum", "policy=accuracy"},
      {"max-prompt-len", "max-prompt-len", &padding.maxPromptLen, "N,M",
       "pad prompt dimensions to this length, or to the smallest of several "
       "that fits"},
      {"side", "side", &padding.side, "side",
       "where padding goes: right (real part first) or left", "max-prompt-len"},
      {"static-signature", "", &padding.staticSignature, "",
       "callers give and take padded tensors, and give the length",
       "max-prompt-len"},
      {"poison", "", &padding.poison, "",
       "fill padding with NaN (integers: 0xAB bytes), for tests",
       "max-prompt-len"},
      {"strategy", "strategy", &assignment.strategy, "name",
       "how layouts are chosen: least, greedy, beam, duplicate or rows"},
      {"tiles", "tile-count", &assignment.tiles, "N",
       "number of tiles; 0: as many as the target uses"},
      {"states", "states", &assignment.states, "N",
       "strategy=least: the most partial assignments that the search keeps "
       "between two operations",
       "strategy=least"},
      {"byte-price", "byte-price", &assignment.bytePrice, "N",
       "what a byte that moves through DDR or between tiles counts besides its "
       "time, in millicycles"},
      {"in-steps", "in-steps", &assignment.inSteps, "",
       "operations may run in steps where nothing fits otherwise (default)"},
      {"storage", "storage", &assignment.storage, "kind",
       "how tiles store tensors of rank 4: linear, tiled2d (images, where "
       "kernels "
       "take them) or auto, by cost; npu.storage on a value counts first"},
      {"report", "", &assignment.report, "FILE",
       "file for the report of npu-assign-distributions"},
      {"split-reductions", "split-reductions", &options.splitReductions, "bool",
       "let tiles reduce the parts they hold, where that moves fewer bytes; "
       "false keeps every sum in its order; true, if it is written, is for "
       "npu-assign-distributions, too"},
      {"gather", "", &options.gather, "what",
       "what to say where an operation falls back to the host: warn (the "
       "default), error or allow"},
      {"parallel", "", &options.parallel, "",
       "tiles run at the same time (llvm)"},
      {"device", "device", &options.device, "device",
       "the device: NPU, NPU.0, 0, a target's name, CPU, HETERO:LIST, AUTO, "
       "AUTO:LIST or a list (default of the tool: npu.device of MODEL, "
       "NPU_DEVICE, HETERO:NPU,CPU)"},
      {"strict-device", "strict-device", &options.strictDevice, "",
       "only the first device counts, and nothing falls back"},
      {"print-device", "print-device", &options.printDevice, "",
       "say on standard error how the device was chosen"},
      {"placement-report", "", &options.placementReport, "FILE",
       "file for the placement report, as JSON where it ends in .json; - for "
       "text on standard output"},
  };
}

namespace {

std::string textOf(const std::string &value) { return value; }
std::string textOf(bool value) { return value ? "true" : "false"; }
std::string textOf(int64_t value) { return std::to_string(value); }
std::string textOf(const llvm::SmallVector<int64_t> &values) {
  return llvm::join(
      llvm::map_range(values, [](int64_t n) { return std::to_string(n); }),
      ",");
}
template <typename T>
std::string textOf(const std::optional<T> &value) {
  return value ? textOf(*value) : "";
}

} // namespace

std::vector<std::pair<std::string, std::string>>
changedOptions(CompileOptions options) {
  CompileOptions byDefault;
  std::vector<std::pair<std::string, std::string>> changed;
  for (auto [mine, other] :
       llvm::zip_equal(boundOptions(options), boundOptions(byDefault))) {
    auto text = [](auto *value) { return textOf(*value); };
    std::string value = std::visit(text, mine.value);
    if (value != std::visit(text, other.value))
      changed.emplace_back(mine.name.str(), std::move(value));
  }
  return changed;
}

std::optional<std::string> findUnread(CompileOptions options,
                                      bool isCommandLine) {
  std::vector<std::pair<std::string, std::string>> changed =
      changedOptions(options);
  std::vector<BoundOption> all = boundOptions(options);
  auto nameOf = [&](const BoundOption &each) {
    return isCommandLine && !each.toolName.empty() ? each.toolName : each.name;
  };
  for (const BoundOption &each : all) {
    if (each.reader.empty() ||
        !llvm::is_contained(llvm::make_first_range(changed), each.name))
      continue;
    auto [name, value] = each.reader.split('=');
    const BoundOption &reader =
        *llvm::find_if(all, [&, name = name](const BoundOption &other) {
          return other.name == name;
        });
    std::string text =
        std::visit([](auto *given) { return textOf(*given); }, reader.value);
    if (value.empty() ? !text.empty() : text == value)
      continue;
    std::string beside = nameOf(reader).str();
    if (!value.empty())
      beside += "=" + value.str();
    return notRead(nameOf(each), llvm::StringRef(beside),
                   isCommandLine ? "--" : "");
  }
  return std::nullopt;
}

} // namespace npu
