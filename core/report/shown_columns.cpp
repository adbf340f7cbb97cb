#include "core/report/shown_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/text.hpp"
#include "core/report/flat_rows.hpp"

namespace kernelbatch {
namespace {

using schema::ColumnType;
using schema::Form;

std::string error_text(const ResultRecord& record) {
  if (record.is_reference() && record.status == Status::kOk) return "is the reference";
  // A fault comes first, even if other checks did not run.
  if (!record.fault.empty()) return record.fault;
  for (const OutputRecord& output : record.outputs)
    if (output.mismatches >= 0 && std::isnan(output.max_abs_err)) return "NaN";
  for (const OutputRecord& output : record.outputs) {
    if (output.mode == "reference") return "is the reference";
    if (output.mode == "none") return "UNVERIFIED: no reference";
  }
  double rel = -1, absolute = 0;
  bool all_exact = !record.outputs.empty();
  for (const OutputRecord& output : record.outputs) {
    rel = std::max(rel, output.max_rel_err);
    absolute = std::max(absolute, output.max_abs_err);
    all_exact = all_exact && output.max_abs_err == 0;
  }
  if (record.outputs.empty()) return "";
  // If all elements are equal, the failure is elsewhere.
  if (all_exact) return record.status == Status::kVerificationFailed ? "NaN" : "exact";
  // There is no error relative to zero.
  const bool is_absolute = std::isinf(rel) && std::isfinite(absolute);
  return fmt::format("{} {:.1e}{}", is_absolute ? "abs" : "rel", is_absolute ? absolute : rel,
                     record.deterministic.value_or(true) ? "" : ", varies");
}

/// A number, or a text if no number applies.
Value worst_error(const ResultRecord& record) {
  double worst = kMissing, absolute = 0;
  if (record.is_reference()) return kMissing;
  for (const OutputRecord& output : record.outputs) {
    if (output.mismatches >= 0 && std::isnan(output.max_abs_err)) return std::string("NaN");
    const double error = output.max_abs_err == 0 ? 0 : output.max_rel_err;
    absolute = std::max(absolute, output.max_abs_err);
    if (!std::isnan(error)) worst = std::isnan(worst) ? error : std::max(worst, error);
  }
  if (!std::isinf(worst)) return worst;
  // There is no error relative to zero.
  return std::isinf(absolute) ? std::string("infinite") : fmt::format("abs {:.1e}", absolute);
}

/// The interval's half width relative to the median.
double half_width(const Summary& summary) {
  constexpr std::int64_t kFewest = 6;  // fewer have no interval: summarise() gives their range
  if (summary.samples < kFewest) return kMissing;
  return (summary.ci95_high - summary.ci95_low) / 2 / summary.median;
}

const ShownColumn kDerived[] = {
    {{"parameters", ColumnType::kText, "", "parameters of the case", "", 0},
     [](const ResultRecord& record) -> Value { return to_text(record.params); },
     nullptr,
     {.heading = "parameters", .place = 10, .in_text = false}},
    {{"half_width", ColumnType::kReal, "1", "half width of the cold median's 95 % interval", "", 0},
     [](const ResultRecord& record) -> Value { return half_width(record.cold); },
     nullptr,
     {.heading = "± 95 %", .form = Form::kHalfWidth, .place = 50, .drop = 5, .only_ok = true}},
    {{"error_text", ColumnType::kText, "", "largest error, or the fault", "", 0},
     [](const ResultRecord& record) -> Value {
       return error_text(record) + (record.is_one_set() ? ", one set" : "");
     },
     nullptr,
     {.heading = "error", .place = 90, .drop = 3}},
    {{"ranked_ci95_low", ColumnType::kReal, "s", "lower end of the ranked median's interval", "",
      0},
     [](const ResultRecord& record) -> Value { return record.ranked_summary().ci95_low; },
     nullptr,
     {.member = "low", .only_ok = true}},
    {{"ranked_ci95_high", ColumnType::kReal, "s", "upper end of the ranked median's interval", "",
      0},
     [](const ResultRecord& record) -> Value { return record.ranked_summary().ci95_high; },
     nullptr,
     {.member = "high", .only_ok = true}},
    {{"ranked_samples", ColumnType::kInteger, "1", "samples of the ranked median", "", 0},
     [](const ResultRecord& record) -> Value { return record.ranked_summary().samples; },
     nullptr,
     {.member = "samples", .only_ok = true}},
    {{"intensity", ColumnType::kReal, "byte-1", "floating-point operations per byte", "", 0},
     [](const ResultRecord& record) -> Value {
       const double bytes = record.bytes_read + record.bytes_written;
       return bytes > 0 ? record.flops / bytes : kMissing;
     },
     nullptr,
     {.member = "intensity"}},
    {{"error", ColumnType::kReal, "1", "largest relative error; a text if there is none", "", 0},
     worst_error,
     nullptr,
     {.member = "error"}},
};

std::vector<ShownColumn> columns_if(bool schema::Shown::*is_in) {
  std::vector<ShownColumn> columns;
  for (const ShownColumn& column : shown_columns())
    if (!column.shown.heading.empty() && column.shown.*is_in) columns.push_back(column);
  return columns;
}

std::string number_text(double value, const ShownColumn& column) {
  switch (column.shown.form) {
    case Form::kShare:
      return fmt::format("{:.0f} %", 100 * value);
    case Form::kRatio:
      return speedup_text(value);
    case Form::kHalfWidth:
      return fmt::format("± {:.2g} %", 100 * value);
    case Form::kByUnits:
      break;
  }
  if (column.info.units == "s") return format_seconds(value);
  if (column.info.units == "byte s-1")
    return fmt::format("{:.{}f}", value / 1e9, value < 1e11 ? 2 : 0);
  return fmt::format("{:.4g}", value);
}

}  // namespace

const std::vector<ShownColumn>& shown_columns() {
  static const std::vector<ShownColumn> kColumns = [] {
    std::vector<ShownColumn> columns(std::begin(kDerived), std::end(kDerived));
    for (const ShownColumn& column : schema::results())
      if (!column.shown.heading.empty() || !column.shown.member.empty()) columns.push_back(column);
    std::ranges::stable_sort(columns, {}, [](const ShownColumn& each) { return each.shown.place; });
    return columns;
  }();
  return kColumns;
}

std::vector<ShownColumn> text_columns() { return columns_if(&schema::Shown::in_text); }
std::vector<ShownColumn> export_columns() { return columns_if(&schema::Shown::in_export); }

bool is_number(const ShownColumn& column) noexcept {
  return column.info.type == ColumnType::kInteger || column.info.type == ColumnType::kReal;
}

std::optional<Value> shown_value(const ShownColumn& column, const ResultRecord& record) {
  if (column.shown.only_ok && record.status != Status::kOk) return std::nullopt;
  return present(column.get(record));
}

std::string shown_text(const ShownColumn& column, const ResultRecord& record) {
  const std::optional<Value> value = shown_value(column, record);
  if (!value) return std::string(column.shown.missing);
  const auto* real = std::get_if<double>(&*value);
  return real != nullptr ? number_text(*real, column) : to_text(*value);
}

std::string speedup_text(double speedup) {
  return std::isnan(speedup) ? "" : fmt::format("{:.2f}x", speedup);
}

}  // namespace kernelbatch
