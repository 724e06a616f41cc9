// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function while it is being made up, together with its random numbers. What
// is made is IR at once: upstream's verifiers say whether a step is legal, and
// a step that is not is taken out again.

#ifndef NPU_FUZZ_FUNCTIONS_FUNCTIONMAKER_H
#define NPU_FUZZ_FUNCTIONS_FUNCTIONMAKER_H

#include "npu-fuzz/Functions/Extent.h"
#include "npu-fuzz/Functions/MadeFunction.h"
#include "npu-fuzz/Functions/Magnitudes.h"
#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Host/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/OwningOpRef.h"

#include <span>

namespace npu {

/// The type of positions. No tensor that is made up has unsigned entries of 64
/// bits.
inline constexpr ElementType kIndex = ElementType::U64;

/// What is known of a value.
struct Fact {
  ElementType type = ElementType::F32;
  Dims dims = {};
  /// The extents at the longest prompt.
  Extents shape = {};
  Layout layout = {};
  /// The value is a scalar and no tensor; an i1 is a condition.
  bool scalar = false;
  mlir::Value value = {};

  int64_t volume() const { return Box::whole(shape).volume(); }
};

/// Builds the operation of a step, and gives its value; null where there is
/// none.
using Build = llvm::function_ref<mlir::Value(const Fact &result)>;

/// Whether a value's layout, if it has one, fits its shape and its elements.
bool layoutFits(const Fact &value);

/// Values are called by their numbers, in the order in which they are made.
class FunctionMaker : public RandomPlacements {
public:
  /// A function to which the caller adds steps, for prompts of up to `longest`
  /// entries.
  FunctionMaker(uint64_t seed, uint64_t number, int64_t longest);
  virtual ~FunctionMaker();

  const Fact &operator[](unsigned value) const { return values[value]; }
  unsigned size() const { return values.size(); }
  bool exact() const { return made.exact; }
  bool hasSpecialInputs() const { return made.special; }

  /// One of the tensors for which the predicate holds.
  template <typename Predicate>
  std::optional<unsigned> pick(Predicate likes) {
    std::vector<unsigned> found;
    for (unsigned value = 0; value < values.size(); ++value)
      if (!values[value].scalar && likes(values[value]))
        found.push_back(value);
    if (found.empty())
      return std::nullopt;
    return found[below(static_cast<int64_t>(found.size()))];
  }
  std::optional<unsigned> pick() {
    return pick([](const Fact &) { return true; });
  }
  /// One of the tensors that have dimensions.
  std::optional<unsigned> pickRanked() {
    return pick([](const Fact &value) { return !value.shape.empty(); });
  }
  /// One of the tensors that have dimensions and are not empty.
  std::optional<unsigned> pickFilled() {
    return pick([](const Fact &value) {
      return !value.shape.empty() && value.volume() > 0;
    });
  }
  /// One of several things.
  template <typename Item, std::size_t Count>
  Item oneOf(const Item (&items)[Count]) {
    return items[below(Count)];
  }
  /// Some of `rank` dimensions in their order, at least one. Precondition:
  /// `rank` is not 0.
  std::vector<int64_t> someDims(int64_t rank);

  /// The facts of a tensor without a layout, and of a scalar.
  Fact tensor(ElementType type, Dims dims) const;
  static Fact scalarOf(ElementType type);

  /// Appends an operation with that result. Nothing where it is not legal: its
  /// builder, or a verifier, refuses it; or a number may become too large, or
  /// be rounded in a function that has to be exact.
  std::optional<unsigned> make(Fact result, Build build);
  /// The same with a random layout, at times that of the value `like`, for a
  /// result that is not too large.
  std::optional<unsigned>
  makeLaidOut(Fact result, const std::optional<Fact> &like, Build build);
  /// Appends an operation of two results, and, mostly, its second value.
  std::optional<unsigned> makePair(
      Fact first, Fact second,
      llvm::function_ref<mlir::Operation *(const Fact &, const Fact &)> build);
  /// Whether numbers have bounds. Functions of regions and graphs of TOSA hold
  /// any numbers.
  bool hasBounds() const { return bounds; }

  /// Appends an argument.
  unsigned argument(Fact value);

  /// The operation of that name at the end of `main`.
  mlir::Operation *call(llvm::StringRef op, mlir::ValueRange operands,
                        mlir::TypeRange types,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return call(b, op, operands, types, attributes);
  }
  mlir::Value call(llvm::StringRef op, mlir::ValueRange operands,
                   const Fact &result,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return call(op, operands, typeOf(result), attributes)->getResult(0);
  }
  static mlir::Operation *
  call(mlir::OpBuilder &at, llvm::StringRef op, mlir::ValueRange operands,
       mlir::TypeRange types,
       llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::NamedAttribute numbers(llvm::StringRef name,
                               llvm::ArrayRef<int64_t> list) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(list));
  }
  mlir::NamedAttribute number(llvm::StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  }

