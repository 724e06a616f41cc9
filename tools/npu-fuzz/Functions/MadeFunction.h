// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that has been made up, and how it is to be run.

#ifndef NPU_FUZZ_FUNCTIONS_MADEFUNCTION_H
#define NPU_FUZZ_FUNCTIONS_MADEFUNCTION_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace npu {

/// For what device, and how, layouts are assigned to a function that has few.
/// The device itself is an attribute of the module.
struct AssignTask {
  /// npu3720, npu4000, or "described": any other device.
  std::string device;
  /// The device has, and uses, so many tiles; 0: what it has by itself.
  int64_t tiles = 0;
  /// The bytes of each scratchpad; 0: what the device has by itself.
  int64_t scratchpadBytes = 0;
  /// Further figures by their names in a description. Others are the device's.
  std::vector<std::pair<std::string, int64_t>> figures;
  /// The device's table of kernels, as text; empty: the one that it has by
  /// itself. The host runs what has none, and may run more.
  std::string kernels;
  /// The device prefers images.
  bool prefersImages = false;
  /// The storage kind that is asked for: auto, linear or tiled2d.
  std::string storage = "auto";
  std::string strategy = "least";
  /// Of the strategy least.
  int64_t states = 20000;
  /// What a byte that moves counts besides its time, in millicycles.
  int64_t bytePrice = 0;
  /// Tiles may reduce parts of the terms.
  bool splitReductions = false;
};

/// The attribute of a module for that device, as text.
std::string describe(const AssignTask &task);

/// What is said of the last prompt dimension of a function that has several.
enum class LastExtent : uint8_t {
  /// It is the prompt's length, as all are.
  Same,
  /// A caller gives it one entry more: the padded function has to assert that
  /// there are as many as elsewhere.
  Longer,
  /// It has a name of its own, which makes it another prompt.
  Named
};

/// A prompt of run-time length, at which a function of regions is padded or run
/// in chunks.
struct PromptTask {
  /// The function has rows, a cache and an offset, and is run in chunks;
  /// otherwise it is padded.
  bool prefill = false;
  /// Rows and caches hold finite numbers, and the function writes no others to
  /// caches.
  bool assumesFinite = true;
  /// The extent that prompts are padded to, and the longest prompt that is run.
  int64_t longest = 8;
  LastExtent lastExtent = LastExtent::Same;
  /// npu-compile takes the function to legal IR, and not padding alone.
  bool isCompiled = false;
  /// The function is what an ONNX graph was imported as.
  bool isImported = false;
  /// The names of the prompts, where there are several: each is run at every
  /// length. The first is that of all dimensions without one of the others.
  std::vector<std::string> names = {};
  /// The shortest prompt of every name but the first: a cache may be empty.
  int64_t shortestCache = 1;
};

/// The offsets that `main` calls a prefill function from, and its cache.
inline constexpr int64_t kPrefillOffsets[] = {0, 3};
inline constexpr int64_t kCachePositions = 12;

struct MadeFunction {
  /// A module with the function `main`. Where the last prompt dimension is to
  /// be longer than others, it has `caller`, too; where the function is run in
  /// chunks, `prefill`, which `main` calls from two offsets.
  std::string text;
  /// Why there is no module; empty where there is one.
  std::string whyNot = {};
  /// Inputs are small integers and every operation keeps them exact, so that
  /// sums may be taken in any order. In other functions, tiles hold the
  /// dimensions that a float sum runs over whole, or the reference adds up in
  /// the same parts.
  bool exact = false;
  /// Inputs have special values among them: both zeros, infinities, NaN, the
  /// ends of the type.
  bool special = false;
  /// Tiles run on threads.
  bool parallelTiles = false;
  /// The function is a graph of TOSA, which npu-compile lowers before layouts
  /// are assigned.
  bool tosa = false;
  /// Layouts are assigned; nothing: the function has those that it needs.
  std::optional<AssignTask> assign;
  /// The function is one of regions, for a prompt of run-time length.
  std::optional<PromptTask> prompt;
  /// The shortest and the longest prompt of a function of operations for a
  /// prompt of run-time length.
  std::optional<std::pair<int64_t, int64_t>> lengths;
  /// The extent that prompts are padded to, which are known and marked, or of
  /// run-time length; 0: there is no prompt.
  int64_t paddedTo = 0;
  /// Tensors of a prompt of run-time length may be split when they are padded:
  /// no argument and no result, which get no layout, has the padded extent.
  bool maySplitPadded = false;
};

/// The purpose of a function. Not every kind of step can be padded; those whose
/// layouts are assigned have few, and more blocks as models have them; graphs
/// of TOSA have other steps and no layouts.
enum class FunctionFor { Functions, Prompts, Assignments, Hetero, Tosa };

/// Random functions, each of which depends on `seed` and `number` alone: of
/// operations; of regions, to be padded or to be run in chunks.
MadeFunction randomFunction(uint64_t seed, uint64_t number,
                            FunctionFor what = FunctionFor::Functions);
MadeFunction randomPromptBodies(uint64_t seed, uint64_t number);
MadeFunction randomPrefillBodies(uint64_t seed, uint64_t number);
/// ONNX graphs that were imported, to be padded.
MadeFunction randomImportedPrompts(uint64_t seed, uint64_t number);

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_MADEFUNCTION_H
