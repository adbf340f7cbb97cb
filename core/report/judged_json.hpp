// Verdicts and their times in JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/report/judged_row.hpp"

namespace kernelbatch {

using JudgedJson = nlohmann::ordered_json;

/// JSON has neither NaN nor infinities.
JudgedJson finite_or_null(double value);
/// Both times under these names, their ratio and its interval.
void add_times(JudgedJson& json, const JudgedRow& row, const char* before, const char* now);
JudgedJson counts_json(std::span<const Verdict> verdicts, std::span<const std::int64_t> counts);
/// Indented, with a line end.
std::string indented(const JudgedJson& json);

}  // namespace kernelbatch
