// Work in a child process: its result, exceptions and crashes are returned as a result or an error.
#include "core/base/confined.hpp"

#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/segfault.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("a result of any length is returned") {
  CHECK(run_confined([] { return std::string(); }).empty());
  const std::string large(20'000'000, 'x');
  CHECK(run_confined([&] { return large; }) == large);
}

TEST_CASE("errors of the work keep their text and what they mean") {
  CHECK_THROWS_AS(run_confined([]() -> std::string { throw SpecError("not a file"); }), SpecError);
  CHECK_THROWS_WITH(run_confined([]() -> std::string { throw SpecError("not a file"); }),
                    "not a file");
  CHECK_THROWS_AS(run_confined([]() -> std::string { throw std::logic_error("bad"); }), StoreError);
}

TEST_CASE("a crash of the work is an error here") {
  CHECK_THROWS_WITH(run_confined([] {
                      test::follow_null_pointer();
                      return std::string();
                    }),
                    Contains("signal 11"));
  CHECK_THROWS_WITH(run_confined([]() -> std::string { ::_exit(7); }), Contains("exit code 7"));
}

TEST_CASE("endless work is ended") {
  CHECK_THROWS_WITH(run_confined(
                        [] {
                          for (volatile int k = 0;;) k = k + 1;
                          return std::string();
                        },
                        {.seconds = 1}),
                    Contains("does not end within 1 s of processor time"));
  CHECK_THROWS_WITH(run_confined(
                        [] {
                          ::pause();
                          return std::string();
                        },
                        {.seconds = 0.25}),
                    Contains("does not end within 1 s"));
}

#if !defined(KERNELBATCH_ASAN) && !defined(KERNELBATCH_TSAN)
TEST_CASE("work that needs too much memory fails") {
  CHECK_THROWS_WITH(run_confined(
                        [] {
                          std::vector<char> much(std::size_t{1} << 32, 'x');
                          return std::string(1, much[much.size() / 2]);
                        },
                        {.memory_bytes = std::size_t{1} << 28}),
                    Contains("more memory than it may have"));
}
#endif

}  // namespace
}  // namespace kernelbatch
