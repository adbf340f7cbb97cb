// Made-up results for tests: every member is set, no two have equal values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result/record.hpp"

namespace kernelbatch::test {

/// A whole case: two variants (`elementwise`, `raw`), samples, launches, kernels, one output `z` of
/// `z_values().size()` float64 elements each.
CaseRecord synthetic_case(const std::string& case_id, std::int64_t attempt = 1, int samples = 10);

/// "c7".
std::string case_name(int number);

/// Elements of output `z` in every synthetic case.
const std::vector<double>& z_values();

/// Output `z` of both variants.
std::vector<OutputData> synthetic_outputs();

}  // namespace kernelbatch::test
