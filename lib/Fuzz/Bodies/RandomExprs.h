// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random scalar expressions over what a region has, and the combiners that
// reductions end in.

#ifndef NPU_LIB_FUZZ_BODIES_RANDOMEXPRS_H
#define NPU_LIB_FUZZ_BODIES_RANDOMEXPRS_H

#include "npu/Fuzz/Bodies/BodyRecipe.h"

#include "npu/Fuzz/Plans/RandomPlacements.h"

namespace npu {

BodyExpr number(BodyType type, double value);
/// The entry of one of the operation's inputs.
BodyExpr input(BodyType type, int64_t number);
BodyExpr simple(std::string name, std::vector<BodyExpr> operands);
BodyExpr choose(BodyExpr condition, BodyExpr yes, BodyExpr no);
BodyExpr comparison(std::string predicate, BodyExpr a, BodyExpr b);
BodyExpr cast(std::string name, BodyType type, BodyExpr operand);
/// A position as a number of that type.
BodyExpr positionAs(BodyType type, BodyExpr position);

struct Combiner {
  std::string name;
  double neutral;
};

/// Of a type, all that a reduction may end in; sums most often.
Combiner randomCombiner(RandomNumbers &random, BodyType type);

/// What a region has.
struct Scope {
  std::vector<BodyLoop> loops;
  std::vector<BodyType> inputs;
  /// A row's position in a cache is its loop plus the offset; none: no cache.
  int rowLoop = -1;
  bool readsAccumulator = false;
  BodyType accumulator = BodyType::F32;
  bool hasLength = true;
  /// Steps that may be read at computed positions.
  std::vector<unsigned> tables;
  const std::vector<BodyStep> *steps = nullptr;
  /// What is drawn more often than other numbers: of the reduction to come.
  double favourite = 0;
  BodyType favouriteType = BodyType::F32;
  /// Nothing but what is finite and small.
  bool tame = false;
};

/// Draws stand in statements of their own, never beside each other in the
/// arguments of a call: compilers evaluate those in different orders.
class RandomExprs {
public:
  RandomExprs(RandomNumbers &random, Scope scope)
      : random(random), scope(std::move(scope)) {}

  /// At most `depth` operations above each other.
  BodyExpr any(BodyType type, int depth);
  /// i1.
  BodyExpr truth(int depth);
  /// Two positions compared.
  BodyExpr mask();
  /// index.
  BodyExpr position(int depth);
  /// A number that stands out: 0, -0, infinities, NaN, the favourite.
  BodyExpr special(BodyType type);

private:
  BodyExpr leaf(BodyType type);
  BodyExpr floating(BodyType type, int depth);
  BodyExpr integer(BodyType type, int depth);
  /// On two operands of that type.
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

#endif // NPU_LIB_FUZZ_BODIES_RANDOMEXPRS_H
