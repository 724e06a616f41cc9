// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpAnalysis.h"

#include "npu/Placement/Plans/RedistributionPlan.h"

#include "llvm/ADT/DenseMap.h"

namespace npu {

/// A file with more than these has lost its form, and the list its use.
static constexpr int64_t kMaxSkipped = 10000;

void DumpAnalysis::beginModule(const DumpOperation &op) {
  std::string_view device =
      op.attribute({"VPU.arch", "config.arch"}).value_or("");
  // The engines of devices before NPU40XX read the rows next to their own from
  // the scratchpads of other tiles.
  finder.readsAcrossTiles = device.find("30XX") != std::string_view::npos ||
                            device.find("37XX") != std::string_view::npos;
}

void DumpAnalysis::beginFunction(std::string_view name, std::size_t at) {
  functionName = name;
  functionAt = at;
}

void DumpAnalysis::visit(const DumpOperation &op,
                         const std::vector<DumpValue> &values,
                         const DumpTypes &types) {
  finder.find(op, values, types, edges);
  for (const DumpOperand &operand : op.operands)
    if (operand.value != DumpOperand::kUnknown && operand.group != "outputs")
      ++reads[operand.value];
}

void DumpAnalysis::endFunction(const std::vector<DumpValue> &values) {
  DumpFunction function{functionName, functionAt, values, {}, findRoundTrips()};
  function.edges = std::move(edges);
  received(function);
  edges.clear();
  reads.clear();
  finder.endFunction();
}

void DumpAnalysis::skip(std::size_t at, std::string what, std::string why) {
  if (++numSkipped <= kMaxSkipped)
    skipped.push_back({at, std::move(what), std::move(why)});
}

void DumpAnalysis::countTypes(unsigned written, unsigned read) {
  types += written;
  typesRead += read;
}

/// Finds values that one copy stores and another one loads onto tiles again.
/// The store is saved too where nobody else uses the value.
RoundTrips DumpAnalysis::findRoundTrips() const {
  struct Use {
    const DumpEdge *store = nullptr;
    std::vector<const DumpEdge *> loads;
  };
  llvm::MapVector<std::size_t, Use> stored;
  for (const DumpEdge &edge : edges) {
    bool copies = wordOf(edge.op) == DumpWord::Copy;
    if (!copies)
      continue;
    const DumpType &from = *edge.finding->from, &to = *edge.finding->to;
    if (from.onTiles && !to.onTiles)
      stored[edge.to].store = &edge;
    auto it = stored.find(edge.from);
    if (it != stored.end() && to.onTiles)
      it->second.loads.push_back(&edge);
  }
  RoundTrips trips;
  for (const auto &[value, use] : stored) {
    if (use.loads.empty())
      continue;
    const DumpType &source = *use.store->finding->from;
    ++trips.tensors;
    if (reads.lookup(value) == static_cast<int64_t>(use.loads.size()))
      trips.bytes += use.store->finding->bytes;
    for (const DumpEdge *load : use.loads) {
      const DumpType &target = *load->finding->to;
      trips.bytes += load->finding->bytes;
      if (source.shape != target.shape)
        continue;
      int64_t bits = elementsMissing(source.placement, target.placement) *
                     target.bits.value_or(8);
      trips.direct += bits / 8 + (bits % 8 != 0);
    }
  }
  return trips;
}

bool isListed(const DumpValue &value) {
  return !value.op.empty() && value.type->isShaped();
}

} // namespace npu
