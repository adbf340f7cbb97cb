// Value: a parameter's value as jobs write it, plugins read it and results store it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kernelbatch {

/// boolean, integer, real or text.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// Name → value in the order of declaration.
using NamedValues = std::vector<std::pair<std::string, Value>>;

/// As written in a job: `true`, `1000000`, `0.5`, `float64`. Reads back to the same value.
std::string to_text(const Value& value);

/// "n=1000000 dtype=float64".
std::string to_text(const NamedValues& values);

/// The value of a name, or null.
const Value* find_value(const NamedValues& values, std::string_view name) noexcept;

}  // namespace kernelbatch
