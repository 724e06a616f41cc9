// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Tools/TranslateOutput.h"

#include "PendingOutput.h"
#include "npu/Support/InputFiles.h"
#include "npu/Support/WriteModule.h"
#include "npu/Tools/FatalErrors.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/WithColor.h"

#include <vector>

namespace npu {

bool runWithPendingOutput(int argc, char **argv,
                          llvm::function_ref<bool(int, char **)> main) {
  std::vector<std::string> arguments(argv, argv + argc);
  // The argument that has the value of -o, and what stands in front of it.
  std::string *output = nullptr;
  std::string front;
  bool hasInput = false;
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    bool isOption = argument.starts_with("-") && argument != "-";
    llvm::StringRef option = argument.ltrim('-');
    if (isOption && option == "o" && i + 1 < arguments.size()) {
      output = &arguments[++i];
      front = "";
    } else if (isOption && option.starts_with("o=")) {
      output = &arguments[i];
      front = argument.take_front(argument.find('=') + 1).str();
    } else if (!isOption) {
      noteInput("the input", arguments[i]);
      hasInput = true;
    }
  }
  if (!hasInput)
    noteInput("the input", "-");
  if (!output)
    return main(argc, argv);
  auto fail = [&](const std::string &message) {
    llvm::WithColor::error(llvm::errs(), "npu-translate") << message << "\n";
    return false;
  };
  std::string path = output->substr(front.size());
  if (Result<> checked = checkOutputs({{"-o", path}}); !checked)
    return fail(checked.error().message);
  PendingOutput pending(path);
  nameOutput(path);
  *output = front + pending.name();
  // The last, after `output` was needed: the arguments may move.
  if (llvm::StringRef(path).ends_with(bytecodeEnding))
    arguments.push_back(("--" + emitBytecodeName).str());
  std::vector<char *> changed;
  for (std::string &argument : arguments)
    changed.push_back(argument.data());
  changed.push_back(nullptr);
  if (!main(static_cast<int>(arguments.size()), changed.data()))
    return false;
  Result<> kept = pending.keep();
  return kept ? true : fail(kept.error().message);
}

} // namespace npu
