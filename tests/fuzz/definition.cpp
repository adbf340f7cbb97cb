#include "core/kernel/elementwise/definition.hpp"

#include <string>

#include "core/kernel/reduction/definition.hpp"
#include "core/kernel/text/type_solver.hpp"
#include "tests/fuzz/refused.hpp"

namespace kernelbatch::fuzz {
namespace {

/// Finds a dtype for every placeholder, as a call with only scalars would bind it.
void solve(const std::vector<Parameter>& in, const std::vector<Parameter>& out) {
  const std::vector<Argument> given(in.size(), Argument(2.5)), made(out.size(), Argument(1));
  typedefs_of(solve_types(in, out, given, made));
}

}  // namespace

/// Lines: inputs, outputs, name, identity, the reduction's operator and its last step; the rest is
/// the operation.
void definition(Bytes input) {
  std::string_view text = text_of(input);
  const std::string_view in = take_line(text), out = take_line(text), name = take_line(text),
                         identity = take_line(text), reduce = take_line(text),
                         post_map = take_line(text);
  is_refused([&] {
    const ElementwiseDefinition made(in, out, text, name, {});
    for (const Parameter& each : made.out) made.keeps_old_value(each);
    solve(made.in, made.out);
  });
  is_refused([&] {
    const ReductionDefinition made(in, out, text, reduce, post_map, std::string(identity), name,
                                   {});
    solve(made.in, made.out);
  });
}

}  // namespace kernelbatch::fuzz
