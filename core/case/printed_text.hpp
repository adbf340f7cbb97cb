// What a worker prints, split by what it was doing: kernels print through the worker's output.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/result/record.hpp"

namespace kernelbatch {

/// What a worker prints where it begins something: text after it belongs to that phase of that
/// variant. In the stream itself, so that no text can overtake it.
std::string phase_mark(std::string_view variant, Phase phase);

/// Takes the stream in pieces of any size.
class PrintedText {
 public:
  void add(std::string_view piece);

  /// The last lines that were printed since the worker turned to the variant that it runs.
  std::string last_lines() const;

  /// What a variant's kernels printed in its first call, before it was timed; the first 4 KiB of
  /// it, and then a line that says that there was more. Gives it once.
  std::string take_first_call(const std::string& variant);

 private:
  void text(std::string_view piece);
  void begin(std::string_view mark);

  std::string waiting_;  ///< a mark whose end has not arrived
  std::string tail_;     ///< since the turn to variant_
  std::string variant_;
  bool is_first_call_ = false;
  std::map<std::string, std::string> first_calls_;
};

}  // namespace kernelbatch
