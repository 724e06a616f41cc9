// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls with a list of memref descriptors: one for each argument, result and
// arena.

#include "npu/Execution/Jit/RunnableFunction.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/Compiler.h"

#include <chrono>
#include <map>

using namespace mlir;

namespace npu {

RunnableFunction::~RunnableFunction() = default;

void RunnableFunction::addMemory(ByteSum &sum, int64_t times) const {
  for (auto [i, spec] : llvm::enumerate(signature.inputs))
    if (mayWrite(i))
      sum.add(spec.bytes(), times);
  for (size_t i = 0; i < signature.results.size(); ++i)
    if (!inputOfResult(i) && signature.elsewhere.count(i) == 0)
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
  std::map<size_t, HostTensor> copies;
  SmallVector<const HostTensor *> arguments(inputs);
  for (auto [i, input] : llvm::enumerate(inputs))
    if (mayWrite(i))
      arguments[i] = &copies.emplace(i, clone(*input)).first->second;
  auto returned = call(arguments);
  if (failed(returned))
    return failure();
  std::vector<HostTensor> results = gather(
      *returned, [&](size_t input) { return std::move(copies.at(input)); });
  if (returned->extents)
    crop(results, signature.prompts.results, *returned->extents);
  return results;
}

FailureOr<std::vector<HostTensor>>
RunnableFunction::runInPlace(std::vector<HostTensor> inputs) {
  SmallVector<const HostTensor *> arguments;
  for (const HostTensor &input : inputs)
    arguments.push_back(&input);
  auto returned = call(arguments);
  if (failed(returned))
    return failure();
  std::vector<HostTensor> results =
      gather(*returned, [&](size_t input) { return std::move(inputs[input]); });
  if (!returned->extents)
    return results;
  std::vector<PromptDimension> cropped;
  for (const PromptDimension &each : signature.prompts.results)
    if (!inputOfResult(each.tensor))
      cropped.push_back(each);
  crop(results, cropped, *returned->extents);
  return results;
}

bool RunnableFunction::mayWrite(size_t input) const {
  return signature.written.count(input) > 0 ||
         llvm::any_of(signature.inPlace, [&](const ResultInPlace &each) {
           return each.input == input;
         });
}

std::optional<size_t> RunnableFunction::inputOfResult(size_t result) const {
  for (const ResultInPlace &each : signature.inPlace)
    if (each.result == result)
      return each.input;
  return std::nullopt;
}

FailureOr<RunnableFunction::Returned>
RunnableFunction::call(ArrayRef<const HostTensor *> inputs) {
  Returned returned;
  std::vector<HostBuffer> arenas;
  std::vector<Descriptor> descriptors;
  for (size_t i = 0; i < signature.results.size(); ++i) {
    TensorSpec spec = signature.results[i];
    if (signature.elsewhere.count(i) > 0)
      llvm::fill(spec.shape, 0);
    if (!inputOfResult(i))
      returned.results.push_back(placeResult ? placeResult(i, spec)
                                             : HostTensor(spec));
  }
  const std::vector<PromptDimension> &ofResults = signature.prompts.results;
  if (!ofResults.empty())
    returned.extents.emplace(extentsSpec(ofResults.size()));
  arenas.reserve(signature.arenas.size());
  for (const Arena &arena : signature.arenas)
    arenas.emplace_back(arena.bytes);

  auto add = [&](const HostTensor &tensor) {
    descriptors.emplace_back(tensor.buffer.data(), tensor.spec.shape);
  };
  for (const HostTensor *input : inputs)
    add(*input);
  for (const HostTensor &result : returned.results)
    add(result);
  if (returned.extents)
    add(*returned.extents);
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
  return returned;
}

std::vector<HostTensor>
RunnableFunction::gather(Returned &returned,
                         llvm::function_ref<HostTensor(size_t)> take) const {
  std::vector<HostTensor> results;
  size_t next = 0;
  for (size_t i = 0; i < signature.results.size(); ++i) {
    std::optional<size_t> input = inputOfResult(i);
    results.push_back(input ? take(*input)
                            : std::move(returned.results[next++]));
  }
  return results;
}

} // namespace npu
