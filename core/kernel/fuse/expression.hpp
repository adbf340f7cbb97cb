// Expressions on placeholders, as traced by `fuse`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/kernel/fuse/promotion.hpp"

namespace kernelbatch {

/// Rule for a node's dtype.
enum class TypeRule : std::uint8_t {
  kPromote,   ///< the operands' common dtype
  kFloat,     ///< that, made floating: sin
  kDivide,    ///< that, float64 for all integers
  kRound,     ///< that; integers are unchanged
  kCompare,   ///< operands promoted, result bool
  kLogical,   ///< operands as truth values, result bool
  kIntegers,  ///< promoted, and only integers and bool make sense: bit operations
  kReal,      ///< the real type of the operand: abs, real, imag
  kAngle,     ///< that, made floating
  kTest,      ///< bool from a floating operand: isnan
  kSelect,    ///< the second and third operand's common dtype: where
};

/// Properties of an operation besides its rule.
enum OperationTrait : unsigned {
  kRealOnly = 1,    ///< complex numbers are refused
  kBoolIsInt8 = 2,  ///< bool operands are computed as int8, as NumPy does
  kBoolIsHalf = 4,  ///< or as float16
  kNoBool = 8,      ///< bool operands are refused
  kWraps = 16,      ///< integers wrap on overflow: computed as unsigned
};

/// One elementwise function: its name, and its text with $0, $1, $2 for the operands, already cast.
struct Operation {
  std::string name;
  int arity;
  TypeRule rule;
  std::string text;
  unsigned traits = 0;

  bool has(OperationTrait trait) const noexcept { return (traits & trait) != 0; }
};

/// The named operation ("add", "sin", "where"); null for an unknown one.
const Operation* find_operation(const std::string& name);
std::vector<std::string> operation_names();

enum class ReduceKind : std::uint8_t { kSum, kProd, kMax, kMin, kMean, kVar, kStd, kAny, kAll };
/// Finds a reduction by name: "sum", "prod", …; false if unknown.
bool find_reduction(const std::string& name, ReduceKind& kind);
std::string to_text(ReduceKind kind);

/// Options of a reduction. Axes: empty and `all` = every axis.
struct ReduceOptions {
  bool all = true;
  std::vector<int> axes = {};
  bool keepdims = false;
  std::optional<DType> dtype = {};  ///< elements are cast to it first; also the result's
  int ddof = 0;                     ///< of var and std: they divide by the count minus this

  bool operator==(const ReduceOptions&) const = default;
};

/// Axis numbers, negative from the end: `axis(-1)`, `axis(0, 2).keep()`.
struct AxisList {
  std::vector<int> axes;
  bool keepdims = false;
  AxisList keep() const { return {axes, true}; }
};
template <class... I>
AxisList axis(I... numbers) {
  return {{static_cast<int>(numbers)...}, false};
}

/// One value of a traced expression.
struct Node {
  enum class Kind : std::uint8_t { kInput, kConstant, kApply, kCast, kReduce };
  Kind kind = Kind::kInput;
  int input = 0;
  Constant constant = false;
  const Operation* operation = nullptr;
  DType dtype = DType::kFloat64;  ///< of a cast
  ReduceKind reduce = ReduceKind::kSum;
  ReduceOptions axes = {};
  std::vector<int> operands = {};
};

/// The nodes of one expression, operands before users; equal nodes are merged.
class Graph {
 public:
  int add(Node node);
  const Node& node(int id) const { return nodes_[static_cast<std::size_t>(id)]; }
  int size() const noexcept { return static_cast<int>(nodes_.size()); }

  std::vector<int> outputs;
  int inputs = 0;

