// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScratchpadReport.h"
#include "npu/Conversion/PlanScratchpad/PlanReport.h"

#include "npu/Support/Naming.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The most buffers that the text lists for one tile; JSON lists all.
constexpr size_t kMaxLines = 8;

std::string nameOfOwner(Operation *owner) {
  if (auto call = dyn_cast<func::CallOp>(owner))
    return ("@" + call.getCallee()).str();
  std::string name;
  llvm::raw_string_ostream(name) << owner->getResult(0).getType();
  return name;
}

void printTile(llvm::raw_ostream &os, int64_t number, const TileBuffers &tile,
               const std::optional<Target> &target) {
  Operation *peak = operationAtPeak(tile);
  os << fmt::format("  {}: {} at the peak", nameOfTile(number),
                    nameOfBytes(tile.plan.peak));
  if (target)
    os << fmt::format(" of {} on {}", target->scratchpadBytes, target->name);
  os << fmt::format(", at least {}\n    most in use at {} ({})\n",
                    tile.plan.bound, peak->getName().getStringRef().str(),
                    nameOfLocation(peak->getLoc()));
  std::vector<InUseAtPeak> inUse = inUseAtPeak(tile);
  for (size_t i = 0; i < std::min(inUse.size(), kMaxLines); ++i)
    os << fmt::format("    {:>12} at {:<10} {} ({})\n", inUse[i].bytes,
                      inUse[i].offset, inUse[i].what,
                      nameOfLocation(inUse[i].location));
  if (inUse.size() <= kMaxLines)
    return;
  int64_t rest = 0;
  for (size_t i = kMaxLines; i < inUse.size(); ++i)
    rest += inUse[i].bytes;
  os << fmt::format("    {:>12} in {} more\n", rest, inUse.size() - kMaxLines);
}

void printTile(llvm::json::OStream &json, int64_t number,
               const TileBuffers &tile, const std::optional<Target> &target) {
  Operation *peak = operationAtPeak(tile);
  json.object([&] {
    json.attribute("tile", number);
    json.attribute("peak_bytes", tile.plan.peak);
    json.attribute("peak_bytes_bound", tile.plan.bound);
    if (target)
      json.attribute("capacity_bytes", target->scratchpadBytes);
    else
      json.attribute("capacity_bytes", nullptr);
    json.attribute("peak_op", peak->getName().getStringRef());
    json.attribute("peak_location", nameOfLocation(peak->getLoc()));
    json.attributeArray("in_use", [&] {
      for (const InUseAtPeak &buffer : inUseAtPeak(tile))
        json.object([&] {
          json.attribute("offset", buffer.offset);
          json.attribute("bytes", buffer.bytes);
          json.attribute("what", buffer.what);
          json.attribute("location", nameOfLocation(buffer.location));
        });
    });
  });
}

} // namespace

Operation *operationAtPeak(const TileBuffers &tile) {
  return tile.steps[tile.plan.boundStep];
}

std::vector<InUseAtPeak> inUseAtPeak(const TileBuffers &tile) {
  int64_t step = tile.plan.boundStep;
  llvm::SmallVector<bool> inUse(tile.buffers.size());
  for (auto [i, buffer] : llvm::enumerate(tile.buffers))
    inUse[i] = buffer.first <= step && step <= buffer.last;
  // An overwritten buffer counts once, as the buffer that replaces it.
  for (auto [i, replaced] : llvm::enumerate(tile.plan.replaced))
    if (replaced >= 0 && inUse[i])
      inUse[replaced] = false;
  llvm::SmallVector<size_t> largestFirst;
  for (size_t i = 0; i < tile.owners.size(); ++i)
    if (inUse[i])
      largestFirst.push_back(i);
  llvm::sort(largestFirst, [&](size_t a, size_t b) {
    return std::pair(tile.buffers[b].bytes, a) <
           std::pair(tile.buffers[a].bytes, b);
  });
  std::vector<InUseAtPeak> result;
  for (size_t i : largestFirst)
    result.push_back({tile.plan.offsets[i], tile.buffers[i].bytes,
                      nameOfOwner(tile.owners[i]), tile.owners[i]->getLoc()});
  return result;
}

std::string textReport(ArrayRef<PlannedFunction> functions,
                       const std::optional<Target> &target,
                       const std::optional<LargestPrompt> &largest) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const PlannedFunction &planned : functions) {
    func::FuncOp function = planned.function;
    os << "function @" << function.getName() << "\n";
    if (planned.tiles.empty())
      os << "  no buffers on tiles\n";
    for (const auto &[number, tile] : planned.tiles)
      printTile(os, number, tile, target);
  }
  if (largest)
    os << describe(*largest, *target);
  return text;
}

std::string jsonReport(ArrayRef<PlannedFunction> functions,
                       const std::optional<Target> &target,
                       const std::optional<LargestPrompt> &largest) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    if (target)
      json.attribute("target", target->name);
    else
      json.attribute("target", nullptr);
    if (largest)
      json.attribute("largest_prompt_len", largest->length);
    json.attributeArray("functions", [&] {
      for (const PlannedFunction &planned : functions)
        json.object([&] {
          func::FuncOp function = planned.function;
          json.attribute("name", function.getName());
          json.attributeArray("tiles", [&] {
            for (const auto &[number, tile] : planned.tiles)
              printTile(json, number, tile, target);
          });
        });
    });
  });
  os << "\n";
  return text;
}

FailureOr<std::string>
scratchpadPlanAsJson(ModuleOp module, const std::optional<Target> &target) {
  std::vector<PlannedFunction> planned;
  if (failed(planFunctions(module, planned)))
    return failure();
  return jsonReport(planned, target, std::nullopt);
}

} // namespace npu
