// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop nests of linalg, and the scalars in their regions. Operations that could
// trap or have no defined result get safe operands here.

#ifndef NPU_FUZZ_FUNCTIONS_NEST_H
#define NPU_FUZZ_FUNCTIONS_NEST_H

#include "npu-fuzz/Functions/FunctionMaker.h"

namespace npu {

/// Builds the operations of a region, or of any other place; on scalars or,
/// where an operation takes them, on tensors.
class Scalars {
public:
  Scalars(FunctionMaker &maker, mlir::OpBuilder at) : at(at), maker(maker) {}

  mlir::Value number(mlir::Type type, double value) {
    return FunctionMaker::constant(at, type, value);
  }
  mlir::Value number(ElementType type, double value) {
    return number(maker.elementType(type), value);
  }
  mlir::Value index(int64_t value) {
    return number(kIndex, static_cast<double>(value));
  }
  /// The operation `name`, whose result has the type of its operands.
  mlir::Value op(llvm::StringRef name, mlir::ValueRange operands);
  /// arith.addf, or arith.addi; and likewise.
  mlir::Value add(mlir::Value a, mlir::Value b) { return either("add", a, b); }
  mlir::Value subtract(mlir::Value a, mlir::Value b) {
    return either("sub", a, b);
  }
  mlir::Value multiply(mlir::Value a, mlir::Value b) {
    return either("mul", a, b);
  }
  mlir::Value largest(mlir::Value a, mlir::Value b);
  /// An integer division or remainder; the divisor is kept from 0 and -1.
  mlir::Value divide(llvm::StringRef name, mlir::Value a, mlir::Value by);
  mlir::Value remainder(mlir::Value a, int64_t by) {
    return divide("arith.remui", a, index(by));
  }
  /// A comparison, of type i1.
  mlir::Value compare(llvm::StringRef predicate, mlir::Value a, mlir::Value b);
  /// An arith.select.
  mlir::Value choose(mlir::Value condition, mlir::Value yes, mlir::Value no);
  /// The conversion `name` to that type.
  mlir::Value cast(llvm::StringRef name, ElementType type, mlir::Value operand);
  /// A position, converted to that type.
  mlir::Value positionAs(ElementType type, mlir::Value position);
  /// An entry of a tensor, as it is; at positions that are kept inside of it,
  /// by clamping; or one that is 0 where a position is not inside.
  mlir::Value extract(const Fact &from, mlir::ValueRange at);
  mlir::Value extractClamped(const Fact &from,
                             llvm::SmallVector<mlir::Value> at);
  mlir::Value extractGuarded(const Fact &from, mlir::ValueRange at);
  /// An scf.if of which both branches are built where they stand.
  mlir::Value ifElse(mlir::Value condition,
                     llvm::function_ref<mlir::Value(Scalars &)> yes,
                     llvm::function_ref<mlir::Value(Scalars &)> no);

  mlir::OpBuilder at;
  FunctionMaker &maker;
  /// Of the loops around, for positions that need no guard.
  Dims loops = {};

private:
  mlir::Value either(llvm::StringRef name, mlir::Value a, mlir::Value b);
  mlir::Value endOf(const Extent &extent);
};

/// The operation that converts between two types, or null.
const char *conversion(ElementType from, ElementType to);

/// A linalg operation.
struct Nest {
  enum Form { Generic, Map, Reduce };
  Form form = Generic;
  llvm::SmallVector<mlir::Value> inputs = {};
  /// Of the inputs and of the outputs.
  std::vector<mlir::AffineMap> maps = {};
  llvm::SmallVector<mlir::Value> inits = {};
  /// The loops that reduce; empty: those that no output is indexed by.
  std::vector<bool> reduces = {};
  /// The extents of the loops, where positions of loops are to be read from
  /// tensors.
  Dims loops = {};

  void read(mlir::Value input, mlir::AffineMap map) {
    inputs.push_back(input);
    maps.push_back(map);
  }
};

/// The region of a nest.
struct Region : Scalars {
  using Scalars::Scalars;
  /// The position of a loop. It is built in front of everything else, where it
  /// can be used in branches.
  mlir::Value loop(int64_t loop);

  llvm::SmallVector<mlir::Value> in, out;
};

/// Builds the operation; `body` gives what it yields.
mlir::Operation *
build(FunctionMaker &maker, const Nest &nest,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(Region &)> body);
/// The same of one result.
mlir::Value buildOne(FunctionMaker &maker, const Nest &nest,
                     llvm::function_ref<mlir::Value(Region &)> body);

/// Builds a nest of one parallel loop for each dimension of the result, whose
/// inputs have these loops as their dimensions (all, where there is no list).
mlir::Value entryByEntry(FunctionMaker &maker,
                         llvm::ArrayRef<mlir::Value> inputs, const Fact &result,
                         llvm::function_ref<mlir::Value(Region &)> body,
                         llvm::ArrayRef<std::vector<int64_t>> loops = {},
                         Nest::Form form = Nest::Generic);

/// Whether an output's map leaves the loop out.
bool isReduction(llvm::ArrayRef<mlir::AffineMap> outputs, unsigned loop);

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_NEST_H
