// What memory is left.
#include "core/base/memory.hpp"

#include <unistd.h>

#include "core/array/array.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("Available memory is some, and no more than there is") {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  CHECK(available_memory() > 0);
  CHECK(available_memory() <= pages * page);
}

TEST_CASE("An array that the host cannot hold is refused instead of killing the process") {
  CHECK_THROWS_WITH(Array::on_host(DType::kFloat64, {std::int64_t{1} << 45}),
                    Contains("cannot give 256 TiB for an array of float64 (35184372088832,): "));
}

}  // namespace
}  // namespace kernelbatch
