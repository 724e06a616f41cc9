// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a prefill function can be run in chunks: row i of what it computes
// must follow from the prompt's first rows to row i and from what the cache
// holds before, and must not care where a chunk begins. Proved on two runs that
// are compared: one of the whole prompt, one of a part that begins later, with
// a larger offset and with the part before it in the cache. Changes nothing.

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

/// On a function argument that is a cache: the dimension along which it has an
/// entry for each position. A result gives the cache with the prompt's entries.
inline constexpr llvm::StringLiteral cacheDimAttrName =
    NPUDialect::CacheDimAttrHelper::getNameStr();
/// On the argument (index or integer) that is the position of the prompt's
/// first row: as many entries of the caches are real.
inline constexpr llvm::StringLiteral cacheOffsetAttrName =
    NPUDialect::CacheOffsetAttrHelper::getNameStr();

/// What the marks of a prefill function say.
struct Prefill {
  Prompt prompt;
  /// Per argument.
  llvm::SmallVector<std::optional<int64_t>> cacheDims;
  unsigned offset = 0;
  /// Entries of the smallest cache.
  int64_t capacity = 0;
};

/// The marks, or a diagnostic; `found` is false, without one, where nothing is
/// marked as a cache or an offset.
mlir::FailureOr<Prefill> findPrefill(mlir::func::FuncOp function, bool &found);

/// What may be taken for granted of a function's arguments and caches.
enum class Assuming : unsigned {
  Nothing,
  /// They hold finite numbers, and sums, products and quotients of finite
  /// numbers do not overflow. (0 times infinity is NaN: without this, hardly
  /// any function is causal that weighs later positions with 0.)
  Finite
};

/// What entries of a tensor, or a scalar, are in the two runs: left, of the
/// whole prompt, and right, of a chunk.
struct EntryFacts {
  /// Wherever both runs compute the same row from the same positions.
  PairFact visible;
  /// An entry (row i, position j) where j is behind row i: in one run the cache
  /// has the prompt's later rows there, in the other what it had before. As
  /// `visible` for tensors without positions.
  PairFact behind;
  /// What is visible at position 0, which every row sees. As `visible` for
  /// tensors without positions.
  PairFact first;
};

/// What a result is for whoever runs chunks.
struct PrefillResult {
  enum Kind { Rows, Cache, Last } kind;
  /// Rows: the dimension.
  int64_t dim = 0;
  /// Cache: the argument.
  unsigned argument = 0;
};

/// What a structured operation makes of its operands in the two runs.
struct StructuredFacts {
  /// Per result.
  llvm::SmallVector<EntryFacts> entries;
  /// Even where both runs read the same, they compute something else.
  bool visiblyDiffers = false;
  /// Why something differs.
  std::string why;
  /// An operation of the region that may trap on what is behind a row.
  mlir::Operation *trap = nullptr;
};

class Causality : private RowTransfer {
public:
  Causality(mlir::func::FuncOp function, const Prefill &prefill,
            bool assumeFinite);

  /// Fails with a diagnostic that names the operation and why.
  mlir::LogicalResult run();

  Dependence of(mlir::Value value) const override;
  /// What its entries are.
  EntryFacts factsOf(mlir::Value value, Assuming assuming) const;
  /// Per result, after `run`.
  llvm::ArrayRef<PrefillResult> results() const { return resultKinds; }
  /// The entries of the caches: no offset and no row is beyond.
  int64_t capacity() const { return prefill.capacity; }
  /// The operations that are the same in chunks only if what rows and caches
  /// hold is finite.
  llvm::ArrayRef<mlir::Operation *> assumptions() const { return assuming; }

  /// An index or integer of the function as an expression: s0 is the offset, s1
  /// the prompt length. Null where it is none.
  mlir::AffineExpr exprOf(mlir::OpFoldResult value) const override;
  /// A scalar of the function is the same in both runs (or, with `last`, in the
  /// last chunk).
  bool isSame(mlir::OpFoldResult scalar, bool last) const override;
  /// An expression of loops, the offset and the length is the same for the same
  /// row: it follows from the offset and the loop over rows through their sum.
  bool isSame(mlir::AffineExpr expr, std::optional<unsigned> rowLoop,
              bool last) const;

  const Prefill &getPrefill() const { return prefill; }

private:
  /// What an operation reads.
  struct Reads {
    /// Something that follows from the prompt.
    bool rows = false;
    /// A number that follows from the offset or the length.
    bool numbers = false;
    /// A cache before the prompt's entries are in it.
    bool oldCache = false;
  };

  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitReturn(mlir::Operation *op);
  mlir::LogicalResult visitAssert(mlir::cf::AssertOp op);
  void visitDim(mlir::ShapedDimOpInterface op);
  /// One that reads nothing of the prompt, but perhaps numbers that differ.
  mlir::LogicalResult visitIndependent(mlir::Operation *op, bool readsNumbers);
  /// An operation that says itself what it does.
  mlir::LogicalResult ask(CausalOpInterface op);
  Reads readsOf(mlir::Operation *op) const;
  /// What holds for the prompt holds for each of its chunks.
  bool holdsInChunks(mlir::arith::CmpIOp compare) const;
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);

  WhyNotCausal computeEntries(mlir::Operation *op,
                              const CausalLoops &loops) override;
  void set(mlir::Value result, const Dependence &dependence) override;

  void setFacts(mlir::Value value, llvm::function_ref<EntryFacts(Assuming)> of);
  /// Each entry of `to` is one of `from`.
  void joinFacts(mlir::ValueRange from, mlir::Value to);
  /// Of an operation that reads nothing of the prompt.
  void setIndependentFacts(mlir::Operation *op);
  /// Of one that has answered, where it has not computed them.
  void setAnsweredFacts(CausalOpInterface op);
  WhyNotCausal computeElementwise(mlir::Operation *op,
                                  const CausalLoops &loops);
  WhyNotCausal computeStructured(mlir::linalg::LinalgOp op,
                                 const CausalLoops &loops);
  /// What an operation makes of `which` of its operands' entries.
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
  /// Of what has been answered, if it is that it follows from nothing.
  llvm::DenseMap<mlir::Value, Dependence> dependences;
  /// By what is assumed.
  llvm::DenseMap<mlir::Value, std::array<EntryFacts, 2>> facts;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> indices;
  /// Scalars that are neither constants nor expressions, but differ.
  llvm::DenseSet<mlir::Value> differing;
  /// Caches into which the prompt's entries have been put.
  llvm::SmallDenseSet<unsigned> updated;
  llvm::SmallVector<PrefillResult> resultKinds;
  llvm::SmallVector<mlir::Operation *> assuming;
};

} // namespace npu

#endif // NPU_ANALYSIS_CAUSALITY_CAUSALITY_H
