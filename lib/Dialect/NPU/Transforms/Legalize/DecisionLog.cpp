// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DecisionLog.h"
#include "npu/Support/Decisions.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

DecisionLog::DecisionLog(MLIRContext *context, MovementCache &movement)
    : listening(isListeningToDecisions(context)), movement(movement) {}

void DecisionLog::add(Kind kind, StringRef name, Operation *op,
                      Operation *about, std::string reason) {
  decisions.push_back({kind, name, nameOfFunction(op), op->getLoc(),
                       about ? std::optional(follow(about)) : std::nullopt,
                       std::move(reason)});
}

unsigned DecisionLog::follow(Operation *op) {
  auto [it, isNew] = indices.try_emplace(op, followed.size());
  if (isNew)
    followed.push_back({op});
  return it->second;
}

void DecisionLog::meet(Operation *first, Operation *second) {
  if (!listening)
    return;
  unsigned next = follow(second);
  followed[follow(first)].next = next;
}

void DecisionLog::notifyOperationInserted(Operation *op,
                                          OpBuilder::InsertPoint) {
  fresh.insert(op);
}

/// An operation of the input that replaces another is not made by a decision:
/// the replaced operation counts as gone.
void DecisionLog::notifyOperationReplaced(Operation *op,
                                          ValueRange replacement) {
  auto it = indices.find(op);
  Operation *by =
      replacement.empty() ? nullptr : replacement[0].getDefiningOp();
  if (it == indices.end() || !fresh.contains(by))
    return;
  unsigned index = it->second;
  followed[index].op = by;
  followed[index].merged = true;
  indices.erase(it);
  indices[by] = index;
}

/// Another operation may get the address of the erased one.
void DecisionLog::notifyOperationErased(Operation *op) {
  fresh.erase(op);
  auto it = indices.find(op);
  if (it == indices.end())
    return;
  followed[it->second].op = nullptr;
  indices.erase(it);
}

std::optional<unsigned>
DecisionLog::remainderOf(const Decision &decision) const {
  std::optional<unsigned> index = decision.about;
  while (index && !followed[*index].op)
    index = followed[*index].next;
  return index;
}

llvm::DenseMap<unsigned, const DecisionLog::Decision *>
DecisionLog::decisionsWithBytes() const {
  llvm::DenseMap<unsigned, const Decision *> decisionsWithBytes;
  for (bool itself : {true, false})
    for (const Decision &decision : decisions) {
      std::optional<unsigned> left = remainderOf(decision);
      if (decision.kind == Kind::Makes && left &&
          (left == decision.about) == itself)
        decisionsWithBytes.try_emplace(*left, &decision);
    }
  return decisionsWithBytes;
}

void DecisionLog::emitRemarks() const {
  llvm::DenseMap<unsigned, const Decision *> decisionsWithBytes =
      this->decisionsWithBytes();
  EmptyOrigins origins;
  for (const Decision &decision : decisions) {
    std::optional<unsigned> left = remainderOf(decision);
    if (!left && decision.about)
      emitUndone(decision, "nothing of it is left");
    else if (decision.kind == Kind::LeavesAlone)
      emitAnalysis(decision, decision.name, decision.reason);
    else if (decision.kind == Kind::Notes)
      emitDone(decision, decision.name, decision.reason, 0);
    else if (const Decision *speaker = decisionsWithBytes.lookup(*left);
             speaker == &decision)
      emitMade(decision, *left, origins);
    else
      emitUndone(decision, "it has become one with the move for " +
                               nameOfLocation(speaker->loc));
  }
}

void DecisionLog::emitMade(const Decision &decision, unsigned left,
                           EmptyOrigins &origins) const {
  auto [op, next, merged] = followed[left];
  if (!keepsIndices(op))
    return emitDone(decision, decision.name, decision.reason, 0);
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  StringRef name = "redistribute";
  int64_t bytes = 0;
  if (!cast<LayoutChangeOpInterface>(op).movesData())
    name = nameOf(movement.relation(from, to));
  else if (!origins.isRematerializedAsEmpty(op))
    bytes = movement.bytes(op->getResult(0), from, to);
  std::string reason = decision.reason;
  if (merged || left != decision.about)
    reason += "; it has become one with the move beside it";
  emitDone(decision, name, reason, bytes);
}

void DecisionLog::emitDone(const Decision &decision, StringRef name,
                           const std::string &reason, int64_t bytes) {
  if (auto remark = mlir::remark::passed(
          decision.loc, npu::decision(name, decision.function)))
    remark << mlir::remark::reason("{0}", reason)
           << mlir::remark::metric("bytes", bytes);
}

void DecisionLog::emitAnalysis(const Decision &decision, StringRef name,
                               const std::string &reason) {
  if (auto remark = mlir::remark::analysis(
          decision.loc, npu::decision(name, decision.function)))
    remark << mlir::remark::reason("{0}", reason)
           << mlir::remark::metric("bytes", int64_t(0));
}

void DecisionLog::emitUndone(const Decision &decision, const std::string &end) {
  emitAnalysis(
      decision, "undone",
      fmt::format("{}: {}; {}", decision.name.str(), decision.reason, end));
}

StringRef nameOf(Relation relation) {
  switch (relation) {
  case Relation::Identical:
  case Relation::SameMemory:
    return "relabel";
  case Relation::Contained:
    return "narrow";
  case Relation::DataMoves:
    return "redistribute";
  }
}

} // namespace npu
