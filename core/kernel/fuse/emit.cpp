#include "core/kernel/fuse/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace kernelbatch {
namespace {

std::string c_name(DType dtype) { return std::string(info(dtype).c_name); }

std::string real_text(double value) {
  if (std::isnan(value)) return "__longlong_as_double(0x7ff8000000000000LL)";
  if (std::isinf(value))
    return fmt::format("__longlong_as_double({}LL)",
                       value > 0 ? "0x7ff0000000000000" : "(long long)0xfff0000000000000");
  const std::string text = fmt::format("{:.17g}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string constant_text(const Constant& constant) {
  struct Writer {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const {
      // The most negative number has no literal of its own.
      return value == INT64_MIN ? "(-9223372036854775807LL - 1)" : fmt::format("{}LL", value);
    }
    std::string operator()(double value) const { return real_text(value); }
    std::string operator()(const std::complex<double>& value) const {
      return fmt::format("complex<double>({}, {})", real_text(value.real()),
                         real_text(value.imag()));
    }
  };
  return std::visit(Writer{}, constant);
}

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

/// How two parts `a.{0}` and `b.{0}` of a reduction become one, and what changes nothing.
struct Operator {
  std::string_view combine;
  std::string identity;  ///< empty: there is none
};

Operator operator_of(ReduceKind kind, const std::string& type) {
  switch (kind) {
    case ReduceKind::kSum:
    case ReduceKind::kMean:
      return {"a.{0} + b.{0}", type + "(0)"};
    case ReduceKind::kProd:
      return {"a.{0} * b.{0}", type + "(1)"};
    case ReduceKind::kMax:
      return {"_maximum(a.{0}, b.{0})", ""};
    case ReduceKind::kMin:
      return {"_minimum(a.{0}, b.{0})", ""};
    case ReduceKind::kAny:
      return {"a.{0} || b.{0}", "false"};
    case ReduceKind::kAll:
      return {"a.{0} && b.{0}", "true"};
    case ReduceKind::kVar:
    case ReduceKind::kStd:
      break;
  }
  throw std::logic_error("a reduction of several values has no operator");
}

/// Count, mean and sum of squared deviations, joined by T. Chan, G. Golub, R. LeVeque, 1979.
struct MomentsText {
  std::string members, initial, combine, variance;
};

MomentsText moments_text(std::size_t number, const std::string& type, const std::string& element,
                         const std::string& value) {
  return {fmt::format("  {0} n{1}, m{1}, s{1};\n", type, number),
          fmt::format("{}(1), {}, {}(0)", type, element, type),
          fmt::format("  c.n{0} = a.n{0} + b.n{0};\n"
                      "  const {1} d{0} = b.m{0} - a.m{0};\n"
                      "  const {1} w{0} = c.n{0} != 0 ? b.n{0} / c.n{0} : {1}(0);\n"
                      "  c.m{0} = a.m{0} + d{0} * w{0};\n"
                      "  c.s{0} = a.s{0} + b.s{0} + d{0} * d{0} * a.n{0} * w{0};\n",
                      number, type),
          fmt::format("({0}.s{1} / {0}.n{1})", value, number)};
}

}  // namespace

std::string Emitter::value(int id, DType as) const {
  const Node& node = typed_.node(id);
  if (node.kind == Node::Kind::kConstant)
    return cast(constant_text(node.constant), dtype_of(node.constant), as);
  return cast(fmt::format("_t{}", id), typed_.typed(id).dtype, as);
}

std::string Emitter::expression(int id) const {
  const Node& node = typed_.node(id);
  const TypedNode& typed = typed_.typed(id);
  if (node.kind == Node::Kind::kCast) return value(node.operands[0], node.dtype);
  if (node.operation->rule == TypeRule::kRound && !is_floating(typed.compute))
    return value(node.operands[0], typed.dtype);
  // Floats of few bits are computed in float, each result rounded.
  const bool in_float = is_reduced_float(typed.compute);
  const DType compute = in_float ? accumulator_of(typed.compute) : typed.compute;
  std::string text;
  const std::string& pattern = node.operation->text;
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    if (pattern[k] != '$') {
      text += pattern[k];
      continue;
    }
    const auto operand = static_cast<std::size_t>(pattern[++k] - '0');
    const bool is_condition = node.operation->rule == TypeRule::kSelect && operand == 0;
    text += "(" + value(node.operands[operand], is_condition ? DType::kBool : compute) + ")";
  }
  if (typed.dtype == DType::kBool) return fmt::format("static_cast<bool>({})", text);
  if (in_float) return fmt::format("{}(static_cast<float>({}))", c_name(typed.dtype), text);
  if (info(typed.dtype).kind == DTypeKind::kComplex) return text;
  return fmt::format("static_cast<{}>({})", c_name(typed.dtype), text);
}

void Emitter::write(int id, std::string& text) {
  const Node& node = typed_.node(id);
  if (node.kind == Node::Kind::kConstant || written_.contains(id)) return;
  const std::string leaf = leaf_(id);
  if (leaf.empty())
    for (const int operand : node.operands) write(operand, text);
  text += fmt::format("const {} _t{} = {};\n", c_name(typed_.typed(id).dtype), id,
                      leaf.empty() ? expression(id) : leaf);
  written_.insert(id);
}

std::string Emitter::statements(int id) {
  std::string text;
  write(id, text);
  return text;
}

