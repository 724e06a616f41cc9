// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/Transforms/Verify/ReportHostFallbacks.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Dialect/NPU/IR/ReportedOnce.h"
#include "npu/Support/Naming.h"
#include "npu/Support/NoteNode.h"

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

/// All operations of one name that fall back to the host for the same reason.
struct Kind {
  Operation *first;
  HostFallback fallback;
  int64_t count = 0;
  int64_t bytes = 0;
};

/// The message for an operation whose tensors are all in DDR already.
std::string sentenceInDdr(const Kind &kind) {
  std::string have =
      kind.count == 1
          ? "its tensors have "
          : fmt::format("the tensors of {} of them have ", kind.count);
  return fmt::format("'{}' falls back to the host: {}; {}{}",
                     kind.first->getName().getStringRef().str(),
                     kind.fallback.reason, have, nameOfBytes(kind.bytes));
}

std::string sentence(const Kind &kind) {
  std::string moves = kind.count == 1
                          ? "it moves "
                          : fmt::format("{} of them move ", kind.count);
  return fmt::format("'{}' falls back to the host: {}; {}{} through DDR",
                     kind.first->getName().getStringRef().str(),
                     kind.fallback.reason, moves, nameOfBytes(kind.bytes));
}

/// What users can do to avoid the host fallback.
std::string advice(const Kind &kind) {
  switch (kind.fallback.kind) {
  case HostFallbackKind::NotUnderstood:
    if (kind.first->getName().getDialectNamespace() == "tosa")
      return "upstream lowers TOSA, before tensors are given layouts: " +
             tosaToLinalg.str();
    return "docs/adding-an-op.md tells how to teach the passes an operation";
  case HostFallbackKind::NotRegistered:
    return fmt::format(
        "the tool has to register the external models of dialect '{}'",
        kind.first->getName().getDialectNamespace().str());
  case HostFallbackKind::Call:
    return "npu-opt --inline puts what is called in the call's place";
  case HostFallbackKind::NoKernel:
    return "npu-print-kernels says what each row of the device's table of "
           "kernels has against it";
  case HostFallbackKind::NotCut:
  case HostFallbackKind::WritesBeyond:
  case HostFallbackKind::Regions:
    return "";
  }
}

/// Keyed by operation name and reason, in program order.
using Name = std::pair<StringRef, std::string>;
using Kinds = llvm::MapVector<Name, Kind, std::map<Name, unsigned>>;

/// Reports kinds of operations, those of host fallbacks with where to see more.
/// Each advice is given only once.
void reportKinds(Operation *root, const Kinds &kinds, HostFallbackPolicy policy,
                 std::string (*say)(const Kind &), StringRef more) {
  if (kinds.empty())
    return;
  // The dialect is loaded: whoever asks depends on it.
  const auto *said = root->getContext()
                         ->getLoadedDialect<NPUDialect>()
                         ->getRegisteredInterface<ReportedOnce>();
  std::string where =
      root->getParentOp() ? nameOfFunction(root).str() : std::string();
  llvm::StringSet<> advised;
  for (const auto &[name, kind] : kinds) {
    std::string text = say(kind);
    if (policy == HostFallbackPolicy::Warn &&
        !said->isFirst(
            fmt::format("{} {} {}", where, name.first.str(), name.second)))
      continue;
    InFlightDiagnostic diagnostic =
        policy == HostFallbackPolicy::Error
            ? mlir::emitError(kind.first->getLoc())
            : mlir::emitWarning(kind.first->getLoc());
    diagnostic << text;
    noteNode(diagnostic, kind.first);
    for (const std::string &note : {advice(kind), more.str()})
      if (!note.empty() && advised.insert(note).second)
        diagnostic.attachNote() << note;
  }
}

Kinds findKinds(
    Operation *root,
    llvm::function_ref<std::optional<HostFallback>(Operation *)> of) {
  Kinds kinds;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<HostFallback> fallback = of(op);
    if (!fallback || fallback->bytes() == 0)
      return;
    auto [it, isNew] = kinds.try_emplace(
        {op->getName().getStringRef(), fallback->reason}, Kind{op, *fallback});
    ++it->second.count;
    it->second.bytes += fallback->bytes();
  });
  return kinds;
}

} // namespace

LogicalResult reportHostFallbacks(Operation *root, HostFallbackPolicy policy) {
  if (policy == HostFallbackPolicy::Allow)
    return success();
  EmptyOrigins origins;
  HostFallbackQuery question(origins);
  Kinds kinds = findKinds(root, [&](Operation *op) { return question.of(op); });
  reportKinds(root, kinds, policy, sentence,
              "npu-print-transfers lists each of them");
  return failure(policy == HostFallbackPolicy::Error && !kinds.empty());
}

LogicalResult reportHostFallbacksInDdr(Operation *root,
                                       HostFallbackPolicy policy) {
  if (policy == HostFallbackPolicy::Allow)
    return success();
  Kinds kinds = findKinds(root, hostFallbackInDdr);
  reportKinds(root, kinds, policy, sentenceInDdr, "");
  return failure(policy == HostFallbackPolicy::Error && !kinds.empty());
}

} // namespace npu
