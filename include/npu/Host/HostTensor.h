// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor in the memory of the machine that runs programs: what programs are
// given and what they return. This file does not depend on MLIR.

#ifndef NPU_HOST_HOSTTENSOR_H
#define NPU_HOST_HOSTTENSOR_H

#include "npu/Placement/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace npu {

/// The numbers of the types are part of the seed of random inputs
/// (GenerateInputs.h): new types are added at the end.
enum class ElementType {
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  I2,
  I4,
  U2,
  U4
};

/// Bits that an element takes in memory: integers of 2 and 4 bits are packed,
/// the first one in the lowest bits of a byte; a boolean takes a byte.
int64_t bitSize(ElementType type);

/// Bytes that so many elements take, one after the other; nothing when the
/// number does not fit 63 bits.
std::optional<int64_t> bytesOf(ElementType type, int64_t elements);

/// Bits of a float's significand, the hidden one included; 0 for integers.
int precisionOf(ElementType type);

/// The type's name in MLIR: "f16", "i1", "ui8".
std::string nameOf(ElementType type);

bool isFloat(ElementType type);
/// Whether the type is an integer that has no sign, as ui8.
bool isUnsigned(ElementType type);
/// Whether the type is an integer that has one, as i8.
bool isSigned(ElementType type);

/// Fills memory with 0xFFFB in every two bytes, before anything is written to
/// it: NaN in f16, bf16, f32 and f64 (a small number would vanish in sums), -5
/// or -1 in i8. Precondition: `memory` is at an even address.
void poison(void *memory, std::size_t bytes);

/// The element type and the static shape of a tensor.
struct TensorSpec {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;

  bool operator==(const TensorSpec &) const = default;

  int64_t elements() const;
  /// Nothing when the number does not fit 63 bits.
  std::optional<int64_t> bytes() const;
};

/// "1x28x336x128xf16", "f32" for rank 0.
std::string toString(const TensorSpec &spec);

/// Memory at a multiple of 64 bytes, poisoned when it is allocated, and freed
/// with its owner; or a part of a file that is mapped.
class HostBuffer {
public:
  HostBuffer() = default;
  /// Precondition: that much memory is available (MemoryBudget.h).
  explicit HostBuffer(int64_t bytes);
  /// Memory of a mapping, which ends with the buffer. Whoever writes to it
  /// writes to a page of this process.
  HostBuffer(std::shared_ptr<void> mapping, std::byte *data, int64_t bytes)
      : memory(data, Free{std::move(mapping)}), bytes(bytes) {}

  std::byte *data() const { return memory.get(); }
  int64_t size() const { return bytes; }

private:
  struct Free {
    /// Null for memory that was allocated.
    std::shared_ptr<void> mapping;
    void operator()(std::byte *memory) const;
  };
  std::unique_ptr<std::byte, Free> memory;
  int64_t bytes = 0;
};

/// The elements in row-major order, poisoned until they are written.
struct HostTensor {
  explicit HostTensor(TensorSpec spec);
  /// Precondition: the buffer has as many bytes.
  HostTensor(TensorSpec spec, HostBuffer buffer)
      : spec(std::move(spec)), buffer(std::move(buffer)) {}

  TensorSpec spec;
  HostBuffer buffer;
};

/// A copy, in memory of its own.
HostTensor clone(const HostTensor &tensor);

/// Copies the elements that both tensors have, by their coordinates.
/// Precondition: one element type and one rank. What else `to` has stays.
void copyCommon(const HostTensor &from, HostTensor &to);

/// The value of an element as a double; integers beyond 2^53 are rounded.
double valueAt(const HostTensor &tensor, int64_t index);

/// The bits of the element, in the low bits of the result.
uint64_t bitsAt(const HostTensor &tensor, int64_t index);
void setBitsAt(HostTensor &tensor, int64_t index, uint64_t bits);

/// The bits of the value in the tensor's element type, floats rounded to
/// nearest even, integers cut off.
uint64_t bitsOf(ElementType type, double value);

/// "0.5", "-3", "true", "nan (0x7E00)": enough digits to tell neighbours apart.
std::string elementToString(const HostTensor &tensor, int64_t index);

/// [2, 0, 17] for a row-major number. Precondition: index < elements.
std::vector<int64_t> coordinatesOf(const TensorSpec &spec, int64_t index);

} // namespace npu

#endif // NPU_HOST_HOSTTENSOR_H
