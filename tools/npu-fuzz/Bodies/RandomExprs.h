// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up random scalar expressions over the values of a region, and the
// combiners in which reductions end.

#ifndef NPU_FUZZ_BODIES_RANDOMEXPRS_H
#define NPU_FUZZ_BODIES_RANDOMEXPRS_H

#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu-fuzz/Recipes/Recipe.h"

namespace npu {

struct Combiner {
  std::string name;
  double neutral;
};

/// A random combiner of that type; sums most often.
Combiner randomCombiner(RandomNumbers &random, ElementType type);

/// The values that a region may use.
struct Scope {
  std::vector<Loop> loops;
  std::vector<ElementType> inputs;
  /// The loop whose sum with the offset is a row's position in a cache; -1:
  /// there is no cache.
  int rowLoop = -1;
  bool readsAccumulator = false;
  ElementType accumulator = ElementType::F32;
  bool hasLength = true;
  /// Steps that may be read at computed positions.
  std::vector<unsigned> tables;
  const std::vector<Step> *steps = nullptr;
  /// A number that is drawn more often than others: that of the next reduction.
  double favourite = 0;
  ElementType favouriteType = ElementType::F32;
  /// Whether only finite and small numbers are drawn.
  bool tame = false;
};

/// Makes up expressions. Random numbers are drawn in statements of their own,
/// never twice among the arguments of a call, because compilers evaluate
/// arguments in different orders.
class RandomExprs {
public:
  RandomExprs(RandomNumbers &random, Scope scope)
      : random(random), scope(std::move(scope)) {}

  /// An expression of any form, with at most `depth` nested operations.
  Expr any(ElementType type, int depth);
  /// An expression of type i1.
  Expr truth(int depth);
  /// A comparison of two positions.
  Expr mask();
  /// An expression of type index.
  Expr position(int depth);
  /// A special number: 0, -0, infinities, NaN, the favourite.
  Expr special(ElementType type);

private:
  Expr leaf(ElementType type);
  Expr floating(ElementType type, int depth);
  Expr integer(ElementType type, int depth);
  /// The operation `name` on two operands of that type.
  Expr both(const std::string &name, ElementType type, int depth);
  Expr afterMask(ElementType type, int depth);
  Expr division(ElementType type, int depth);
  Expr read(ElementType type, int depth);
  std::vector<Expr> inputsOf(ElementType type) const;
  template <typename... Names>
  std::string oneOf(Names... names) {
    const char *all[] = {names...};
    return all[random.below(sizeof...(names))];
  }

  RandomNumbers &random;
  Scope scope;
};

} // namespace npu

#endif // NPU_FUZZ_BODIES_RANDOMEXPRS_H
