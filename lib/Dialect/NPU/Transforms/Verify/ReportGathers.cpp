// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/Transforms/Verify/ReportGathers.h"
#include "npu/Analysis/Choices/Gather.h"
#include "npu/Dialect/NPU/IR/ReportedOnce.h"
#include "npu/Support/Naming.h"

#include "llvm/ADT/MapVector.h"

#include <fmt/format.h>

#include <map>

using namespace mlir;

namespace npu {
namespace {

/// The command of upstream's passes from TOSA to linalg, which have to run
/// before tensors get layouts, because they do not know layouts.
constexpr llvm::StringLiteral tosaToLinalg =
    "npu-opt --pass-pipeline='builtin.module(func.func("
    "tosa-optional-decompositions,tosa-infer-shapes,tosa-make-broadcastable,"
    "tosa-to-linalg-named,canonicalize,tosa-to-linalg,tosa-to-arith,"
    "tosa-to-tensor))'";

/// All operations of one name that are gathered for the same reason.
struct Kind {
  Operation *first;
  Gather gather;
  int64_t count = 0;
  int64_t bytes = 0;
};

std::string sentence(const Kind &kind) {
  std::string moves = kind.count == 1
                          ? "it moves "
                          : fmt::format("{} of them move ", kind.count);
  return fmt::format("'{}' is done on gathered data: {}; {}{} through DDR",
                     kind.first->getName().getStringRef().str(),
                     kind.gather.reason, moves, nameOfBytes(kind.bytes));
}

/// What users can do to avoid the gather.
std::string advice(const Kind &kind) {
  switch (kind.gather.kind) {
  case GatherKind::NotUnderstood:
    if (kind.first->getName().getDialectNamespace() == "tosa")
      return "upstream lowers TOSA, before tensors are given layouts: " +
             tosaToLinalg.str();
    return "docs/adding-an-op.md tells how to teach the passes an operation";
  case GatherKind::NotRegistered:
    return fmt::format(
        "the tool has to register the external models of dialect '{}'",
        kind.first->getName().getDialectNamespace().str());
  case GatherKind::Call:
    return "npu-opt --inline puts what is called in the call's place";
  case GatherKind::NotCut:
  case GatherKind::WritesBeyond:
    return "";
  }
}

/// Keyed by operation name and reason, in program order.
using Name = std::pair<StringRef, std::string>;
using Kinds = llvm::MapVector<Name, Kind, std::map<Name, unsigned>>;

/// Reports the operations of one kind. Each advice is given only once.
void report(InFlightDiagnostic diagnostic, const Kind &kind,
            llvm::StringSet<> &advised) {
  diagnostic << sentence(kind);
  for (const std::string &note :
       {advice(kind), std::string("npu-print-transfers lists each of them")})
    if (!note.empty() && advised.insert(note).second)
      diagnostic.attachNote() << note;
}

Kinds findKinds(Operation *root) {
  Kinds kinds;
  EmptyOrigins origins;
  GatherQuestion question(origins);
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<Gather> gather = question.of(op);
    if (!gather || gather->bytes() == 0)
      return;
    auto [it, isNew] = kinds.try_emplace(
        {op->getName().getStringRef(), gather->reason}, Kind{op, *gather});
    ++it->second.count;
    it->second.bytes += gather->bytes();
  });
  return kinds;
}

} // namespace

LogicalResult reportGathers(Operation *root, GatherPolicy policy) {
  if (policy == GatherPolicy::Allow)
    return success();
  Kinds kinds = findKinds(root);
  if (kinds.empty())
    return success();
  // Gathered operations have layouts, so that the dialect is loaded.
  const auto *said = root->getContext()
                         ->getLoadedDialect<NPUDialect>()
                         ->getRegisteredInterface<ReportedOnce>();
  std::string where =
      root->getParentOp() ? nameOfFunction(root).str() : std::string();
  llvm::StringSet<> advised;
  for (const auto &[name, kind] : kinds) {
    if (policy == GatherPolicy::Error)
      report(mlir::emitError(kind.first->getLoc()), kind, advised);
    else if (said->isFirst(
                 fmt::format("{} {} {}", where, name.first.str(), name.second)))
      report(mlir::emitWarning(kind.first->getLoc()), kind, advised);
  }
  return failure(policy == GatherPolicy::Error);
}

} // namespace npu
