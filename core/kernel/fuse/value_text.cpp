#include "core/kernel/fuse/value_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace kernelbatch {
namespace {

std::string real_text(double value) {
  if (std::isnan(value)) return "__longlong_as_double(0x7ff8000000000000LL)";
  if (std::isinf(value))
    return fmt::format("__longlong_as_double({}LL)",
                       value > 0 ? "0x7ff0000000000000" : "(long long)0xfff0000000000000");
  const std::string text = fmt::format("{:.17g}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string whole_text(WideInteger value) {
  // The smallest number has no literal.
  if (value == INT64_MIN) return "(-9223372036854775807LL - 1)";
  return fmt::format(fmt::runtime(value > INT64_MAX ? "{}ULL" : "{}LL"), value);
}

std::string constant_text(const Constant& constant) {
  struct Writer {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(WideInteger value) const { return whole_text(value); }
    std::string operator()(double value) const { return real_text(value); }
    std::string operator()(const std::complex<double>& value) const {
      return fmt::format("complex<double>({}, {})", real_text(value.real()),
                         real_text(value.imag()));
    }
  };
  return std::visit(Writer{}, constant);
}

}  // namespace

std::string c_name(DType dtype) { return std::string(info(dtype).c_name); }

std::string cast(const std::string& text, DType from, DType to) {
  if (from == to) return text;
  const bool to_complex = info(to).kind == DTypeKind::kComplex;
  if (to == DType::kBool) {
    if (info(from).kind == DTypeKind::kComplex)
      return fmt::format("({0} != {1}(0))", text, c_name(from));
    return fmt::format("(static_cast<{}>({}) != 0)",
                       is_reduced_float(from) ? "float" : c_name(from), text);
  }
  if (to_complex && info(from).kind != DTypeKind::kComplex)
    return fmt::format("{}(static_cast<{}>({}))", c_name(to), c_name(real_of(to)),
                       is_reduced_float(from) ? "static_cast<float>(" + text + ")" : text);
  if (is_reduced_float(from))
    return fmt::format("static_cast<{}>(static_cast<float>({}))", c_name(to), text);
  if (is_reduced_float(to)) return fmt::format("{}(static_cast<float>({}))", c_name(to), text);
  return fmt::format("static_cast<{}>({})", c_name(to), text);
}

std::string constant_value(const Constant& constant, DType as) {
  const WideInteger* whole = std::get_if<WideInteger>(&constant);
  if (whole != nullptr && as == DType::kBool) return *whole == 0 ? "false" : "true";
  // As in Python: an integer is converted to a real number first.
  if (whole != nullptr && is_floating(as))
    return cast(real_text(static_cast<double>(*whole)), DType::kFloat64, as);
  return cast(constant_text(constant), dtype_of(constant), as);
}

DType wrapping_of(DType dtype) noexcept {
  return size_of(dtype) == 8 ? DType::kUInt64 : DType::kUInt32;
}

std::string least_value(DType dtype) {
  if (is_floating(dtype)) return constant_value(-std::numeric_limits<double>::infinity(), dtype);
  const bool is_signed = info(dtype).kind == DTypeKind::kSigned;
  const auto bits = static_cast<int>(8 * size_of(dtype)) - 1;
  return constant_value(is_signed ? -(WideInteger{1} << bits) : WideInteger{0}, dtype);
}

std::string largest_value(DType dtype) {
  if (is_floating(dtype)) return constant_value(std::numeric_limits<double>::infinity(), dtype);
  if (dtype == DType::kBool) return "true";
  const bool is_signed = info(dtype).kind == DTypeKind::kSigned;
  const auto bits = static_cast<int>(8 * size_of(dtype)) - (is_signed ? 1 : 0);
  return constant_value((WideInteger{1} << bits) - 1, dtype);
}

}  // namespace kernelbatch
