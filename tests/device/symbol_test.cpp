#include "core/device/symbol.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("A global variable's symbol is its name, or mangled in a namespace") {
  CHECK(variable_symbol("counter") == "counter");
  CHECK(variable_symbol("ns::v") == "_ZN2ns1vE");
  CHECK(variable_symbol("outer::inner::value12") == "_ZN5outer5inner7value12E");
  CHECK(variable_symbol("::ns::v") == "_ZN2ns1vE");
}

}  // namespace
}  // namespace kernelbatch
