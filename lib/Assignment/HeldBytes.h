// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a capacity row the layouts of a partial assignment take. Partial
// assignments are many, and the states of one value few: the bytes of each
// state are added up once.

#ifndef NPU_LIB_ASSIGNMENT_HELDBYTES_H
#define NPU_LIB_ASSIGNMENT_HELDBYTES_H

#include "Frontier.h"
#include "ValueStates.h"

#include <map>
#include <span>
#include <vector>

namespace npu {

class HeldBytes {
public:
  /// `slots` has the place of each value of `terms` in the states of partial
  /// assignments. `terms` outlive this.
  HeldBytes(std::span<const LayoutBytes> terms, const std::vector<int> &slots) {
    std::map<int, Values> byValue;
    for (const LayoutBytes &term : terms)
      byValue[term.layout.value].terms.push_back(&term);
    for (auto &[value, each] : byValue) {
      each.value = value;
      each.slot = slots[value];
      values.push_back(std::move(each));
    }
  }

  /// The bytes of the layouts that exist in `partial`.
  int64_t of(const Partial &partial, const std::vector<ValueStates> &states) {
    int64_t held = 0;
    for (Values &each : values) {
      auto id = static_cast<size_t>(partial.states[each.slot]);
      if (id >= each.bytes.size())
        each.bytes.resize(id + 1, -1);
      if (each.bytes[id] < 0)
        each.bytes[id] =
            bytesIn(each, states[each.value][partial.states[each.slot]]);
      held += each.bytes[id];
    }
    return held;
  }

private:
  struct Values {
    int value = 0, slot = 0;
    std::vector<const LayoutBytes *> terms;
    /// By state; -1 where nobody has asked.
    std::vector<int64_t> bytes;
  };

  static int64_t bytesIn(const Values &each, const ValueState &state) {
    int64_t bytes = 0;
    for (const LayoutBytes *term : each.terms)
      if (state.takesMemory[term->layout.layout])
        bytes += term->bytes;
    return bytes;
  }

  std::vector<Values> values;
};

} // namespace npu

#endif // NPU_LIB_ASSIGNMENT_HELDBYTES_H
