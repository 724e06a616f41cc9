// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a dump function by function: its values, its edges, and what direct
// transfers would save.

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPANALYSIS_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPANALYSIS_H

#include "DumpEdges.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

#include <map>
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

/// The device of DumpOptions; nothing where it names none.
std::optional<DumpDevice> askedDevice(std::string_view name);

/// The device that the comments of a dump name, as in test files; else the one
/// that is assumed.
DumpDevice deviceOfComments(std::string_view dump);

/// Tensors that tiles store to DDR and load again.
struct RoundTrips {
  int64_t tensors = 0;
  /// What goes through DDR, and what would go between tiles instead.
  int64_t bytes = 0;
  int64_t direct = 0;
};

struct DumpFunction {
  std::string_view name;
  std::size_t at = 0;
  const std::vector<DumpValue> &values;
  std::vector<DumpEdge> edges;
  RoundTrips roundTrips;
};

/// Edges that cannot be told, by the operation and by what is missing.
class UnknownEdges {
public:
  struct Kind {
    /// "VPU.SoftMax", "VPUIP.SW.Kernel @builtin_SoftMax"
    std::string op;
    MissingFact missing;
    int64_t edges = 0;
  };
  /// Counts the edge if it cannot be told.
  void count(const DumpEdge &edge);
  /// The kinds, the most frequent ones first.
  std::vector<Kind> kinds() const;

private:
  std::map<std::pair<std::string, MissingFact>, int64_t> counts;
};

class DumpAnalysis : public DumpVisitor {
public:
  /// `received` is called with every function; the function and its values are
  /// gone afterwards.
  /// `device` is the one that the caller names; without one, the dump's own.
  DumpAnalysis(llvm::function_ref<void(DumpFunction &)> received,
               const std::optional<DumpDevice> &device)
      : received(received), asked(device) {}

  void run(std::string_view text);

  /// The devices that were taken, in the order of the dump's parts.
  std::vector<DumpDevice> devices;

  /// Distributed types in the text, and those that are read.
  int64_t types = 0, typesRead = 0;
  /// The first things that were skipped, and how many there are in all.
  std::vector<DumpSkip> skipped;
  int64_t numSkipped = 0;

private:
  void beginModule(const DumpOperation &op) override;
  void beginFunction(std::string_view name, std::size_t at) override;
  void visit(const DumpOperation &op, const std::vector<DumpValue> &values,
             const DumpTypes &types) override;
  void endFunction(const std::vector<DumpValue> &values) override;
  void skip(std::size_t at, std::string what, std::string why) override;
  void countTypes(unsigned written, unsigned read) override;
  RoundTrips findRoundTrips() const;
  void setDevice(DumpDevice device);

  llvm::function_ref<void(DumpFunction &)> received;
  std::optional<DumpDevice> asked;
  /// The one that holds from here on.
  DumpDevice device;
  EdgeFinder finder;
  std::string_view functionName;
  std::size_t functionAt = 0;
  std::vector<DumpEdge> edges;
  /// How many operations read each value of the function.
  llvm::DenseMap<std::size_t, int64_t> reads;
};

/// Whether this value is one of the dump's: not an argument of a region inside
/// an operation, and a tensor or buffer.
bool isListed(const DumpValue &value);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPANALYSIS_H
