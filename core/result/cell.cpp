#include "core/result/cell.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::schema {
namespace {

template <class T>
const T& get(const Value& cell, std::string_view expected) {
  if (const T* value = std::get_if<T>(&cell)) return *value;
  throw StoreError(fmt::format("'{}' is stored where {} is expected", to_text(cell), expected));
}

const std::string& text_of(const Value& cell) { return get<std::string>(cell, "text"); }

[[noreturn]] void unknown(const Value& cell, std::string_view kind) {
  throw StoreError(fmt::format("'{}' is stored, which is not a {}", to_text(cell), kind));
}

template <Choice E>
E choice_of(const Value& cell, std::string_view kind) {
  const auto value = parse_choice<E>(text_of(cell));
  if (!value) unknown(cell, kind);
  return *value;
}

}  // namespace

Value to_cell(std::int64_t value) { return value; }
Value to_cell(double value) { return value; }
Value to_cell(bool value) { return value; }
Value to_cell(std::optional<bool> value) {
  return std::string(!value ? "unknown" : *value ? "yes" : "no");
}
Value to_cell(DType value) { return std::string(name_of(value)); }
Value to_cell(const std::string& value) { return value; }
Value to_cell(const std::vector<std::int64_t>& value) {
  return fmt::format("{}", fmt::join(value, ","));
}
Value to_cell(const std::vector<std::string>& value) { return join(value, ","); }
Value to_cell(std::optional<VariantKind> value) {
  return std::string(value ? name_of(*value) : std::string_view());
}
Value to_cell(const std::vector<Note>& value) { return to_text(value); }

void from_cell(const Value& cell, std::int64_t& value) {
  value = get<std::int64_t>(cell, "an integer");
}

void from_cell(const Value& cell, double& value) {
  const auto* whole = std::get_if<std::int64_t>(&cell);
  value = whole != nullptr ? static_cast<double>(*whole) : get<double>(cell, "a number");
}

void from_cell(const Value& cell, bool& value) { value = get<bool>(cell, "true or false"); }

void from_cell(const Value& cell, std::optional<bool>& value) {
  const std::string& text = text_of(cell);
  if (text == "unknown")
    value.reset();
  else if (text == "yes" || text == "no")
    value = text == "yes";
  else
    unknown(cell, "yes, no or unknown");
}

void from_cell(const Value& cell, Status& value) { value = choice_of<Status>(cell, "status"); }

void from_cell(const Value& cell, SampleKind& value) {
  value = choice_of<SampleKind>(cell, "kind of samples");
}

void from_cell(const Value& cell, EvidenceSource& value) {
  value = choice_of<EvidenceSource>(cell, "source of a counter");
}

void from_cell(const Value& cell, Phase& value) {
  value = parse_choice<Phase>(text_of(cell)).value_or(Phase::kUnknown);
}

void from_cell(const Value& cell, DType& value) {
  const auto dtype = dtype_named(text_of(cell));
  if (!dtype) unknown(cell, "dtype");
  value = *dtype;
}

void from_cell(const Value& cell, std::string& value) { value = text_of(cell); }

void from_cell(const Value& cell, std::vector<std::int64_t>& value) {
  value.clear();
  const std::string& text = text_of(cell);
  if (text.empty()) return;
  for (const std::string& part : split(text, ',')) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc{} || end != part.data() + part.size()) unknown(cell, "list of integers");
    value.push_back(number);
  }
}

void from_cell(const Value& cell, std::vector<std::string>& value) {
  const std::string& text = text_of(cell);
  value = text.empty() ? std::vector<std::string>{} : split(text, ',');
}

void from_cell(const Value& cell, std::optional<VariantKind>& value) {
  value = parse_choice<VariantKind>(text_of(cell));
}

void from_cell(const Value& cell, std::vector<Note>& value) { value = parse_notes(text_of(cell)); }

}  // namespace kernelbatch::schema
