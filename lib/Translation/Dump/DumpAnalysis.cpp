// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpAnalysis.h"

#include "npu/Placement/Plans/RedistributionPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace npu {

/// A file with more than these has lost its form, and the list its use.
static constexpr int64_t kMaxSkipped = 10000;

void DumpAnalysis::beginModule(const DumpOperation &op) {
  if (asked)
    return;
  std::string_view attribute =
      op.attribute({"VPU.arch", "config.arch", "config.platform"}).value_or("");
  if (auto named = deviceIn(attribute, DumpDevice::Source::Module))
    setDevice(*named);
}

void DumpAnalysis::run(std::string_view text) {
  setDevice(asked ? *asked : deviceOfComments(text));
  readNpuDump(text, *this);
  if (devices.empty())
    devices.push_back(device);
}

void DumpAnalysis::setDevice(DumpDevice next) {
  device = std::move(next);
  finder.readsAcrossTiles = device.readsAcrossTiles;
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
  bool isTold = llvm::any_of(devices, [&](const DumpDevice &each) {
    return each.name == device.name && each.source == device.source;
  });
  if (!isTold)
    devices.push_back(device);
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
