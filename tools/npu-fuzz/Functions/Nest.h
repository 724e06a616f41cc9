// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop nests of linalg, and the scalars in their regions. Operations that could
// trap or have no defined result get safe operands here.

#ifndef NPU_FUZZ_FUNCTIONS_NEST_H
#define NPU_FUZZ_FUNCTIONS_NEST_H

#include "npu-fuzz/Functions/FunctionMaker.h"

#include <string>

namespace npu {

/// A scalar in a region.
struct Scalar {
  mlir::Value value;
  ElementType type = ElementType::F32;
  /// As that of a Fact.
  double most = 0;
};

/// Builds the operations of a region, or of any other place.
class Scalars {
public:
  Scalars(FunctionMaker &maker, mlir::OpBuilder at) : at(at), maker(maker) {}

  Scalar number(ElementType type, double value);
  Scalar index(int64_t value) {
    return number(kIndex, static_cast<double>(value));
  }
  /// The position of a loop, which is below `extent`.
  /// The prompt's length.
  Scalar length() { return {maker.length(), kIndex}; }
  /// The operation `name`, whose result has the type of its operands.
  Scalar op(const std::string &name, std::vector<Scalar> operands);
  /// arith.addf, or arith.addi; and likewise.
  Scalar add(const Scalar &a, const Scalar &b) { return either("add", a, b); }
  Scalar subtract(const Scalar &a, const Scalar &b) {
    return either("sub", a, b);
  }
  Scalar multiply(const Scalar &a, const Scalar &b) {
    return either("mul", a, b);
  }
  Scalar largest(const Scalar &a, const Scalar &b);
  /// An integer division or remainder; the divisor is kept from 0 and -1.
  Scalar divide(const std::string &name, const Scalar &a, Scalar by);
  /// A comparison, of type i1.
  Scalar compare(llvm::StringRef predicate, const Scalar &a, const Scalar &b);
  /// An arith.select.
  Scalar choose(const Scalar &condition, const Scalar &yes, const Scalar &no);
  /// The conversion `name` to that type.
  Scalar cast(const std::string &name, ElementType type, Scalar operand);
  /// A position, converted to that type.
  Scalar positionAs(ElementType type, const Scalar &position);
  /// An entry of a tensor, as it is; at positions that are kept inside of it,
  /// by clamping; or one that is 0 where a position is not inside.
  Scalar extract(const Fact &from, llvm::ArrayRef<Scalar> at);
  Scalar extractClamped(const Fact &from, std::vector<Scalar> at);
  Scalar extractGuarded(const Fact &from, llvm::ArrayRef<Scalar> at);
  /// An scf.if of which both branches are built where they stand.
  Scalar ifElse(const Scalar &condition,
                llvm::function_ref<Scalar(Scalars &)> yes,
                llvm::function_ref<Scalar(Scalars &)> no);

  mlir::OpBuilder at;
  FunctionMaker &maker;
  /// Of the loops around, for positions that need no guard.
  Dims loops = {};

private:
  Scalar either(const char *name, const Scalar &a, const Scalar &b);
  Scalar bounded(mlir::Value value, ElementType type, double most);
};

/// The operation that converts between two types, or null.
const char *conversion(ElementType from, ElementType to);

/// A linalg operation.
struct Nest {
  enum Form { Generic, Map, Reduce };
  Form form = Generic;
  std::vector<Fact> inputs = {};
  /// Of the inputs and of the outputs.
  std::vector<mlir::AffineMap> maps = {};
  std::vector<mlir::Value> inits = {};
  /// Bounds of what the outputs begin with.
  std::vector<double> begins = {};
  /// The loops that reduce; empty: those that no output is indexed by.
  std::vector<bool> reduces = {};
  /// The extents of the loops, where positions of loops are to be read from
  /// tensors.
  Dims loops = {};
};

/// The region of a nest.
struct Region : Scalars {
  Region(FunctionMaker &maker, mlir::OpBuilder at, Dims dims = {})
      : Scalars(maker, at) {
    loops = std::move(dims);
  }
  /// The position of a loop, which is below `extent`. It is built in front of
  /// everything else, where it can be used in branches.
  Scalar loop(int64_t loop, int64_t extent = 0);

  std::vector<Scalar> in, out;
};

/// Builds the operation; `body` gives what it yields, and `most`, if it is
/// there, gets the bound of each.
mlir::Operation *build(FunctionMaker &maker, const Nest &nest,
                       llvm::function_ref<std::vector<Scalar>(Region &)> body,
                       std::vector<double> *most = nullptr);

/// Builds a nest of one parallel loop for each dimension of the result, whose
/// inputs have these loops as their dimensions (all, where there is no list).
mlir::Value entryByEntry(FunctionMaker &maker, std::vector<Fact> inputs,
                         Fact &result,
                         llvm::function_ref<Scalar(Region &)> body,
                         std::vector<std::vector<int64_t>> loops = {},
                         Nest::Form form = Nest::Generic);

/// Whether an output's map leaves the loop out.
bool isReduction(llvm::ArrayRef<mlir::AffineMap> outputs, unsigned loop);

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_NEST_H