std::string expression_preamble() {
  return R"(
template <class T> KERNELBATCH_INLINE T _maximum(T a, T b) { return a != a ? a : b != b ? b : a < b ? b : a; }
template <class T> KERNELBATCH_INLINE T _minimum(T a, T b) { return a != a ? a : b != b ? b : b < a ? b : a; }
template <class T> KERNELBATCH_INLINE T _absolute(T a) { return a < T(0) ? static_cast<T>(-a) : a; }
KERNELBATCH_INLINE bool _absolute(bool a) { return a; }
KERNELBATCH_INLINE float _absolute(float a) { return fabsf(a); }
KERNELBATCH_INLINE double _absolute(double a) { return fabs(a); }
template <class T> KERNELBATCH_INLINE T _absolute(const complex<T>& a) { return abs(a); }
template <class T> KERNELBATCH_INLINE T _real(T a) { return a; }
template <class T> KERNELBATCH_INLINE T _real(const complex<T>& a) { return a.real(); }
template <class T> KERNELBATCH_INLINE T _imag(T) { return T(0); }
template <class T> KERNELBATCH_INLINE T _imag(const complex<T>& a) { return a.imag(); }
template <class T> KERNELBATCH_INLINE T _conj(T a) { return a; }
template <class T> KERNELBATCH_INLINE complex<T> _conj(const complex<T>& a) { return {a.re, -a.im}; }
template <class T> KERNELBATCH_INLINE T _invert(T a) { return static_cast<T>(~a); }
KERNELBATCH_INLINE bool _invert(bool a) { return !a; }
template <class T> KERNELBATCH_INLINE T _floor_divide(T a, T b) {
  if (b == T(0)) return T(0);
  const T q = static_cast<T>(a / b);
  return (a % b != T(0) && ((a < T(0)) != (b < T(0)))) ? static_cast<T>(q - T(1)) : q;
}
KERNELBATCH_INLINE float _floor_divide(float a, float b) { return floorf(a / b); }
KERNELBATCH_INLINE double _floor_divide(double a, double b) { return floor(a / b); }
template <class T> KERNELBATCH_INLINE T _remainder(T a, T b) {
  if (b == T(0)) return T(0);
  const T r = static_cast<T>(a % b);
  return (r != T(0) && ((r < T(0)) != (b < T(0)))) ? static_cast<T>(r + b) : r;
}
KERNELBATCH_INLINE double _remainder(double a, double b) {
  const double r = fmod(a, b);
  return (r != 0 && ((r < 0) != (b < 0))) ? r + b : r;
}
KERNELBATCH_INLINE float _remainder(float a, float b) {
  const float r = fmodf(a, b);
  return (r != 0 && ((r < 0) != (b < 0))) ? r + b : r;
}
template <class T> KERNELBATCH_INLINE T _power(T a, T b) {
  if (b < T(0)) return a == T(1) ? T(1) : T(0);
  T result = T(1);
  for (T factor = a; b > T(0); b = static_cast<T>(b / T(2)), factor = static_cast<T>(factor * factor))
    if (b % T(2) != T(0)) result = static_cast<T>(result * factor);
  return result;
}
KERNELBATCH_INLINE float _power(float a, float b) { return powf(a, b); }
KERNELBATCH_INLINE double _power(double a, double b) { return pow(a, b); }
)";
}

CombinedReduction combined_reduction(const TypedGraph& typed, const std::vector<int>& reductions,
                                     const Emitter& elements, const std::string& type,
                                     const std::string& value, const std::string& count) {
  CombinedReduction text;
  std::string members, combine;
  std::vector<std::string> initial, identity;
  bool has_identity = true;
  for (std::size_t k = 0; k < reductions.size(); ++k) {
    const Node& node = typed.node(reductions[k]);
    const TypedNode& result = typed.typed(reductions[k]);
    const int operand = node.operands[0];
    const std::string acc = c_name(result.compute);
    const std::string r = fmt::format("r{}", k);
    const bool has_moments = node.reduce == ReduceKind::kVar || node.reduce == ReduceKind::kStd;
    text.bytes += (has_moments ? 3 : 1) * std::max(8, static_cast<int>(size_of(result.compute)));
    const std::string element = elements.value(operand, result.compute);
    const std::string got = fmt::format("{}.{}", value, r);
    if (has_moments) {
      const MomentsText moments = moments_text(k, acc, element, value);
      members += moments.members;
      initial.push_back(moments.initial);
      identity.push_back(fmt::format("{0}(0), {0}(0), {0}(0)", acc));
      combine += moments.combine;
      const std::string& variance = moments.variance;
      text.results.push_back(
          cast(node.reduce == ReduceKind::kStd ? fmt::format("sqrt{}", variance) : variance,
               result.compute, result.dtype));
      continue;
    }
    members += fmt::format("  {} {};\n", acc, r);
    initial.push_back(element);
    const Operator op = operator_of(node.reduce, acc);
    if (op.identity.empty())
      has_identity = false;
    else
      identity.push_back(op.identity);
    combine += fmt::format(fmt::runtime("  c.{0} = " + std::string(op.combine) + ";\n"), r);
    const std::string final_text =
        node.reduce == ReduceKind::kMean ? fmt::format("{} / {}({})", got, acc, count) : got;
    text.results.push_back(cast(final_text, result.compute, result.dtype));
  }
  text.definition = fmt::format(
      "struct {0} {{\n{1}}};\n"
      "KERNELBATCH_INLINE {0} _combine(const {0}& a, const {0}& b) {{\n  {0} c;\n{2}  return "
      "c;\n}}\n",
      type, members, combine);
  text.element = fmt::format("{}{{{}}}", type, fmt::join(initial, ", "));
  if (has_identity) text.identity = fmt::format("{}{{{}}}", type, fmt::join(identity, ", "));
  return text;
}

}  // namespace kernelbatch
