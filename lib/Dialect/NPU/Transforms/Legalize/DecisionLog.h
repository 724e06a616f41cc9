// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the decisions of legalization and remarks them at its end. A
// redistribution that is made for one use is dead when its user is computed
// elsewhere, and two adjacent ones become one: a remark has the bytes of the
// operation in the result, and says so where a decision is undone. Nothing is
// collected where nobody has asked for remarks.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_DECISIONLOG_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_DECISIONLOG_H

#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/Support/Naming.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"

namespace npu {

/// Collects decisions, and follows their operations through all rewriting until
/// `emitRemarks`.
class DecisionLog : public mlir::RewriterBase::Listener {
public:
  DecisionLog(mlir::MLIRContext *context, MovementCache &movement);

  bool isListening() const { return listening; }

  /// Records that `made`, which is not null, was made for `op`. `reason` is
  /// called only if remarks are on.
  template <typename Reason>
  void make(llvm::StringRef name, mlir::Operation *op, mlir::Operation *made,
            Reason reason) {
    if (listening)
      add(Kind::Makes, name, op, made, reason());
  }

  /// Records a decision about `op` that made no operation. `uses` is the
  /// existing operation that serves `op`, or null.
  template <typename Reason>
  void note(llvm::StringRef name, mlir::Operation *op, mlir::Operation *uses,
            Reason reason) {
    if (listening)
      add(Kind::Notes, name, op, uses, reason());
  }

  template <typename Reason>
  void leaveAlone(mlir::Operation *op, Reason reason) {
    if (listening)
      add(Kind::LeavesAlone, "left-alone", op, op, reason());
  }

  /// Records that `first` and `second`, its only user, may be merged.
  void meet(mlir::Operation *first, mlir::Operation *second);

  /// Remarks each decision, in the order in which the decisions were made.
  void emitRemarks() const;

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;
  void notifyOperationReplaced(mlir::Operation *op,
                               mlir::ValueRange replacement) override;
  void notifyOperationErased(mlir::Operation *op) override;

private:
  enum class Kind { Makes, Notes, LeavesAlone };

  struct Decision {
    Kind kind;
    llvm::StringRef name;
    /// The function's name, in memory of the context, as a remark may be
    /// printed last.
    llvm::StringRef function;
    mlir::Location loc;
    /// The operation that was made or is used, by its index in `followed`.
    std::optional<unsigned> about;
    std::string reason;
  };

  /// An operation of a decision, followed through its replacements.
  struct Followed {
    /// The current operation; null when it is gone.
    mlir::Operation *op = nullptr;
    /// The index of the operation that has absorbed this one, if any.
    std::optional<unsigned> next = std::nullopt;
    bool merged = false;
  };

  void add(Kind kind, llvm::StringRef name, mlir::Operation *op,
           mlir::Operation *about, std::string reason);
  unsigned follow(mlir::Operation *op);
  /// The index of the operation that is left of the decision's operation;
  /// nothing where none is.
  std::optional<unsigned> remainderOf(const Decision &decision) const;
  /// For each remaining operation, the decision whose remark has its bytes.
  llvm::DenseMap<unsigned, const Decision *> decisionsWithBytes() const;
  void emitMade(const Decision &decision, unsigned left,
                EmptyOrigins &origins) const;
  static void emitDone(const Decision &decision, llvm::StringRef name,
                       const std::string &reason, int64_t bytes);
  static void emitAnalysis(const Decision &decision, llvm::StringRef name,
                           const std::string &reason);
  static void emitUndone(const Decision &decision, const std::string &end);

  bool listening;
  MovementCache &movement;
  std::vector<Decision> decisions;
  std::vector<Followed> followed;
  llvm::DenseMap<mlir::Operation *, unsigned> indices;
  llvm::DenseSet<mlir::Operation *> fresh;
};

/// "redistribute", "narrow" or "relabel".
llvm::StringRef nameOf(Relation relation);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_DECISIONLOG_H
