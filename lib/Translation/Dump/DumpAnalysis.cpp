// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpAnalysis.h"

#include "npu/Placement/Plans/RedistributionPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <tuple>

namespace npu {
std::string_view DumpDevice::sourceInWords() const {
  switch (source) {
  case Source::Assumed:
    return "assumed, because the dump names none; --npu-dump-device=NAME says "
           "another one";
  case Source::Comment:
    return "by a comment of the dump";
  case Source::Module:
    return "by the module";
  case Source::Option:
    return "as asked for";
  }
  return "";
}

std::optional<DumpDevice> deviceIn(std::string_view text,
                                   DumpDevice::Source source) {
  llvm::SmallVector<std::string> names;
  llvm::StringRef rest = text;
  while (!rest.empty()) {
    std::size_t next = std::min(rest.find("NPU"), rest.find("VPUX"));
    if (next == llvm::StringRef::npos)
      break;
    rest = rest.drop_front(next);
    rest = rest.drop_front(rest.starts_with("NPU") ? 3 : 4);
    // Two digits and XX, or the four digits of a platform: 3720 is a 37XX.
    llvm::StringRef number = rest.take_front(4);
    bool isName = number.size() == 4 && llvm::isDigit(number[0]) &&
                  llvm::isDigit(number[1]) &&
                  (number.ends_with("XX") ||
                   (llvm::isDigit(number[2]) && llvm::isDigit(number[3])));
    if (!isName)
      continue;
    std::string name = ("NPU" + number.take_front(2) + "XX").str();
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  }
  if (names.empty())
    return std::nullopt;
  DumpDevice device;
  device.name = llvm::join(names, " or ");
  device.source = source;
  device.readsAcrossTiles = llvm::any_of(names, [](llvm::StringRef name) {
    return name == "NPU30XX" || name == "NPU37XX";
  });
  return device;
}

std::optional<DumpDevice> askedDevice(std::string_view name) {
  return name.empty() ? std::nullopt
                      : deviceIn(name, DumpDevice::Source::Option);
}

DumpDevice deviceOfComments(std::string_view dump) {
  llvm::StringRef rest = dump;
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    line = line.ltrim();
    if (!line.starts_with("//"))
      continue;
    if (!line.contains("REQUIRES:") && !line.contains("vpu-arch=") &&
        !line.contains("platform="))
      continue;
    if (auto device = deviceIn(line, DumpDevice::Source::Comment))
      return *device;
  }
  return {};
}

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

void UnknownEdges::count(const DumpEdge &edge) {
  if (edge.finding->verdict == EdgeVerdict::Unknown)
    ++counts[{nameOf(edge.op, edge.callee), edge.finding->missing}];
}

std::vector<UnknownEdges::Kind> UnknownEdges::kinds() const {
  std::vector<Kind> result;
  for (const auto &[key, edges] : counts)
    result.push_back({key.first, key.second, edges});
  llvm::sort(result, [](const Kind &a, const Kind &b) {
    return std::tuple(-a.edges, a.op, a.missing) <
           std::tuple(-b.edges, b.op, b.missing);
  });
  return result;
}

} // namespace npu
