// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls with a list of memref descriptors: one for each argument, result and
// arena.

#include "npu/Execution/Jit/RunnableFunction.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/Compiler.h"

#include <chrono>

using namespace mlir;

namespace npu {

RunnableFunction::~RunnableFunction() = default;

void RunnableFunction::addMemory(ByteSum &sum, int64_t times) const {
  for (const TensorSpec &spec : signature.inputs)
    sum.add(spec.bytes(), times);
  for (size_t i = 0; i < signature.results.size(); ++i)
    if (!inputOfResult(i))
      sum.add(signature.results[i].bytes(), times);
  for (const Arena &arena : signature.arenas)
    sum.add(arena.bytes, times);
  sum.add(signature.temporaryBytes, times);
}

namespace {

/// A memref descriptor: two pointers, an offset, sizes, strides, each 64 bits.
class Descriptor {
public:
  Descriptor(void *data, ArrayRef<int64_t> shape) {
    auto address = reinterpret_cast<int64_t>(data);
    words = {address, address, 0};
    words.append(shape.begin(), shape.end());
    words.append(computeStrides(shape));
  }
  void *get() { return words.data(); }

private:
  SmallVector<int64_t, 12> words;
};

/// The spec of the result that says the extents of the others.
TensorSpec extentsSpec(size_t count) {
  return {ElementType::I64, {static_cast<int64_t>(count)}};
}

/// Cuts results to the extents that the function has written.
void crop(MutableArrayRef<HostTensor> results,
          ArrayRef<PromptDimension> dimensions, const HostTensor &extents) {
  std::vector<TensorSpec> specs;
  for (const HostTensor &result : results)
    specs.push_back(result.spec);
  for (const PromptDimension &each : dimensions) {
    int64_t &extent = specs[each.tensor].shape[each.dimension];
    extent = std::clamp(static_cast<int64_t>(bitsAt(extents, each.number)),
                        int64_t(0), extent);
  }
  for (auto [result, spec] : llvm::zip_equal(results, specs)) {
    if (result.spec == spec)
      continue;
    HostTensor real(spec);
    copyCommon(result, real);
    result = std::move(real);
  }
}

/// Calls code that was compiled in this process or read from a file. Such code
/// has no type in front of its first byte, where -fsanitize=function reads it.
LLVM_NO_SANITIZE("function")
void callCompiled(void (*function)(void **), void **packed) {
  function(packed);
}

} // namespace

FailureOr<std::vector<HostTensor>>
RunnableFunction::run(const std::vector<HostTensor> &inputs) {
  SmallVector<const HostTensor *> pointers;
  for (const HostTensor &input : inputs)
    pointers.push_back(&input);
  return runOn(pointers);
}

FailureOr<std::vector<HostTensor>>
RunnableFunction::runOn(ArrayRef<const HostTensor *> inputs) {
  std::vector<HostTensor> arguments;
  arguments.reserve(inputs.size());
  for (const HostTensor *input : inputs)
    arguments.push_back(clone(*input));
  std::optional<HostTensor> extents;
  auto results = call(std::move(arguments), extents);
  if (succeeded(results) && extents)
    crop(*results, signature.prompts.results, *extents);
  return results;
}

FailureOr<std::vector<HostTensor>>
RunnableFunction::runInPlace(std::vector<HostTensor> inputs) {
  std::optional<HostTensor> extents;
  auto results = call(std::move(inputs), extents);
  if (failed(results) || !extents)
    return results;
  std::vector<PromptDimension> cropped;
  for (const PromptDimension &each : signature.prompts.results)
    if (!inputOfResult(each.tensor))
      cropped.push_back(each);
  crop(*results, cropped, *extents);
  return results;
}

std::optional<size_t> RunnableFunction::inputOfResult(size_t result) const {
  for (const ResultInPlace &each : signature.inPlace)
    if (each.result == result)
      return each.input;
  return std::nullopt;
}

FailureOr<std::vector<HostTensor>>
RunnableFunction::call(std::vector<HostTensor> arguments,
                       std::optional<HostTensor> &extents) {
  std::vector<HostTensor> results;
  std::vector<HostBuffer> arenas;
  std::vector<Descriptor> descriptors;
  size_t inputs = arguments.size();
  for (size_t i = 0; i < signature.results.size(); ++i)
    if (!inputOfResult(i))
      arguments.emplace_back(signature.results[i]);
  const std::vector<PromptDimension> &ofResults = signature.prompts.results;
  if (!ofResults.empty())
    arguments.emplace_back(extentsSpec(ofResults.size()));
  arenas.reserve(signature.arenas.size());
  for (const Arena &arena : signature.arenas)
    arenas.emplace_back(arena.bytes);

  for (HostTensor &tensor : arguments)
    descriptors.emplace_back(tensor.buffer.data(), tensor.spec.shape);
  for (HostBuffer &arena : arenas)
    descriptors.emplace_back(arena.data(), arena.size());
  std::vector<void *> pointers;
  std::vector<void *> packed;
  pointers.reserve(descriptors.size());
  packed.reserve(descriptors.size());
  for (Descriptor &descriptor : descriptors)
    pointers.push_back(descriptor.get());
  for (void *&pointer : pointers)
    packed.push_back(static_cast<void *>(&pointer));

  FailureOr<PackedFunction> function = address();
  if (failed(function))
    return failure();
  auto start = std::chrono::steady_clock::now();
  callCompiled(*function, packed.data());
  lastMilliseconds = std::chrono::duration<double, std::milli>(
                         std::chrono::steady_clock::now() - start)
                         .count();
  size_t next = inputs;
  for (size_t i = 0; i < signature.results.size(); ++i) {
    std::optional<size_t> input = inputOfResult(i);
    results.push_back(std::move(arguments[input ? *input : next++]));
  }
  if (!ofResults.empty())
    extents = std::move(arguments[next]);
  return results;
}

} // namespace npu
