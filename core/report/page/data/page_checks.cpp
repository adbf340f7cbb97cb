#include "core/report/page/data/page_checks.hpp"

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
      return text.empty() ? PageJson() : PageJson(names_.of(text));
    };
    rows_.push_back(page_row({result, name(output.name), name(std::string(name_of(output.dtype))),
                              name(shape_text(output.shape)), name(output.mode),
                              name(output.tolerance), page_number(output.max_abs_err),
                              page_number(output.max_rel_err), page_number(output.max_ulp),
                              page_count(output.mismatches), name(output.first_mismatch)}));
  }
}

void PageChecks::write(PageJson& page) const {
  page["check_columns"] = {"result",   "output",   "dtype", "shape", "mode", "tolerance",
                           "absolute", "relative", "ulp",   "wrong", "first"};
  page["check_names"] = names_.list();
  page["checks"] = rows_;
  page["checks_left_out"] = left_out_;
}

}  // namespace kernelbatch
