#include "core/report/judged_json.hpp"

#include <cmath>

namespace kernelbatch {

JudgedJson finite_or_null(double value) {
  return std::isfinite(value) ? JudgedJson(value) : JudgedJson();
}

void add_times(JudgedJson& json, const JudgedRow& row, const char* before, const char* now) {
  json[before] = finite_or_null(row.before);
  json[now] = finite_or_null(row.now);
  json["ratio"] = finite_or_null(row.ratio);
  json["ratio_low"] = finite_or_null(row.ratio_low);
  json["ratio_high"] = finite_or_null(row.ratio_high);
}

JudgedJson counts_json(std::span<const Verdict> verdicts, std::span<const std::int64_t> counts) {
  JudgedJson json = JudgedJson::object();
  for (const Verdict verdict : verdicts)
    json[std::string(name_of(verdict))] = counts[static_cast<std::size_t>(verdict)];
  return json;
}

std::string indented(const JudgedJson& json) {
  return json.dump(2, ' ', false, JudgedJson::error_handler_t::replace) + "\n";
}

}  // namespace kernelbatch
