// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a prefill function can be run in chunks: row i of its results must
// follow from the prompt's rows 0 to i and from what the cache held before, and
// must not depend on where a chunk begins. The proof compares two runs: one of
// the whole prompt, and one of a part that begins later, with a larger offset
// and with the earlier part in the cache. The analysis changes no IR.

#ifndef NPU_ANALYSIS_CAUSALITY_CAUSALITY_H
#define NPU_ANALYSIS_CAUSALITY_CAUSALITY_H

#include "npu/Analysis/Body/PairFact.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Interfaces/CausalOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

#include <array>

namespace npu {

/// An attribute of a function argument that is a cache: the dimension along
/// which the cache has an entry for each position. A result of the function is
/// the cache with the prompt's entries.
inline constexpr llvm::StringLiteral cacheDimAttrName =
    NPUDialect::CacheDimAttrHelper::getNameStr();
/// An attribute of the argument (index or integer) that is the position of the
/// prompt's first row. As many entries of each cache are real.
inline constexpr llvm::StringLiteral cacheOffsetAttrName =
    NPUDialect::CacheOffsetAttrHelper::getNameStr();

/// What the attributes of a prefill function's arguments say.
struct Prefill {
  Prompt prompt;
  /// For each argument the dimension of positions, if the argument is a cache.
  llvm::SmallVector<std::optional<int64_t>> cacheDims;
  unsigned offset = 0;
  /// The number of positions of the smallest cache.
  int64_t capacity = 0;
};

/// Reads the attributes of the function's arguments, or fails with a
/// diagnostic. `found` is false, and there is no diagnostic, where no argument
/// is marked as a cache or an offset.
mlir::FailureOr<Prefill> findPrefill(mlir::func::FuncOp function, bool &found);

/// What a proof assumes of a function's arguments and caches.
enum class Assuming : unsigned {
  Nothing,
  /// Arguments and caches hold finite numbers, and sums, products and quotients
  /// of finite numbers do not overflow. (0 times infinity is NaN: without this
  /// assumption, hardly any function is causal that weighs later positions with
  /// 0.)
  Finite
};

/// What is known of the entries of a tensor, or of a scalar, in the two runs:
/// on the left the run of the whole prompt, on the right the run of a chunk.
struct EntryFacts {
  /// Entries of rows that both runs compute from the same positions.
  PairFact visible;
  /// Entries (row i, position j) where j is after row i: in one run the cache
  /// has the prompt's later rows there, in the other run what it held before.
  /// Equal to `visible` for tensors without positions.
  PairFact after;
  /// Entries at position 0, which every row sees. Equal to `visible` for
  /// tensors without positions.
  PairFact first;
};

/// What a result of a prefill function is to the loop over its chunks.
struct PrefillResult {
  enum Kind { Rows, Cache, Last } kind;
  /// Of kind Rows: the dimension of the rows.
  int64_t dim = 0;
  /// Of kind Cache: the number of the cache's argument.
  unsigned argument = 0;
};

/// What a structured operation makes of its operands in the two runs.
struct StructuredFacts {
  /// One for each result.
  llvm::SmallVector<EntryFacts> entries;
  /// The operation computes different entries in the two runs even where both
  /// runs read the same.
  bool visiblyDiffers = false;
  /// The reason why the two runs differ.
  std::string why;
  /// An operation of the region that may trap on an entry after a row.
  mlir::Operation *trap = nullptr;
};

class Causality : private RowTransfer {
public:
  Causality(mlir::func::FuncOp function, const Prefill &prefill,
            bool assumeFinite);

  /// Analyses the function. Fails with a diagnostic that names the operation
  /// that is not causal, and why.
  mlir::LogicalResult run();

  Dependence of(mlir::Value value) const override;
  /// What is known of the entries of `value` under an assumption.
  EntryFacts factsOf(mlir::Value value, Assuming assuming) const;
  /// What each result of the function is. Precondition: `run` has succeeded.
  llvm::ArrayRef<PrefillResult> results() const { return resultKinds; }
  /// The number of positions of the caches; offset and rows together do not
  /// exceed it.
  int64_t capacity() const { return prefill.capacity; }
  /// The operations that give the same in chunks only if rows and caches hold
  /// finite numbers.
  llvm::ArrayRef<mlir::Operation *> assumptions() const { return assuming; }

