// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that a dump is for. It decides whether an operation may read what
// its tile does not hold, so that a reader is told which one was taken, and
// from where.

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPDEVICE_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPDEVICE_H

#include <optional>
#include <string>
#include <string_view>

namespace npu {

struct DumpDevice {
  enum class Source {
    /// Nobody says it.
    Assumed,
    /// A comment says for which devices the file is, as in test files:
    /// "REQUIRES: arch-NPU37XX || arch-NPU40XX".
    Comment,
    /// An attribute of the module, `VPU.arch` or its successors.
    Module,
    /// Who asks.
    Option,
  };
  /// "NPU40XX"; "NPU37XX or NPU40XX" where a comment has several.
  std::string name = "NPU40XX";
  Source source = Source::Assumed;
  /// Whether the engines of one of them read from the scratchpads of other
  /// tiles, as those of before NPU40XX do.
  bool readsAcrossTiles = false;

  /// "assumed, because the dump names none" and so on.
  std::string_view sourceInWords() const;
};

/// The device that a text names anywhere: "#VPU.arch_kind<VPUX37XX>",
/// "NPU40XX", "#config.platform<NPU3720>"; nothing where it names none.
std::optional<DumpDevice> deviceIn(std::string_view text,
                                   DumpDevice::Source source);

/// The device that the comments of a dump name, as in test files; else the one
/// that is assumed.
DumpDevice deviceOfComments(std::string_view dump);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPDEVICE_H
