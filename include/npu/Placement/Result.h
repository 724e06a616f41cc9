// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value, or an error that says why there is none. Errors are data: a caller
// that has to tell them apart reads their fields, never their message. Floor 0
// does not know MLIR's diagnostics: callers put the message into one.

#ifndef NPU_PLACEMENT_RESULT_H
#define NPU_PLACEMENT_RESULT_H

#include <string>
#include <utility>
#include <variant>

namespace npu {

/// The message of a refusal: lower case, no final period, "expected X, got Y".
struct Error {
  std::string message;
};

/// The value of what succeeds without producing one.
struct Success {};

/// A value of type T, or an error of type E. `Result<>` is the outcome of a
/// check: true where nothing is wrong.
template <typename T = Success, typename E = Error>
class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  const E &error() const { return std::get<1>(state); }

private:
  std::variant<T, E> state;
};

} // namespace npu

#endif // NPU_PLACEMENT_RESULT_H
