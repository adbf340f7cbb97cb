// Splits a worker's output by its phase: kernels print through the worker's output.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/result/record.hpp"

namespace kernelbatch {

/// Mark that a worker prints at the begin of a phase: text after it belongs to that phase of that
/// variant. It is in the stream itself, so the order is exact.
std::string phase_mark(std::string_view variant, Phase phase);

/// Accepts the stream in pieces of any size.
class PrintedText {
 public:
  void add(std::string_view piece);

  /// The last lines printed since the worker started its current variant.
  std::string last_lines() const;

  /// The system call that the sandbox refused: "start a program (execve)"; empty if none.
  const std::string& refusal() const noexcept { return refusal_; }

  /// Text that a variant's kernels printed in the first call, before timing: the first 4 KiB,
  /// followed by a line if there was more. Returned once.
  std::string take_first_call(const std::string& variant);

 private:
  void text(std::string_view piece);
  void begin(std::string_view mark);

  std::string waiting_;  ///< a mark whose end has not arrived
  std::string tail_;     ///< since the turn to variant_
  std::string variant_, refusal_;
  bool is_first_call_ = false;
  std::map<std::string, std::string> first_calls_;
};

}  // namespace kernelbatch
