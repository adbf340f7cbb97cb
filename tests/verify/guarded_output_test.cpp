#include "core/verify/guarded_output.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// On the host device, where memory can be written to directly.
struct Guarded {
  std::unique_ptr<Device> device = open_device(choose_device("host"));
  std::unique_ptr<Stream> stream = device->make_stream();
  GuardedOutput output;

  Guarded(DType dtype, std::int64_t n)
      : output(*device, {.name = "z", .dtype = dtype, .shape = {n}}) {
    output.refill(*stream);
  }
  std::byte* begin() const { return output.array().data(); }
  std::byte* end() const { return begin() + output.array().bytes(); }
  std::string complaint() const { return output.check_guards(*stream); }
};

TEST_CASE("Guards are whole after a refill and after all elements are written") {
  for (const std::int64_t n : {0, 1, 2, 3, 5, 31, 32, 33, 1000}) {
    const Guarded bytes(DType::kInt8, n);
    const Guarded halves(DType::kFloat16, n);
    const Guarded doubles(DType::kFloat64, n);
    CAPTURE(n);
    CHECK(bytes.complaint().empty());
    CHECK(halves.complaint().empty());
    CHECK(doubles.complaint().empty());

    std::memset(bytes.begin(), 0, static_cast<std::size_t>(bytes.end() - bytes.begin()));
    std::memset(halves.begin(), 0, static_cast<std::size_t>(halves.end() - halves.begin()));
    CHECK(bytes.complaint().empty());
    CHECK(halves.complaint().empty());
  }
}

TEST_CASE("One byte past the end is noticed, whatever the size") {
  for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 1001}) {
    const Guarded guarded(DType::kUInt8, n);
    *guarded.end() = std::byte{0};
    CAPTURE(n);
    CHECK(guarded.complaint() ==
          fmt::format("wrote 1 element (1 bytes) past the end of 'z' ({} elements)", n));
  }
}

TEST_CASE("One byte before the beginning is noticed") {
  const Guarded guarded(DType::kFloat64, 10);
  *(guarded.begin() - 1) = std::byte{0};
  CHECK_THAT(guarded.complaint(),
             Contains("wrote 1 element (8 bytes) before the beginning of 'z' (10 elements)"));
}

TEST_CASE("Guards reach 4096 bytes to both sides") {
  const Guarded guarded(DType::kFloat32, 3);
  *(guarded.begin() - 4096) = std::byte{0};
  *(guarded.end() + 4095) = std::byte{0};
  CHECK_THAT(guarded.complaint(), Contains("wrote 1 element (4 bytes) before the beginning and 1 "
                                           "element (4 bytes) past the end of 'z'"));
}

TEST_CASE("A refill mends guards and elements") {
  Guarded guarded(DType::kFloat32, 3);
  *guarded.end() = std::byte{0};
  std::memset(guarded.begin(), 0, 12);

  guarded.output.refill(*guarded.stream);

  CHECK(guarded.complaint().empty());
  std::uint32_t last = 0;
  std::memcpy(&last, guarded.end() - 4, 4);
  CHECK(last == sentinel_pattern(DType::kFloat32));
}

TEST_CASE("Elements that do not fill a word hold the sentinel to the last byte") {
  const Guarded guarded(DType::kFloat16, 3);
  const std::uint32_t pattern = sentinel_pattern(DType::kFloat16);
  CHECK(std::memcmp(guarded.begin(), &pattern, 4) == 0);
  CHECK(std::memcmp(guarded.begin() + 4, &pattern, 2) == 0);
}

TEST_CASE("Elements are aligned for the widest loads") {
  const Guarded guarded(DType::kUInt8, 5);
  CHECK(reinterpret_cast<std::uintptr_t>(guarded.begin()) % 256 == 0);
}

}  // namespace
}  // namespace kernelbatch
