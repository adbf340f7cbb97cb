#include "core/job/expression.hpp"

#include <string>

#include "tests/fuzz/refused.hpp"

namespace kernelbatch::fuzz {

void expression(Bytes input) {
  const NamedValues values{
      {"n", std::int64_t{1'000'000}},    {"k", std::int64_t{-3}},           {"a", 0.25},
      {"x.size", std::int64_t{1} << 62}, {"dtype", std::string("float32")}, {"fast", true}};
  is_refused([&] {
    const Expression parsed{std::string(text_of(input))};
    claim(parsed.text() == text_of(input), "an expression forgot its text");
    for (const std::string& name : parsed.names())
      claim(!is_refused([&] { parsed.check_names(parsed.names()); }) && !name.empty(),
            "a name that is used is not known");
    is_refused([&] { parsed.holds(values); });
    parsed.evaluate(values);
  });
}

}  // namespace kernelbatch::fuzz
