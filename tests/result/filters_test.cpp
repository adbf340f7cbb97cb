#include "core/result/h5/filters.hpp"

#include <numeric>
#include <random>

#include "core/base/error.hpp"
#include "core/result/h5/h5.hpp"
#include "tests/support/catch.hpp"

using namespace kernelbatch;

namespace {

/// Smooth values, which compress, or random ones, which do not.
std::vector<std::byte> values_of(std::size_t count, bool are_random) {
  std::vector<std::uint64_t> values(count);
  std::mt19937_64 random(7);
  for (std::size_t k = 0; k < count; ++k) values[k] = are_random ? random() : k / 100;
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

std::size_t count_of(const h5::Shape& shape) {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

}  // namespace

TEST_CASE("HDF5 reads back data packed by threads, for any shape of chunks") {
  struct Form {
    h5::Shape shape, chunk;
  };
  // Chunks at the edge, single rows, whole trailing axes; the last one is not contiguous: HDF5
  // writes it.
  const Form forms[] = {{{100'000}, {16'384}},          {{16'384}, {16'384}},
                        {{300, 700}, {30, 700}},        {{7, 3, 20'000}, {1, 1, 9'000}},
                        {{5, 2, 9'000}, {1, 2, 9'000}}, {{300, 300}, {100, 100}}};
  for (const Form& form : forms) {
    CAPTURE(&form - forms);
    h5::File file = h5::File::create_in_memory();
    h5::Group root = file.root();
    std::vector<std::vector<std::byte>> expected;
    for (const int deflate : {0, 1, 4, 9})
      for (const bool has_checksum : {false, true})
        for (const bool are_random : {false, true}) {
          expected.push_back(values_of(count_of(form.shape), are_random));
          h5::Dataset dataset =
              root.create_dataset(std::to_string(expected.size() - 1), {.type = h5::Type::kFloat64,
                                                                        .shape = form.shape,
                                                                        .chunk = form.chunk,
                                                                        .deflate = deflate,
                                                                        .checksum = has_checksum});
          dataset.write(expected.back());
        }
    // From the file's bytes, like another program.
    const std::vector<std::byte> image = file.image();
    const h5::File read = h5::File::open_image(image);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      CAPTURE(k);
      CHECK((read.root().dataset(std::to_string(k)).read() == expected[k]));
    }
  }
}

TEST_CASE("a chunk that does not shrink is stored as it is") {
  const auto random = values_of(10'000, true);
  const PackedChunk packed = pack_chunk(random, random.size(), {8, 4, false});
  CHECK(packed.skipped == 2);
  CHECK((packed.bytes == shuffle(random, 8)));
  CHECK(pack_chunk(values_of(10'000, false), random.size(), {8, 4, false}).bytes.size() <
        random.size() / 20);
}

TEST_CASE("shuffle groups bytes by position and keeps the remainder") {
  const std::vector<std::byte> bytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                                     std::byte{5}, std::byte{6}, std::byte{7}};
  const std::vector<std::byte> expected{std::byte{1}, std::byte{4}, std::byte{2}, std::byte{5},
                                        std::byte{3}, std::byte{6}, std::byte{7}};
  CHECK(shuffle(bytes, 3) == expected);
}

TEST_CASE("a chunk at the edge is padded with zeros") {
  const std::vector<std::byte> two{std::byte{1}, std::byte{2}};
  const PackedChunk packed = pack_chunk(two, 4, {1, 0, true});
  REQUIRE(packed.bytes.size() == 8);
  CHECK(packed.bytes[2] == std::byte{0});
  // Words 0x0102 and 0: sums 0x0102 and 0x0204.
  CHECK(fletcher32(std::span(packed.bytes).first(4)) == 0x02040102);
}

TEST_CASE("a flipped bit is found by HDF5") {
  h5::File file = h5::File::create_in_memory();
  h5::Group root = file.root();
  const auto bytes = values_of(20'000, true);
  root.create_dataset(
          "x", {.type = h5::Type::kFloat64, .shape = {20'000}, .chunk = {20'000}, .checksum = true})
      .write(bytes);
  std::vector<std::byte> image = file.image();
  const auto at = std::search(image.begin(), image.end(), bytes.begin(), bytes.begin() + 64);
  REQUIRE(at != image.end());
  *(at + 1000) ^= std::byte{1};
  const h5::File damaged = h5::File::open_image(image);
  CHECK_THROWS_AS(damaged.root().dataset("x").read(), StoreError);
}
