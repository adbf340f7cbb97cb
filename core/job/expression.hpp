// The expression language of jobs: filters and sizes computed from parameters. It has no
// assignments, no loops and only built-in functions, so a job's expressions cannot execute code.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/value.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

namespace detail {
struct CheckedExpression;
}

/// An expression, parsed once. From loose to tight: `or` · `and` · `not` · `== != < <= > >= in
/// not in` (not chained) · `+ -` · `* / %` · sign · `^` or `**`, the power (right-associative, so
/// -2^2 = -4). In fused expressions `^` is exclusive or, as in C; `**` is the power in both.
///
/// Numbers are read as quantities (`1e6`, `1_000`, `4Ki`: integers; `0.5`: reals), text is in
/// single or double quotes, lists `[..]` right of `in`, names are parameters (dots allowed:
/// x.size). Functions: min max (any number of arguments), abs, ceil and floor (to integers), log2
/// (real). `+ - * %` and powers of integers are integers, overflow is an error; `/` is real
/// division; integer to a negative integer power is real; `%` has the sign of its right side.
/// Numbers compare with numbers exactly, text with text, truth values with truth values; any other
/// mix is an error, and so are numbers where `and`, `or`, `not` need a truth value. `and` and `or`
/// stop early.
class Expression {
 public:
  /// Throws SpecError with the place (of the whole text), the column and a caret below it.
  explicit Expression(std::string text, SourcePlace place = {});
  explicit Expression(const Scalar& scalar) : Expression(scalar.text, scalar.place) {}
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  /// The value for these parameters. Throws SpecError as the constructor does.
  Value evaluate(const NamedValues& values) const;
  /// The value of a condition; anything but a truth value is an error.
  bool holds(const NamedValues& values) const;

  /// Throws SpecError for the first name that is not among `known`, with the nearest one that is.
  void check_names(std::span<const std::string> known) const;

  const std::string& text() const noexcept;
  /// The names used, in order of appearance, each once.
  std::vector<std::string> names() const;

 private:
  std::unique_ptr<const detail::CheckedExpression> checked_;
};

}  // namespace kernelbatch
