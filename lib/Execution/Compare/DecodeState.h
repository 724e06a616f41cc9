// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an artefact keeps from run to run: its caches, how many positions they
// have, and the rows of inputs that these came from.

#ifndef NPU_LIB_EXECUTION_COMPARE_DECODESTATE_H
#define NPU_LIB_EXECUTION_COMPARE_DECODESTATE_H

#include "npu/Artefact/Artefact.h"
#include "npu/Host/HostTensor.h"

#include <map>
#include <optional>

namespace npu {

/// The tensor from `offsets` on, of this shape. Precondition: it is inside.
HostTensor sliceOf(const HostTensor &whole, llvm::ArrayRef<int64_t> offsets,
                   const std::vector<int64_t> &shape);

/// Writes `part` into `whole` from `offsets` on.
void putInto(HostTensor &whole, llvm::ArrayRef<int64_t> offsets,
             const HostTensor &part);

/// Copies what both tensors have in common into a tensor of the other spec.
HostTensor resized(const HostTensor &tensor, const TensorSpec &spec);

struct DecodeState {
  /// The number of positions.
  int64_t position = 0;
  /// The caches, in the order of the header, in the memory of their inputs.
  std::vector<HostTensor> caches;
  /// The rows of the inputs that have some, by the numbers of these.
  std::map<int64_t, HostTensor> rows;
  /// The words that greedy sampling has chosen for the next step, one for each
  /// sequence.
  std::vector<int64_t> next;

  /// A state without positions. Caches of static shape, all of which a function
  /// may read, are 0; others are poisoned.
  static DecodeState empty(const ArtefactHeader &header);
  DecodeState copy() const;

  Result<> save(const std::string &path, const ArtefactHeader &header) const;
  /// Reads a state; an error where its caches are not those of the artefact, or
  /// have more positions than these can hold. Every error begins with the file.
  static Result<DecodeState> load(const std::string &path,
                                  const ArtefactHeader &header);
};

/// What a cache is called in messages: "cache 'past_0' (input #2)".
std::string nameOf(const ArtefactCache &cache, const ArtefactHeader &header);

/// Whether a cache grows with a prompt, so that its type has no positions.
bool grows(const ArtefactCache &cache, const ArtefactHeader &header);

} // namespace npu

#endif // NPU_LIB_EXECUTION_COMPARE_DECODESTATE_H
