#include "core/report/page_checks.hpp"

#include <fmt/format.h>

namespace kernelbatch {
namespace {

constexpr std::size_t kMostChecks = 20'000;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "×"));
}

}  // namespace

void PageChecks::add(const ResultRecord& record, std::size_t result) {
  if (record.is_reference()) return;
  for (const OutputRecord& output : record.outputs) {
    if (rows_.size() >= kMostChecks) {
      ++left_out_;
      continue;
    }
    const auto name = [&](const std::string& text) {
      return text.empty() ? "null" : fmt::format("{}", names_.of(text));
    };
    rows_.push_back(
        row_of({fmt::format("{}", result), name(output.name),
                name(std::string(name_of(output.dtype))), name(shape_text(output.shape)),
                name(output.mode), name(output.tolerance), json_number(output.max_abs_err),
                json_number(output.max_rel_err), json_number(output.max_ulp),
                output.mismatches >= 0 ? fmt::format("{}", output.mismatches) : "null",
                name(output.first_mismatch)}));
  }
}

std::string PageChecks::members() const {
  return fmt::format(
      R"("check_columns":["result","output","dtype","shape","mode","tolerance","absolute",)"
      R"("relative","ulp","wrong","first"],"check_names":{},"checks":{},"checks_left_out":{})",
      names_.list(), list_of(rows_), left_out_);
}

}  // namespace kernelbatch
