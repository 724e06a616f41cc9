// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up random scalar expressions over the values of a region, and the
// combiners in which reductions end.

#ifndef NPU_FUZZ_BODIES_RANDOMEXPRS_H
#define NPU_FUZZ_BODIES_RANDOMEXPRS_H

#include "npu-fuzz/Functions/Nest.h"

#include <limits>

namespace npu {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Combiner {
  const char *name = nullptr;
  double neutral = 0;
};

/// A random combiner of that type; sums most often.
Combiner randomCombiner(RandomNumbers &random, ElementType type);

/// A number of that type which stands out: 0, -0, an infinity, NaN, an end of
/// the type; a finite and small one where it is to be tame.
double specialNumber(RandomNumbers &random, ElementType type, bool isTame);

/// The values that a region may use beside its inputs.
struct Scope {
  /// The loop whose sum with the offset is a row's position in a cache; -1:
  /// there is no cache.
  int rowLoop = -1;
  /// A prompt's offset in its cache.
  mlir::Value offset;
  bool readsAccumulator = false;
  bool hasLength = true;
  /// Tensors that may be read at computed positions.
  std::vector<Fact> tables;
  /// A number that is drawn more often than others: that of the next reduction.
  double favourite = 0;
  ElementType favouriteType = ElementType::F32;
  /// Whether only finite and small numbers are drawn.
  bool tame = false;
};

/// Builds expressions. Random numbers are drawn in statements of their own,
/// never twice among the arguments of a call, because compilers evaluate
/// arguments in different orders.
class RandomExprs {
public:
  RandomExprs(RandomNumbers &random, Region &region, Scope scope)
      : random(random), region(region), at(&region), scope(std::move(scope)) {}

  /// An expression of any form, with at most `depth` nested operations.
  mlir::Value any(ElementType type, int depth);
  /// An expression of type i1.
  mlir::Value truth(int depth);
  /// A comparison of two positions.
  mlir::Value mask();
  mlir::Value special(ElementType type);
  /// Both, the one or the other way round.
  mlir::Value chooseAnyWay(mlir::Value condition, mlir::Value a,
                           mlir::Value b) {
    return random.oneIn(2) ? at->choose(condition, a, b)
                           : at->choose(condition, b, a);
  }

private:
  mlir::Value position(int depth);
  mlir::Value leaf(ElementType type);
  mlir::Value floating(ElementType type, int depth);
  mlir::Value integer(ElementType type, int depth);
  /// One of the operations `names` on two operands of that type.
  mlir::Value both(llvm::StringRef names, ElementType type, int depth);
  mlir::Value afterMask(ElementType type, int depth);
  mlir::Value division(ElementType type, int depth);
  mlir::Value read(ElementType type, int depth);
  mlir::Value choice(ElementType type, int depth);
  /// One of several words.
  llvm::StringRef oneOf(llvm::StringRef words);

  RandomNumbers &random;
  Region &region;
  /// The region, or a branch in it, to which operations are added.
  Scalars *at;
  Scope scope;
};

} // namespace npu

#endif // NPU_FUZZ_BODIES_RANDOMEXPRS_H
