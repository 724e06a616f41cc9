// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files, version 1.0, C order (read: also 2.0 and 3.0): one tensor
// in a file and nothing else. A bf16 tensor is a file of u2, because NumPy has
// no bf16.

#ifndef NPU_HOST_NPY_H
#define NPU_HOST_NPY_H

#include "npu/Host/HostTensor.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace npu {

/// Reads a tensor from a file, which has to have the expected shape and element
/// type; integers of 2 and 4 bits have a byte each in a file. Where memory and
/// file have the elements alike, a large file is mapped: its bytes may not
/// change while the tensor is there. Every error names the file.
Result<HostTensor> readNpy(const std::string &path, const TensorSpec &expected);

/// What stands in front of a tensor's elements in a file.
std::string npyHeader(const TensorSpec &spec);

/// A tensor in a new file that is open for reading and writing: what is written
/// to the tensor is in the file, whose room on the disk is taken at once. Its
/// elements are poisoned. Nothing for a small tensor, for elements of another
/// form in files, and where the file system has no such memory: these are to be
/// written. An error where the disk has no room.
Result<std::optional<HostTensor>> mapNpy(int file, const TensorSpec &spec);

/// Writes a tensor as the content of a file.
void writeNpy(llvm::raw_ostream &out, const HostTensor &tensor);

} // namespace npu

#endif // NPU_HOST_NPY_H
