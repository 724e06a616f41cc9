// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What legalization decides is said when it is over. A redistribution that is
// made for one use is dead when its user is computed elsewhere, and two that
// meet become one: bytes are those of what is in the result, and what is not
// there is said to be undone. Nothing is written down while nobody has asked
// for remarks.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_DECISIONLOG_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_LEGALIZE_DECISIONLOG_H

#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/Support/Naming.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseSet.h"

namespace npu {

/// Listens to whoever rewrites while decisions are waiting to be said.
class DecisionLog : public mlir::RewriterBase::Listener {
public:
  DecisionLog(mlir::MLIRContext *context, MovementCache &movement);

  bool isListening() const { return listening; }

  /// For `op`, `made` was made, which is not null. `reason` is called only if
  /// someone listens.
  template <typename Reason>
  void make(llvm::StringRef name, mlir::Operation *op, mlir::Operation *made,
            Reason reason) {
    if (listening)
      add(Kind::Makes, name, op, made, reason());
  }

  /// For `op`, nothing was made: what it has was there, or is none. `uses` is
  /// what it has.
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

  /// `second` reads `first` alone, and they may become one.
  void meet(mlir::Operation *first, mlir::Operation *second);

  /// One remark for each decision, in the order in which they were taken.
  void say() const;

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
    /// In the context's memory, as a remark may be printed last of all.
    llvm::StringRef function;
    mlir::Location loc;
    /// What was made or is used, by its index in `followed`.
    std::optional<unsigned> about;
    std::string reason;
  };

  /// An operation of a decision, through all that replaces it.
  struct Followed {
    /// Null when it is gone.
    mlir::Operation *op = nullptr;
    /// What it has become a part of, should it be gone.
    std::optional<unsigned> next = std::nullopt;
    bool merged = false;
  };

  void add(Kind kind, llvm::StringRef name, mlir::Operation *op,
           mlir::Operation *about, std::string reason);
  unsigned follow(mlir::Operation *op);
  /// What is left of what it is about.
  std::optional<unsigned> remainderOf(const Decision &decision) const;
  /// Whose remark has the bytes, of those that led to the same operation.
  llvm::DenseMap<unsigned, const Decision *> speakers() const;
  void sayMade(const Decision &decision, unsigned left,
               EmptyOrigins &origins) const;
  static void sayDone(const Decision &decision, llvm::StringRef name,
                      const std::string &reason, int64_t bytes);
  static void sayAnalysis(const Decision &decision, llvm::StringRef name,
                          const std::string &reason);
  static void sayUndone(const Decision &decision, const std::string &end);

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
