// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up random scalar expressions over the values of a region, and the
// combiners in which reductions end.

#ifndef NPU_FUZZ_BODIES_RANDOMEXPRS_H
#define NPU_FUZZ_BODIES_RANDOMEXPRS_H

#include "npu-fuzz/Bodies/MakeExprs.h"
#include "npu-fuzz/Plans/RandomPlacements.h"

namespace npu {

struct Combiner {
  std::string name;
  double neutral;
};

/// A random combiner of that type; sums most often.
Combiner randomCombiner(RandomNumbers &random, BodyType type);

/// The values that a region may use.
struct Scope {
  std::vector<BodyLoop> loops;
  std::vector<BodyType> inputs;
  /// The loop whose sum with the offset is a row's position in a cache; -1:
  /// there is no cache.
  int rowLoop = -1;
  bool readsAccumulator = false;
  BodyType accumulator = BodyType::F32;
  bool hasLength = true;
  /// Steps that may be read at computed positions.
  std::vector<unsigned> tables;
  const std::vector<BodyStep> *steps = nullptr;
  /// A number that is drawn more often than others: that of the next reduction.
  double favourite = 0;
  BodyType favouriteType = BodyType::F32;
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
  BodyExpr any(BodyType type, int depth);
  /// An expression of type i1.
  BodyExpr truth(int depth);
  /// A comparison of two positions.
  BodyExpr mask();
  /// An expression of type index.
  BodyExpr position(int depth);
  /// A special number: 0, -0, infinities, NaN, the favourite.
  BodyExpr special(BodyType type);

private:
  BodyExpr leaf(BodyType type);
  BodyExpr floating(BodyType type, int depth);
  BodyExpr integer(BodyType type, int depth);
  /// The operation `name` on two operands of that type.
  BodyExpr both(const std::string &name, BodyType type, int depth);
  BodyExpr behindMask(BodyType type, int depth);
  BodyExpr division(BodyType type, int depth);
  BodyExpr read(BodyType type, int depth);
  std::vector<BodyExpr> inputsOf(BodyType type) const;
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
