// What memory is left, and large blocks of it.
#include "core/base/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <vector>

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

TEST_CASE("Blocks of any size are copied, filled and compared whole") {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, 4 * kMiB - 1, 4 * kMiB, 8 * kMiB,
                                  8 * kMiB + 1, 33 * kMiB + 7}) {
    CAPTURE(bytes);
    std::vector<std::byte> from(bytes + 1), to(bytes + 1, std::byte{0xEE});
    for (std::size_t k = 0; k < bytes; ++k) from[k] = static_cast<std::byte>(k * 31 % 251);
    copy_bytes(to.data(), from.data(), bytes);
    CHECK(std::equal(from.begin(), from.end() - 1, to.begin()));
    CHECK(to[bytes] == std::byte{0xEE});
    CHECK(equal_bytes(from.data(), to.data(), bytes));
    for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) {
      if (bytes == 0) break;
      to[at] ^= std::byte{1};
      CHECK_FALSE(equal_bytes(from.data(), to.data(), bytes));
      to[at] ^= std::byte{1};
    }
    fill_bytes(to.data(), std::byte{7}, bytes);
    CHECK(std::all_of(to.begin(), to.end() - 1, [](std::byte b) { return b == std::byte{7}; }));
    CHECK(to[bytes] == std::byte{0xEE});
  }
}

}  // namespace
}  // namespace kernelbatch
