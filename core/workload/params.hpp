// Declared parameters of a workload, and the values of one case.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/dtype.hpp"
#include "core/base/choice.hpp"
#include "core/base/value.hpp"

namespace kernelbatch {

enum class ParameterType : std::uint8_t { kInteger, kReal, kBoolean, kText };
template <>
struct Names<ParameterType> {
  static constexpr Named<ParameterType> rows[] = {{ParameterType::kInteger, "integer"},
                                                  {ParameterType::kReal, "real"},
                                                  {ParameterType::kBoolean, "boolean"},
                                                  {ParameterType::kText, "text"}};
};

/// One parameter that a job may set.
struct ParameterDeclaration {
  std::string name;
  ParameterType type = ParameterType::kInteger;
  Value default_value;
  std::string help;                        ///< one line
  std::optional<double> minimum, maximum;  ///< inclusive, of numbers
  std::vector<std::string> choices;        ///< of texts; empty = any
  /// Affects how variants compute, but never the result: unless set in a job, it is not part of a
  /// case's name and identity, and the reference does not depend on it.
  bool is_tuning = false;
};

/// Shorthands for declarations.
ParameterDeclaration integer_parameter(std::string name, std::int64_t default_value, double minimum,
                                       double maximum, std::string help);
ParameterDeclaration real_parameter(std::string name, double default_value, double minimum,
                                    double maximum, std::string help);
ParameterDeclaration choice_parameter(std::string name, std::string default_value,
                                      std::vector<std::string> choices, std::string help);
/// C++ types as one value: the element types that a workload supports.
template <class... T>
struct DTypes {};
/// The parameter `dtype`, one of these; Params::dtype() reads it.
template <class... T>
ParameterDeclaration dtype_parameter(DTypes<T...>, std::string default_value,
                                     std::string help = "type of the elements") {
  return choice_parameter("dtype", std::move(default_value), {std::string(name_of(kDTypeOf<T>))...},
                          std::move(help));
}
/// The same as a tuning parameter, which `tune:` can search.
ParameterDeclaration tuning_parameter(ParameterDeclaration declaration);

/// Converts the text of a job's scalar to the declared type and checks range and choices. Throws
/// SpecError with what was expected and the nearest choice; the caller adds the place.
Value typed_value(const ParameterDeclaration& declaration, std::string_view text);

/// The parameters of one case, complete: every declared one has a value.
class Params {
 public:
  Params() = default;
  explicit Params(NamedValues values) : values_(std::move(values)) {}
  /// `given`, and defaults for the other tuning parameters.
  Params(NamedValues given, const std::vector<ParameterDeclaration>& declared);

  // Throw std::logic_error for a name that was not declared with this type: an error of the
  // workload.
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  bool boolean(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  DType dtype(std::string_view name = "dtype") const;  ///< a text that names a dtype

  const NamedValues& values() const noexcept { return values_; }

 private:
  NamedValues values_;
};

}  // namespace kernelbatch
