// Contract of Device: memory, copies, fills.
#include <cstdint>
#include <numeric>

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::device;
using test::stream;

TEST_CASE("Allocations are aligned to 256 bytes and do not overlap") {
  std::vector<std::byte*> blocks;
  const std::vector<std::size_t> sizes{1, 3, 255, 256, 257, 4096, 1000003};
  for (const std::size_t bytes : sizes)
    blocks.push_back(static_cast<std::byte*>(device().allocate(bytes)));

  for (std::size_t k = 0; k < blocks.size(); ++k) {
    CHECK(reinterpret_cast<std::uintptr_t>(blocks[k]) % 256 == 0);
    for (std::size_t other = 0; other < k; ++other)
      CHECK((blocks[k] + sizes[k] <= blocks[other] || blocks[other] + sizes[other] <= blocks[k]));
  }
  for (std::byte* block : blocks) device().deallocate(block);
}

TEST_CASE("Too large an allocation is an OutOfMemoryError with requested and free bytes") {
  const std::string text =
      test::error_text<OutOfMemoryError>([] { device().allocate(std::size_t{1} << 50); });

  CHECK_THAT(text, Contains("1.00 PiB"));
  CHECK_THAT(text, Contains("free"));
  CHECK_THAT(text, Contains("GiB"));
}

TEST_CASE("An allocation after a refused one works") {
  CHECK_THROWS_AS(device().allocate(std::size_t{1} << 50), OutOfMemoryError);
  void* memory = device().allocate(64);
  CHECK(memory != nullptr);
  device().deallocate(memory);
}

TEST_CASE("A size near the largest number is refused and does not wrap around") {
  CHECK_THROWS_AS(device().allocate(SIZE_MAX - 10), OutOfMemoryError);
}

TEST_CASE("Free memory is positive and at most the total") {
  CHECK(device().free_memory() > 0);
  CHECK(device().free_memory() <= device().properties().memory);
}

TEST_CASE("Copies in every direction preserve all bytes") {
  std::vector<std::uint8_t> sent(10007);
  for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = static_cast<std::uint8_t>(k * 7 + 3);
  std::vector<std::uint8_t> received(sent.size(), 0);
  void* first = device().allocate(sent.size());
  void* second = device().allocate(sent.size());

  device().copy(first, sent.data(), sent.size(), Copy::kToDevice, stream());
  device().copy(second, first, sent.size(), Copy::kOnDevice, stream());
  device().copy(received.data(), second, sent.size(), Copy::kToHost, stream());
  stream().synchronize();

  CHECK(received == sent);
  device().deallocate(first);
  device().deallocate(second);
}

TEST_CASE("An empty copy is no error") {
  device().copy(nullptr, nullptr, 0, Copy::kToDevice, stream());
  device().copy(nullptr, nullptr, 0, Copy::kToHost, stream());
  CHECK_NOTHROW(stream().synchronize());
}

TEST_CASE("A fill writes the pattern only to the requested bytes") {
  const Array words = test::device_array(std::vector<std::uint32_t>(10, 7));

  device().fill(words.data() + 4, 0xdeadbeefu, 8 * 4, stream());

  std::vector<std::uint32_t> expected(10, 0xdeadbeefu);
  expected.front() = expected.back() = 7;
  CHECK(test::values_of<std::uint32_t>(words) == expected);
}

TEST_CASE("A fill ends with the first bytes of the pattern if no whole word is left") {
  for (std::size_t count = 0; count <= 9; ++count) {
    const Array bytes = test::device_array(std::vector<std::uint8_t>(12, 7));

    device().fill(bytes.data(), 0x44332211u, count, stream());

    std::vector<std::uint8_t> expected(12, 7);
    for (std::size_t k = 0; k < count; ++k)
      expected[k] = static_cast<std::uint8_t>(0x11 * (1 + k % 4));
    CHECK(test::values_of<std::uint8_t>(bytes) == expected);
  }
}

TEST_CASE("Resetting persisting cache lines changes no memory, also twice") {
  const Array words = test::device_array(std::vector<std::uint32_t>(1000, 7));
  device().reset_persisting_cache();
  device().reset_persisting_cache();
  CHECK(test::values_of<std::uint32_t>(words) == std::vector<std::uint32_t>(1000, 7));
}

TEST_CASE("Properties name a device that can run blocks of 1024 threads") {
  const DeviceProperties& p = device().properties();
  CHECK_FALSE(p.name.empty());
  CHECK_FALSE(p.target.empty());
  CHECK(p.compute_units >= 1);
  CHECK(p.warp_size == 32);
  CHECK(p.max_threads_per_block >= 1024);
  CHECK(p.shared_per_block >= 48 * 1024);
  CHECK(p.shared_per_block_optin >= p.shared_per_block);
  CHECK(p.loop_blocks >= 1);
  CHECK(p.target == device().compiler().target());
}

}  // namespace
}  // namespace kernelbatch
