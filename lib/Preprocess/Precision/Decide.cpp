// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Decide.h"
#include "ComputeIn.h"
#include "npu/Support/Decisions.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether overrides say something to an operation.
bool canBeSaid(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && !computesNothing(structured);
}

/// What has been said of one operation, and where.
struct Said {
  Asked asked;
  std::array<std::optional<Location>, 3> places;
};

/// Adds `types`, which stand at `place`. A failure has said which contradicts.
LogicalResult add(Said &said, Operation *op, const Precision &types,
                  Location place, StringRef who) {
  for (auto [number, key] : llvm::enumerate(precisionKeys)) {
    Type type = types.*key.type;
    Type &known = said.asked.types.*key.type;
    if (!type)
      continue;
    if (known && known != type) {
      InFlightDiagnostic error = mlir::emitError(place)
                                 << key.name << " " << type
                                 << " contradicts what is said elsewhere of '"
                                 << op->getName() << "'";
      error.attachNote(*said.places[number]) << "here it is " << known;
      return error;
    }
    if (!known)
      said.places[number].emplace(place);
    known = type;
  }
  said.asked.who += (said.asked.who.empty() ? "" : " and ") + who.str();
  return success();
}

} // namespace

FailureOr<AskedOf> askedExplicitly(func::FuncOp function,
                                   MutableArrayRef<Override> lines) {
  AskedOf asked;
  WalkResult walk = function.walk([&](Operation *op) -> WalkResult {
    Said said;
    if (auto attr = op->getAttrOfType<PrecisionAttr>(precisionAttrName))
      if (failed(
              add(said, op, toPrecision(attr), op->getLoc(), "its attribute")))
        return WalkResult::interrupt();
    for (Override &line : lines) {
      if (!line.pattern.names(op->getLoc()))
        continue;
      if (!canBeSaid(op)) {
        if (!line.named)
          line.named = op;
        continue;
      }
      line.used = true;
      auto place = cast<FileLineColRange>(line.loc);
      std::string who = "line " + std::to_string(place.getStartLine()) +
                        " of " + place.getFilename().str();
      if (failed(add(said, op, line.types, line.loc, who)))
        return WalkResult::interrupt();
      said.asked.line = line.loc;
    }
    if (said.asked.types == Precision())
      return WalkResult::advance();
    if (Result<> problem = ComputeIn::check(op, said.asked.types); !problem) {
      InFlightDiagnostic error =
          mlir::emitError(said.asked.line.value_or(op->getLoc()))
          << problem.error().message;
      if (said.asked.line)
        error.attachNote(op->getLoc()) << "for this operation";
      return WalkResult::interrupt();
    }
    asked[op] = said.asked;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return asked;
}

void askByPolicy(const PrecisionPattern &pattern, PrecisionPolicy policy,
                 AskedOf &asked) {
  MLIRContext *context = pattern.last->getContext();
  Type wide = Float32Type::get(context);
  if (policy == PrecisionPolicy::Performance)
    wide = pattern.storage;
  std::string who =
      (policy == PrecisionPolicy::Accuracy ? "policy=accuracy, "
                                           : "policy=performance, ") +
      describe(pattern.hazard).str();
  for (Operation *op : pattern.ops) {
    auto structured = cast<linalg::LinalgOp>(op);
    if (op->getNumResults() != 1 || computesNothing(structured))
      continue;
    Precision has = completed(structured, {});
    Precision types;
    auto choose = [&](Type now) {
      bool keeps =
          policy == PrecisionPolicy::Accuracy && !holdsEvery(wide, now);
      return keeps ? now : wide;
    };
    if (has.accumulation)
      types.accumulation = choose(has.accumulation);
    types.intermediate = choose(has.intermediate);
    types.storage = op == pattern.last && policy == PrecisionPolicy::Accuracy
                        ? has.storage
                        : choose(has.storage);
    auto known = asked.find(op);
    if (known != asked.end())
      for (const PrecisionKey &key : precisionKeys)
        if (Type said = known->second.types.*key.type)
          types.*key.type = said;
    if (Result<> problem = ComputeIn::check(op, types); !problem) {
      remarkLeftAlone(op, [&] { return who + ": " + problem.error().message; });
      continue;
    }
    Asked &entry = asked[op];
    entry.types = types;
    entry.who += (entry.who.empty() ? "" : " and ") + who;
    entry.isForSpeed |= policy == PrecisionPolicy::Performance;
  }
}

} // namespace npu