  /// An index or integer of the function as an expression, in which s0 is the
  /// offset and s1 the prompt length. Null where the value is no such
  /// expression.
  mlir::AffineExpr exprOf(mlir::OpFoldResult value) const override;
  /// Whether a scalar of the function is the same in both runs (or, with
  /// `last`, in the run of the whole prompt and in the last chunk).
  bool isSame(mlir::OpFoldResult scalar, bool last) const override;
  /// Whether an expression of loops, the offset and the length is the same in
  /// both runs for the same row: the offset and the loop over rows occur in it
  /// as their sum alone.
  bool isSame(mlir::AffineExpr expr, std::optional<unsigned> rowLoop,
              bool last) const;

  const Prefill &getPrefill() const { return prefill; }

private:
  /// What an operation reads.
  struct Reads {
    /// A value that follows from the prompt's rows.
    bool rows = false;
    /// A scalar that follows from the offset or the length.
    bool numbers = false;
    /// A cache that does not have the prompt's entries yet.
    bool oldCache = false;
  };

  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitReturn(mlir::Operation *op);
  mlir::LogicalResult visitAssert(mlir::cf::AssertOp op);
  void visitDim(mlir::ShapedDimOpInterface op);
  /// An operation that reads no value that follows from the prompt, but perhaps
  /// scalars that differ between the two runs.
  mlir::LogicalResult visitIndependent(mlir::Operation *op, bool readsNumbers);
  /// An operation that has a model of CausalOpInterface.
  mlir::LogicalResult ask(CausalOpInterface op);
  Reads readsOf(mlir::Operation *op) const;
  /// Whether a comparison that holds for the whole prompt holds for each chunk.
  bool holdsInChunks(mlir::arith::CmpIOp compare) const;
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);

  WhyNotCausal computeEntries(mlir::Operation *op,
                              const CausalLoops &loops) override;
  void set(mlir::Value result, const Dependence &dependence) override;

  void setFacts(mlir::Value value, llvm::function_ref<EntryFacts(Assuming)> of);
  /// Records that each entry of `to` is an entry of one of the values `from`.
  void joinFacts(mlir::ValueRange from, mlir::Value to);
  /// Records the facts of an operation that reads nothing of the prompt.
  void setIndependentFacts(mlir::Operation *op);
  /// Records facts of an operation whose model has set dependences without
  /// computing the entries.
  void setAnsweredFacts(CausalOpInterface op);
  WhyNotCausal computeElementwise(mlir::Operation *op,
                                  const CausalLoops &loops);
  WhyNotCausal computeStructured(mlir::linalg::LinalgOp op,
                                 const CausalLoops &loops);
  /// The fact of the results of `op`, computed from the facts `which` of its
  /// operands.
  PairFact transferred(mlir::Operation *op, PairFact EntryFacts::*which,
                       Assuming assuming) const;
  StructuredFacts factsOfStructured(mlir::linalg::LinalgOp op,
                                    const CausalLoops &loops,
                                    Assuming assuming) const;
  FloatClasses neverReduced(mlir::linalg::LinalgOp op, const CausalLoops &loops,
                            unsigned output, const PairFact &begin,
                            Assuming assuming) const;

  mlir::func::FuncOp function;
  mlir::MLIRContext *context;
  Prefill prefill;
  bool assumeFinite;
  /// How values follow from the prompt; also for values that were found to
  /// follow from nothing.
  llvm::DenseMap<mlir::Value, Dependence> dependences;
  /// The facts of each value, indexed by the assumption (`Assuming`).
  llvm::DenseMap<mlir::Value, std::array<EntryFacts, 2>> facts;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> indices;
  /// Scalars that are neither constants nor expressions, and differ between the
  /// two runs.
  llvm::DenseSet<mlir::Value> differing;
  /// Caches into which the prompt's entries have been put.
  llvm::SmallDenseSet<unsigned> updated;
  llvm::SmallVector<PrefillResult> resultKinds;
  llvm::SmallVector<mlir::Operation *> assuming;
};

} // namespace npu

#endif // NPU_ANALYSIS_CAUSALITY_CAUSALITY_H