 private:
  std::vector<Node> nodes_;
};

/// A placeholder or a value computed from some. Valid while its graph exists.
struct Expr {
  Graph* graph = nullptr;
  int id = 0;
};

/// Applies an operation; on constants it is evaluated immediately (fold.hpp). Throws SpecError for
/// an unknown name.
Expr apply(const std::string& name, const std::vector<Expr>& operands);
Expr constant(Graph& graph, const Constant& value);
Expr reduce(ReduceKind kind, const Expr& operand, const ReduceOptions& axes);
Expr astype(const Expr& operand, DType dtype);

template <class T>
concept ArithmeticNumber = std::is_arithmetic_v<T> || std::is_same_v<T, std::complex<double>>;

namespace detail {
template <ArithmeticNumber T>
Constant to_constant(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value;
  else if constexpr (std::is_integral_v<T>)
    return WideInteger{value};
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(value);
  else
    return value;
}
inline Expr lift(Graph&, const Expr& value) { return value; }
template <ArithmeticNumber T>
Expr lift(Graph& graph, T value) {
  return constant(graph, to_constant(value));
}
template <class T>
concept Operand = std::is_same_v<T, Expr> || ArithmeticNumber<T>;
template <class A, class B>
concept Operands = Operand<A> && Operand<B> &&(std::is_same_v<A, Expr> || std::is_same_v<B, Expr>);
template <class A, class B>
Expr binary(const char* name, const A& a, const B& b) {
  Graph* graph = nullptr;
  if constexpr (std::is_same_v<A, Expr>)
    graph = a.graph;
  else
    graph = b.graph;
  return apply(name, {lift(*graph, a), lift(*graph, b)});
}
}  // namespace detail

#define KERNELBATCH_FUSE_OPERATOR(symbol, name)                                  \
  template <class A, class B>                                                    \
  requires detail::Operands<A, B> Expr operator symbol(const A& a, const B& b) { \
    return detail::binary(name, a, b);                                           \
  }
KERNELBATCH_FUSE_OPERATOR(+, "add")
KERNELBATCH_FUSE_OPERATOR(-, "subtract")
KERNELBATCH_FUSE_OPERATOR(*, "multiply")
KERNELBATCH_FUSE_OPERATOR(/, "divide")
KERNELBATCH_FUSE_OPERATOR(%, "remainder")
KERNELBATCH_FUSE_OPERATOR(<, "less")
KERNELBATCH_FUSE_OPERATOR(<=, "less_equal")
KERNELBATCH_FUSE_OPERATOR(>, "greater")
KERNELBATCH_FUSE_OPERATOR(>=, "greater_equal")
KERNELBATCH_FUSE_OPERATOR(==, "equal")
KERNELBATCH_FUSE_OPERATOR(!=, "not_equal")
KERNELBATCH_FUSE_OPERATOR(&, "bitwise_and")
KERNELBATCH_FUSE_OPERATOR(|, "bitwise_or")
KERNELBATCH_FUSE_OPERATOR(^, "bitwise_xor")
KERNELBATCH_FUSE_OPERATOR(<<, "left_shift")
KERNELBATCH_FUSE_OPERATOR(>>, "right_shift")
#undef KERNELBATCH_FUSE_OPERATOR
inline Expr operator-(const Expr& a) { return apply("negative", {a}); }
inline Expr operator+(const Expr& a) { return a; }
inline Expr operator!(const Expr& a) { return apply("logical_not", {a}); }
inline Expr operator~(const Expr& a) { return apply("invert", {a}); }

#define KERNELBATCH_FUSE_UNARY(name) \
  inline Expr name(const Expr& a) { return apply(#name, {a}); }
KERNELBATCH_FUSE_UNARY(sin)
KERNELBATCH_FUSE_UNARY(cos)
KERNELBATCH_FUSE_UNARY(tan)
KERNELBATCH_FUSE_UNARY(asin)
KERNELBATCH_FUSE_UNARY(acos)
KERNELBATCH_FUSE_UNARY(atan)
KERNELBATCH_FUSE_UNARY(sinh)
KERNELBATCH_FUSE_UNARY(cosh)
KERNELBATCH_FUSE_UNARY(tanh)
KERNELBATCH_FUSE_UNARY(exp)
KERNELBATCH_FUSE_UNARY(exp2)
KERNELBATCH_FUSE_UNARY(expm1)
KERNELBATCH_FUSE_UNARY(log)
KERNELBATCH_FUSE_UNARY(log2)
KERNELBATCH_FUSE_UNARY(log10)
KERNELBATCH_FUSE_UNARY(log1p)
KERNELBATCH_FUSE_UNARY(sqrt)
KERNELBATCH_FUSE_UNARY(cbrt)
KERNELBATCH_FUSE_UNARY(floor)
KERNELBATCH_FUSE_UNARY(ceil)
KERNELBATCH_FUSE_UNARY(trunc)
KERNELBATCH_FUSE_UNARY(rint)
KERNELBATCH_FUSE_UNARY(abs)
KERNELBATCH_FUSE_UNARY(square)
KERNELBATCH_FUSE_UNARY(real)
KERNELBATCH_FUSE_UNARY(imag)
KERNELBATCH_FUSE_UNARY(conj)
KERNELBATCH_FUSE_UNARY(isnan)
KERNELBATCH_FUSE_UNARY(isinf)
KERNELBATCH_FUSE_UNARY(isfinite)
#undef KERNELBATCH_FUSE_UNARY

#define KERNELBATCH_FUSE_BINARY(name)                                 \
  template <class A, class B>                                         \
  requires detail::Operands<A, B> Expr name(const A& a, const B& b) { \
    return detail::binary(#name, a, b);                               \
  }
KERNELBATCH_FUSE_BINARY(maximum)
KERNELBATCH_FUSE_BINARY(minimum)
KERNELBATCH_FUSE_BINARY(power)
KERNELBATCH_FUSE_BINARY(arctan2)
KERNELBATCH_FUSE_BINARY(hypot)
KERNELBATCH_FUSE_BINARY(copysign)
KERNELBATCH_FUSE_BINARY(logaddexp)
KERNELBATCH_FUSE_BINARY(fmod)
KERNELBATCH_FUSE_BINARY(floor_divide)
KERNELBATCH_FUSE_BINARY(logical_and)
KERNELBATCH_FUSE_BINARY(logical_or)
KERNELBATCH_FUSE_BINARY(logical_xor)
#undef KERNELBATCH_FUSE_BINARY

template <detail::Operand A, detail::Operand B>
Expr where(const Expr& condition, const A& a, const B& b) {
  return apply("where",
               {condition, detail::lift(*condition.graph, a), detail::lift(*condition.graph, b)});
}
template <detail::Operand A, detail::Operand B>
Expr clip(const Expr& value, const A& low, const B& high) {
  return minimum(maximum(value, low), high);
}

#define KERNELBATCH_FUSE_REDUCTION(name, kind)                                   \
  inline Expr name(const Expr& a) { return reduce(ReduceKind::kind, a, {}); }    \
  inline Expr name(const Expr& a, const AxisList& list) {                        \
    return reduce(ReduceKind::kind, a,                                           \
                  {.all = false, .axes = list.axes, .keepdims = list.keepdims}); \
  }
KERNELBATCH_FUSE_REDUCTION(sum, kSum)
KERNELBATCH_FUSE_REDUCTION(prod, kProd)
KERNELBATCH_FUSE_REDUCTION(max, kMax)
KERNELBATCH_FUSE_REDUCTION(min, kMin)
KERNELBATCH_FUSE_REDUCTION(mean, kMean)
KERNELBATCH_FUSE_REDUCTION(var, kVar)
KERNELBATCH_FUSE_REDUCTION(stddev, kStd)
KERNELBATCH_FUSE_REDUCTION(any, kAny)
KERNELBATCH_FUSE_REDUCTION(all, kAll)
#undef KERNELBATCH_FUSE_REDUCTION

}  // namespace kernelbatch
