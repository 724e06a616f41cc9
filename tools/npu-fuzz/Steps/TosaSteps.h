// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What steps of TOSA are made with: its operations, whose attributes are given
// as text, and the constants that they need. Most steps are of graphs of TOSA
// alone.

#ifndef NPU_FUZZ_STEPS_TOSASTEPS_H
#define NPU_FUZZ_STEPS_TOSASTEPS_H

#include "npu-fuzz/Steps/Steps.h"

#include <fmt/format.h>

namespace npu {

/// Builds operations of TOSA at the place of the maker's builder.
class TosaBuilder {
public:
  explicit TosaBuilder(OperationMaker &maker) : maker(maker), b(maker.b) {}

  /// The operation tosa.`op`; `attributes` are the text of a dictionary without
  /// its braces.
  mlir::Operation *call(llvm::StringRef op, const std::string &attributes,
                        mlir::ValueRange operands, mlir::TypeRange results);
  mlir::Value one(llvm::StringRef op, const std::string &attributes,
                  mlir::ValueRange operands, mlir::Type result) {
    return call(op, attributes, operands, result)->getResult(0);
  }
  /// A constant of these entries; one entry stands for all.
  mlir::Value constant(llvm::ArrayRef<int64_t> shape, mlir::Type element,
                       llvm::ArrayRef<int64_t> entries);
  mlir::Value number(mlir::Type element, int64_t entry) {
    return constant({1}, element, entry);
  }
  mlir::Value number(ElementType type, int64_t entry) {
    return number(maker.elementType(type), entry);
  }
  mlir::Value shape(llvm::ArrayRef<int64_t> extents);
  mlir::Value shape(const Extents &extents) {
    return shape(llvm::ArrayRef(extents.begin(), extents.end()));
  }
  /// The value between two numbers, where others are undefined.
  mlir::Value between(const Fact &value, int64_t least, int64_t most);
  /// Adds a region that yields what `body` makes of its arguments.
  void fill(mlir::Region &region, mlir::TypeRange arguments,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
                body);

  OperationMaker &maker;
  mlir::OpBuilder &b;
};

/// Appends the step that `build` gives a value of that type and shape.
Made tosaStep(
    OperationMaker &maker, ElementType type, const Extents &shape,
    llvm::function_ref<mlir::Value(TosaBuilder &, mlir::Type result)> build,
    const std::optional<Fact> &like = {});
/// Appends one operation without constants.
Made tosaStep(OperationMaker &maker, llvm::StringRef op,
              const std::string &attributes, const std::vector<Fact> &operands,
              ElementType type, const Extents &shape);

/// An operation, and the types that it takes, by letters: floats but f64, bytes
/// (i8), shorts (i16), words (i32), truth values (i1).
struct TosaRow {
  llvm::StringRef op;
  llvm::StringRef types;
  /// Functions with layouts have the operation, too.
  bool isForAll = false;
};
bool takes(llvm::StringRef letters, ElementType type);
/// A value for the operation of a row; of functions with layouts, one with
/// dimensions and entries.
Made tosaOperand(OperationMaker &maker);
/// One of the rows that take the value, and that such a function may have; or
/// null.
const TosaRow *rowFor(OperationMaker &maker, std::span<const TosaRow> rows,
                      const Fact &value);

/// "nan_mode = #tosa.nan_mode<IGNORE>"
std::string nanMode(bool ignores);
/// "pad = array<i64: 1, 2>"
std::string tosaNumbers(llvm::StringRef name, llvm::ArrayRef<int64_t> numbers);
/// "axis = 1 : i32"
std::string tosaAxis(int64_t axis);

} // namespace npu

#endif // NPU_FUZZ_STEPS_TOSASTEPS_H
