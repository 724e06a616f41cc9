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
  for (const TensorSpec &spec : signature.results)
    sum.add(spec.bytes(), times);
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
  std::vector<HostTensor> arguments, results;
  std::vector<HostBuffer> arenas;
  std::vector<Descriptor> descriptors;
  arguments.reserve(inputs.size());
  results.reserve(signature.results.size() + 1);
  arenas.reserve(signature.arenas.size());
  for (const HostTensor *input : inputs)
    arguments.push_back(clone(*input));
  for (const TensorSpec &spec : signature.results)
    results.emplace_back(spec);
  const std::vector<PromptDimension> &ofResults = signature.prompts.results;
  if (!ofResults.empty())
    results.emplace_back(extentsSpec(ofResults.size()));
  for (const Arena &arena : signature.arenas)
    arenas.emplace_back(arena.bytes);

  for (auto *tensors : {&arguments, &results})
    for (HostTensor &tensor : *tensors)
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

  FailureOr<PackedFunction> call = address();
  if (failed(call))
    return failure();
  auto start = std::chrono::steady_clock::now();
  callCompiled(*call, packed.data());
  lastMilliseconds = std::chrono::duration<double, std::milli>(
                         std::chrono::steady_clock::now() - start)
                         .count();
  if (!ofResults.empty()) {
    HostTensor extents = std::move(results.back());
    results.pop_back();
    crop(results, ofResults, extents);
  }
  return results;
}

} // namespace npu
