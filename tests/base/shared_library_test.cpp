#include "core/base/shared_library.hpp"

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using Lifetime = SharedLibrary::Lifetime;

TEST_CASE("A library is opened through the system's search and gives its symbols") {
  const SharedLibrary library("libm.so.6", Lifetime::kWhileOwned);
  auto* const cosine = reinterpret_cast<double (*)(double)>(library.find("cos"));
  REQUIRE(cosine != nullptr);
  CHECK(cosine(0.0) == 1.0);
  CHECK(library.find("no_such_symbol_here") == nullptr);
  CHECK(library.path().filename() == "libm.so.6");
}

TEST_CASE("A missing library is an error with the loader's reason, or nothing") {
  CHECK_THROWS_WITH(
      SharedLibrary("libnot-here.so", Lifetime::kProcess),
      Contains("cannot load 'libnot-here.so'") && Contains("cannot open shared object file"));
  std::string reason;
  CHECK_FALSE(SharedLibrary::try_open("libnot-here.so", Lifetime::kProcess, &reason));
  CHECK_THAT(reason, Contains("libnot-here.so"));
}

TEST_CASE("A library moves to its new owner") {
  auto opened = SharedLibrary::try_open("libm.so.6", Lifetime::kWhileOwned);
  REQUIRE(opened);
  const SharedLibrary moved(std::move(*opened));
  CHECK(moved.find("sin") != nullptr);
  CHECK(opened->find("sin") == nullptr);
}

}  // namespace
}  // namespace kernelbatch
