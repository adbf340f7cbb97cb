// Converts compute-sanitizer's output to findings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/check_kind.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// compute-sanitizer's tool for a check: "memcheck".
std::string_view tool_of(CheckKind kind);

/// An array of the checked process.
struct CheckedArray {
  std::uint64_t address = 0, bytes = 0, item = 1;
  std::string name;
};
/// Reads the list written by a process under a tool (core/device/tool_checks.hpp).
std::vector<CheckedArray> read_checked_arrays(std::string_view text);

/// Kernel faults in a log of the tool for `kind`, merged by place. Places are lines without
/// columns. Other reports, such as failed driver calls, are ignored.
std::vector<FindingRecord> read_tool_log(std::string_view text, CheckKind kind,
                                         const std::vector<CheckedArray>& arrays);

}  // namespace kernelbatch
