// What compute-sanitizer writes, as findings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/check_kind.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// compute-sanitizer's tool for a check: "memcheck".
std::string_view tool_of(CheckKind kind);

/// An array of the process that was watched.
struct CheckedArray {
  std::uint64_t address = 0, bytes = 0, item = 1;
  std::string name;
};
/// Of the list that a process under a tool writes (core/device/tool_checks.hpp).
std::vector<CheckedArray> read_checked_arrays(std::string_view text);

/// Faults of kernels in a log of the tool for `kind`, those at one place as one. Places are lines
/// without columns. What is no kernel's fault, such as calls of the driver that fail, is left out.
std::vector<FindingRecord> read_tool_log(std::string_view text, CheckKind kind,
                                         const std::vector<CheckedArray>& arrays);

}  // namespace kernelbatch
