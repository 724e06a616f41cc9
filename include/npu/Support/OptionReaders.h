// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which options of a tool are read when: an option that nobody reads is an
// error, and no option is ignored. Each tool has a table:
//
//   const OptionReaders table[] = {
//       {"capacity", {"pack-buffers"}},
//       {"format", {"explain-npu-log", "explain-npu-dump"}},
//       {"jobs", {}, {"print"}},
//   };
//   checkOptionReaders(table, GivenOptions(argc, argv))
//       // "--capacity: expected --pack-buffers beside it, which reads it"
//       // "--jobs: expected no --print beside it, which does not read it"

#ifndef NPU_SUPPORT_OPTIONREADERS_H
#define NPU_SUPPORT_OPTIONREADERS_H

#include "npu/Placement/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"

#include <string>
#include <utility>
#include <vector>

namespace npu {

/// An option by its name, and others by name, or as name=value. A value of *
/// and an ending is any with this ending, and * any at all.
struct OptionReaders {
  llvm::StringRef option;
  /// At least one of these has to stand beside it, if there are any.
  std::vector<llvm::StringRef> readers;
  /// None of these may stand beside it.
  std::vector<llvm::StringRef> others = {};
  /// Of a pass: the value that asks for nothing, as reproducers write it.
  llvm::StringRef byDefault = {};
};

/// The options that a command line has. To be asked after it was parsed, which
/// refuses options that do not exist.
class GivenOptions {
public:
  GivenOptions(int argc, char **argv);
  /// Those of a pass, as a pipeline has them: "format=json tiles=3".
  explicit GivenOptions(llvm::StringRef ofPass);

  /// Whether there is what a table calls by a name, or by name=value.
  bool has(llvm::StringRef what) const;

  /// The names as they stand there.
  std::vector<llvm::StringRef> names() const;

private:
  /// Names and values; the next argument may be the value.
  std::vector<std::pair<std::string, std::string>> given;
};

/// "--side: expected --max-prompt-len beside it, which reads it". `dashes` are
/// what options begin with: none in the options of a pass.
std::string notRead(llvm::StringRef option,
                    llvm::ArrayRef<llvm::StringRef> readers,
                    llvm::StringRef dashes = "--");

/// Refuses the first option of the table that nobody reads.
Result<> checkOptionReaders(llvm::ArrayRef<OptionReaders> table,
                            const GivenOptions &given,
                            llvm::StringRef dashes = "--");

/// The same for the options of a pass, by `initializeOptions` of it.
llvm::LogicalResult verifyOptionReaders(
    llvm::StringRef pass, llvm::ArrayRef<OptionReaders> table,
    llvm::StringRef ofPass,
    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> fail);

/// Refuses everything beside an option that does nothing else than it says, but
/// for what is `read` by it.
Result<> checkAlone(llvm::StringRef option,
                    llvm::ArrayRef<llvm::StringRef> read,
                    const GivenOptions &given);

} // namespace npu

#endif // NPU_SUPPORT_OPTIONREADERS_H