  mlir::Type elementType(ElementType type) const;
  /// The type of a value.
  mlir::Type typeOf(const Fact &value) const;
  mlir::RankedTensorType tensorType(const Fact &value) const {
    return mlir::cast<mlir::RankedTensorType>(typeOf(value));
  }
  static mlir::TypedAttr numberAttr(mlir::Type type, double value);
  static mlir::Value constant(mlir::OpBuilder &at, mlir::Type type,
                              double value);
  mlir::Value constant(ElementType type, double value) {
    return constant(b, elementType(type), value);
  }
  /// A constant whose entries are these, in row-major order.
  mlir::Value constant(const Fact &value, llvm::ArrayRef<double> entries);
  /// A destination like the value: an empty tensor (where layouts are assigned,
  /// at times a value, to be written over), or one filled with a number.
  mlir::Value empty(const Fact &value);
  /// An empty tensor like the value, in a region.
  mlir::Value emptyAt(mlir::OpBuilder &at, const Fact &value);
  mlir::Value filled(const Fact &value, double number);
  mlir::AffineMap mapTo(int64_t loops, llvm::ArrayRef<int64_t> targets) const;
  mlir::AffineMap identity(int64_t loops) const {
    return mlir::AffineMap::getMultiDimIdentityMap(loops, b.getContext());
  }

  /// The prompt's length, an extent that may follow from it, and the offset of
  /// a prompt in a cache, as values of `main`.
  mlir::Value length();
  mlir::Value extent(const Extent &extent);
  mlir::OpFoldResult size(const Extent &extent);
  mlir::Value offset(bool byAffine);

  /// Another function of the module, with an entry block; its name begins with
  /// the prefix.
  mlir::func::FuncOp privateFunction(const std::string &prefix,
                                     mlir::TypeRange inputs,
                                     mlir::TypeRange results);

  mlir::func::FuncOp main() { return function; }
  mlir::Block &body() { return function.getBody().front(); }
  mlir::ModuleOp moduleOp() { return *module; }
  /// Whether `value` is an argument.
  bool isArgument(unsigned value) const {
    return mlir::isa<mlir::BlockArgument>(values[value].value);
  }

  void returnValues(const std::vector<unsigned> &results);
  /// The text of the module. Arguments that nothing reads are dropped if they
  /// are droppable.
  MadeFunction finish(llvm::function_ref<bool(unsigned)> droppable);

  mlir::OpBuilder b;
  MadeFunction made;
  int64_t longest;

protected:
  /// The elements of the largest value that a step may make.
  virtual int64_t mostElements() const { return 2000; }
  virtual Layout layout(const Extents &, std::span<const int64_t>) {
    return {};
  }
  /// Adds to the module what belongs to it beside `main`, which is complete.
  virtual void beforeText() {}
  /// Every third value with dimensions that grow and some that do not is taken
  /// through a type that says none of its extents.
  mlir::Value castToAndFro(const Fact &value);

  std::vector<Fact> values;
  bool bounds = false;

private:
  void dropUnused(llvm::function_ref<bool(unsigned)> droppable);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  Magnitudes magnitudes;
  /// Extents that have been computed at the beginning of `main`.
  std::vector<std::pair<Extent, mlir::Value>> extents;
  mlir::Value lengthValue, offsetValue, offsetByAffine;
  /// The last operation at the beginning of `main`.
  mlir::Operation *head = nullptr;
  mlir::OpBuilder atHead();
};

/// The context of all functions that are made up in the process.
mlir::MLIRContext &makingContext();

/// The module as text, with its layouts and maps where they are used.
std::string textOf(mlir::ModuleOp module);

/// Whether `op` and what is in it verify, and hold to two rules that upstream's
/// verifiers leave out: the static extents along one loop of a structured
/// operation are equal, also beside dynamic ones; and tensors of elementwise
/// operations have one layout, of which their text has only one.
bool isWellFormed(mlir::Operation *op);

Extents extentsAt(const Dims &dims, int64_t length);

/// The dimensions that are not among `dims`.
std::vector<int64_t> others(int64_t rank, std::span<const int64_t> dims);
template <typename Items>
Items only(const Items &items, const std::vector<int64_t> &which) {
  Items found;
  for (int64_t each : which)
    found.push_back(items[each]);
  return found;
}

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_FUNCTIONMAKER_H
