// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function with a prompt as plain data, like Recipe, for testing what is
// computed inside of regions: scalar expressions over loops, on tensors whose
// extents follow from the prompt's length.

#ifndef NPU_FUZZ_BODIES_BODYRECIPE_H
#define NPU_FUZZ_BODIES_BODYRECIPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu {

enum class BodyType : uint8_t { F16, F32, F64, I1, I8, I32, I64, Index };

inline bool isFloat(BodyType type) { return type <= BodyType::F64; }
inline bool isInteger(BodyType type) {
  return type >= BodyType::I1 && type <= BodyType::I64;
}
/// "f16", "i1", "index".
const char *nameOf(BodyType type);
/// The width of an integer type.
unsigned bitsOf(BodyType type);

/// How many entries a dimension has where the prompt has `length`.
struct BodyExtent {
  enum Kind : uint8_t {
    Fixed,     // number
    Prompt,    // length
    Falling,   // number - length; the number is at least the longest length
    Multiple,  // number * length
    Longer,    // length + number
    Quotient,  // length floordiv number
    Remainder, // length mod number
    AtLeast,   // max(length, number)
    AtMost     // min(length, number)
  };
  Kind kind = Fixed;
  int64_t number = 1;
  /// Whether affine.apply, affine.max or affine.min computes the extent,
  /// instead of arith.
  bool byAffine = false;

  int64_t at(int64_t length) const;
  /// Whether both extents are the same number at every length.
  bool operator==(const BodyExtent &other) const {
    return kind == other.kind && (kind == Prompt || number == other.number);
  }
};

/// A scalar in a region, with what it is computed from.
struct BodyExpr {
  enum Form : uint8_t {
    Constant,    // value, number for integers
    Loop,        // number: linalg.index
    Length,      // of the prompt
    Offset,      // of the prompt in a cache
    Input,       // number: of the operation's inputs
    Accumulator, // the output's argument
    Simple,      // name, on operands of the result's type
    Divide,      // name, likewise; the divisor is kept from 0 and -1
    Compare,     // name: the predicate
    Select,
    If, // scf.if: the branches stand in it
    Cast,
    /// tensor.extract from step `number`; indices are kept inside the tensor,
    /// by clamping, or by scf.if where the name is "guarded".
    Extract
  };
  Form form = Constant;
  BodyType type = BodyType::F32;
  std::string name = {};
  int64_t number = 0;
  double value = 0;
  std::vector<BodyExpr> operands = {};

  bool operator==(const BodyExpr &) const = default;

  /// Calls `visit` for this expression and then for all below it.
  template <typename Visit>
  void walk(Visit visit) {
    visit(*this);
    for (BodyExpr &operand : operands)
      operand.walk(visit);
  }
  template <typename Visit>
  void walk(Visit visit) const {
    visit(*this);
    for (const BodyExpr &operand : operands)
      operand.walk(visit);
  }
  bool uses(Form form) const;
};

struct BodyLoop {
  BodyExtent extent;
  bool reduces = false;
};

struct BodyInput {
  unsigned step = 0;
  /// The loop that reads each dimension; -1: the dimension's first entry is
  /// read.
  std::vector<int> loops;
};

/// One operation with the destinations that it needs. It makes one tensor,
/// which has the number of the step.
struct BodyStep {
  enum Kind : uint8_t {
    Argument,
    /// An argument with an entry for each position; see `npu.cache_dim`.
    Cache,
    /// arith.constant of `values`.
    Table,
    /// linalg.generic. The output has the loops of `outputLoops`, which are
    /// mostly all that are parallel, and begins as `begin` everywhere, or as
    /// the last of `inputs` where `beginsAsInput`, which `body` then reads as
    /// its accumulator.
    Generic,
    /// linalg.softmax of inputs[0] along `dim`.
    Softmax,
    /// tensor.concat of all inputs along `dim`.
    Concat,
    /// inputs[0], a tensor of rows, put into the cache inputs[1] at the offset.
    IntoCache,
    /// inputs[0] at the position values[0] of `dim`, without that dimension.
    TakeSlice,
    /// inputs[0] put into inputs[1] at the position values[0] of `dim`.
    PutSlice
  };
  Kind kind = Argument;
  BodyType type = BodyType::F32;
  std::vector<BodyExtent> shape = {};
  std::vector<BodyInput> inputs = {};
  std::vector<BodyLoop> loops = {};
  std::vector<int> outputLoops = {};
  BodyExpr begin = {};
  bool beginsAsInput = false;
  BodyExpr body = {};
  std::vector<double> values = {};
  unsigned dim = 0;
  /// An argument that the function has although nothing may read it.
  bool isKept = false;
};

/// What is said of the last prompt dimension of a function that has several.
enum class LastExtent : uint8_t {
  /// It is the prompt's length, as all are.
  Same,
  /// A caller gives it one entry more: the padded function has to assert that
  /// there are as many as elsewhere.
  Longer,
  /// It has a name of its own: padding has to refuse it.
  Named
};

struct BodyRecipe {
  /// The function has rows, a cache and an offset, and is run in chunks;
  /// otherwise it is padded.
  bool prefill = false;
  /// Rows and caches hold finite numbers, and the function writes no others to
  /// caches.
  bool assumesFinite = true;
  /// Regions get positions by `affine.apply` of the offset.
  bool offsetByAffine = false;
  /// The extent that prompts are padded to, and the longest prompt that is run.
  int64_t longest = 8;
  LastExtent lastExtent = LastExtent::Same;
  /// npu-compile takes the function to legal IR, and not padding alone.
  bool isCompiled = false;
  std::vector<BodyStep> steps;
  /// The steps whose tensors the function returns.
  std::vector<unsigned> results;
};

/// A function to be padded, and one to be run in chunks. Each depends on `seed`
/// and `number` alone.
BodyRecipe randomPromptBodies(uint64_t seed, uint64_t number);
BodyRecipe randomPrefillBodies(uint64_t seed, uint64_t number);

/// Drops steps and inputs that no result needs, but for arguments that are
/// kept. One argument of the prompt's length is always kept.
void prune(BodyRecipe &recipe);

/// A dimension of an argument, by the argument's step.
struct BodyDimension {
  unsigned step = 0, dim = 0;
};

/// The last of several prompt dimensions; nothing where there is one alone.
std::optional<BodyDimension> lastOfSeveral(const BodyRecipe &recipe);

/// The function `main` as text. Where the last prompt dimension is to be longer
/// than others, the text has the function `caller`, which gives `main`
/// arguments of `longest` - 1 entries, and one more there. For a prefill
/// recipe, the text has the function `prefill`, and `main` calls it from two
/// offsets.
std::string toText(const BodyRecipe &recipe);

/// The offsets that `main` calls a prefill function from, and its cache.
inline constexpr int64_t kPrefillOffsets[] = {0, 3};
inline constexpr int64_t kCachePositions = 12;

} // namespace npu

#endif // NPU_FUZZ_BODIES_BODYRECIPE_H
