// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arbitrary bytes as a layout, a tensor type or a module. Whatever is accepted
// must print as something that means the same, have a placement, and be
// reachable from and to the whole tensor on every tile at exactly the bound.

#include "FuzzContext.h"

#include "npu/Analysis/Choices/Movement.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <string>

using namespace mlir;
using namespace npu;

template <typename Printable>
static std::string printed(Printable value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os);
  return text;
}

static void checkPlan(RankedTensorType from, RankedTensorType to) {
  Result<RedistributionPlan> plan = planBetween(from, to);
  // Placements that are too irregular are refused with a message.
  if (!plan) {
    require(!plan.error().empty(), "a reason for there being no plan");
    return;
  }
  require(plan->received.value == plan->received.bound,
          "bytes received at their bound");
  require(plan->maxTileReceived.value == plan->maxTileReceived.bound,
          "bytes of the busiest receiver at their bound");
  require(plan->injected.value == plan->injected.bound,
          "bytes injected at their bound");
  require(plan->maxTileSent.value >= plan->maxTileSent.bound,
          "no busiest sender below its bound");
}

static void checkType(RankedTensorType type) {
  if (!isDistributed(type))
    return;
  const Placement *placement = getPlacement(type);
  require(placement, "a placement for a type that was verified");
  require(memoryContains(*placement, *placement), "memory within itself");
  Extents shape = placement->shape;
  Distribution shortest = canonical(getLayout(type).getDistribution(), shape);
  Result<Placement> again = place(shortest, shape);
  require(again && sameMemory(*again, *placement) &&
              sameCompute(*again, *placement),
          "the placement that its canonical form has");
  // Larger ones are a matter of benchmarks, not of a minute of fuzzing.
  if (placement->tiles.size() > 32)
    return;
  Layout whole;
  whole.distribution.emplace();
  whole.distribution->mode = Mode::Duplicated;
  whole.distribution->tileCount = static_cast<int64_t>(placement->tiles.size());
  whole.order = getLayout(type).getOrder();
  Extents sizes = shape;
  int64_t total = 0;
  if (std::optional<int64_t> elements = checkedProduct(sizes.span());
      !elements || __builtin_mul_overflow(
                       *elements, int64_t(placement->tiles.size()), &total))
    return;
  RankedTensorType duplicated =
      withLayout(type, makeLayout(type.getContext(), whole));
  checkPlan(type, duplicated);
  checkPlan(duplicated, type);
}

static void checkLayout(Attribute attribute) {
  MLIRContext *context = attribute.getContext();
  require(parseAttribute(printed(attribute), context) == attribute,
          "the printed layout to parse as itself");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = fuzzContext();
  // MLIR's lexer reads up to the zero after its text, as files have one.
  std::string owned(reinterpret_cast<const char *>(data), size);
  StringRef text = owned;
  if (text.starts_with("<")) {
    if (Attribute attribute =
            parseAttribute(("#npu.layout" + text).str(), &context))
      if (isa<LayoutAttr>(attribute))
        checkLayout(attribute);
    return 0;
  }
  if (text.starts_with("tensor")) {
    auto type = dyn_cast_or_null<RankedTensorType>(parseType(text, &context));
    if (!type)
      return 0;
    if (LayoutAttr layout = getLayout(type))
      checkLayout(layout);
    checkType(type);
    return 0;
  }
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return 0;
  require(static_cast<bool>(
              parseSourceString<ModuleOp>(printed(*module), &context)),
          "the printed module to parse");
  module->walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        checkType(tensor);
  });
  return 0;
}
