// Digests, changes at random places and exchanges, on the host, whose memory can be read directly.
#include "core/verify/check_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>
#include <set>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::device;
using test::stream;

using Bytes = std::vector<std::byte>;

CheckKernels& kernels() {
  static CheckKernels shared(device());
  return shared;
}

Bytes some_bytes(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::byte& each : bytes) each = static_cast<std::byte>(random());
  return bytes;
}

/// Copies bytes to the device, with room on both sides.
Array put(const Bytes& bytes) {
  return to_device(Array::from(std::vector<std::uint8_t>(
                       reinterpret_cast<const std::uint8_t*>(bytes.data()),
                       reinterpret_cast<const std::uint8_t*>(bytes.data()) + bytes.size())),
                   stream());
}

Bytes get(const Array& array) {
  const Array host = to_host(array, stream());
  return {host.data(), host.data() + host.bytes()};
}

Digest digest_of(const Array& array, std::size_t bytes,
                 CheckKernels::Seed seed = CheckKernels::Seed::kOwn) {
  PendingDigest pending;
  kernels().digest(array.data(), bytes, pending, stream(), seed);
  stream().synchronize();
  return pending.value(stream());
}
Digest digest_of(const Bytes& bytes, CheckKernels::Seed seed = CheckKernels::Seed::kOwn) {
  return digest_of(put(bytes), bytes.size(), seed);
}

Digest digest_of(const RandomPlaces& places) {
  PendingDigest pending;
  kernels().digest(places, pending, stream());
  stream().synchronize();
  return pending.value(stream());
}

RandomPlaces places_of(const Array& array, std::uint32_t item, std::uint64_t seed) {
  return {array.data(), array.bytes() / item, item, seed};
}

TEST_CASE("Equal bytes have equal digests") {
  for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 4095u, 4096u, 100000u})
    CHECK(digest_of(some_bytes(size)) == digest_of(some_bytes(size)));
}

TEST_CASE("Every byte counts, to the last one of the tail") {
  for (const std::size_t size : {1u, 15u, 16u, 17u, 31u, 33u, 257u}) {
    const Bytes bytes = some_bytes(size);
    const Digest before = digest_of(bytes);
    for (std::size_t k = 0; k < size; ++k)
      for (const unsigned bit : {0u, 7u}) {
        Bytes changed = bytes;
        changed[k] ^= std::byte{1} << bit;
        CAPTURE(size, k, bit);
        CHECK_FALSE(digest_of(changed) == before);
      }
  }
}

TEST_CASE("Every byte counts in every block of a large array") {
  // More than one block's share, and a tail.
  Bytes bytes = some_bytes(1'000'003);
  const Digest before = digest_of(bytes);
  for (const std::size_t k : {0u, 16384u, 500'000u, 999'990u, 1'000'002u}) {
    Bytes changed = bytes;
    changed[k] ^= std::byte{4};
    CAPTURE(k);
    CHECK_FALSE(digest_of(changed) == before);
  }
}

TEST_CASE("Swapping two elements changes the digest") {
  for (const std::size_t item : {1u, 4u, 8u, 16u, 32u}) {
    Bytes bytes = some_bytes(512);
    const Digest before = digest_of(bytes);
    for (const std::size_t other : {std::size_t{1}, std::size_t{2}, 512 / item - 1}) {
      Bytes changed = bytes;
      std::swap_ranges(changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(item),
                       changed.begin() + static_cast<std::ptrdiff_t>(other * item));
      CAPTURE(item, other);
      REQUIRE(changed != bytes);
      CHECK_FALSE(digest_of(changed) == before);
    }
  }
}

TEST_CASE("A different number of zeros has another digest") {
  std::set<std::string> digests;
  for (std::size_t size = 0; size < 50; ++size) digests.insert(to_text(digest_of(Bytes(size))));
  CHECK(digests.size() == 50);
}

TEST_CASE("Memory after the bytes does not count") {
  const Bytes bytes = some_bytes(64);
  Bytes longer = bytes;
  longer.resize(80);
  for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 63u})
    CHECK(digest_of(put(bytes), size) == digest_of(put(longer), size));
  CHECK(digest_of(put(bytes), 64) == digest_of(put(longer), 64));
}

TEST_CASE("An object's own seed differs from the fixed seed, which all objects share") {
  const Bytes bytes = some_bytes(1000);
  CheckKernels others(device());
  PendingDigest fixed, own;
  const Array array = put(bytes);
  others.digest(array.data(), array.bytes(), fixed, stream(), CheckKernels::Seed::kFixed);
  others.digest(array.data(), array.bytes(), own, stream());
  stream().synchronize();
  CHECK(fixed.value(stream()) == digest_of(bytes, CheckKernels::Seed::kFixed));
  CHECK_FALSE(own.value(stream()) == digest_of(bytes));
  CHECK_FALSE(own.value(stream()) == fixed.value(stream()));
}

TEST_CASE("A pending digest can be used again for more and for fewer bytes") {
  PendingDigest pending;
  for (const std::size_t size : {10u, 1'000'000u, 100u}) {
    const Array array = put(some_bytes(size));
    kernels().digest(array.data(), size, pending, stream());
    stream().synchronize();
    CHECK(pending.value(stream()) == digest_of(some_bytes(size)));
  }
}

TEST_CASE("A digest is written with 32 digits") {
  CHECK(to_text(Digest{.low = 0xab, .high = 1}) == "000000000000000100000000000000ab");
}

TEST_CASE("Each element of a small array is changed") {
  for (const std::uint32_t item : {1u, 2u, 4u, 8u, 16u})
    for (const std::size_t count : {1u, 2u, 3u, 100u, 8191u, 8192u}) {
      const Bytes before = some_bytes(count * item);
      const Array array = put(before);
      kernels().perturb(places_of(array, item, 5), stream());
      const Bytes after = get(array);
      std::size_t changed = 0;
      for (std::size_t k = 0; k < count; ++k)
        changed += std::memcmp(&before[k * item], &after[k * item], item) != 0 ? 1u : 0u;
      CAPTURE(item, count);
      CHECK(changed == count);
    }
}

TEST_CASE("Thousands of elements of a large array are changed, others with another seed") {
  constexpr std::size_t kCount = 1'000'000;
  const Bytes before = some_bytes(4 * kCount);
  const auto changed_by = [&](std::uint64_t seed) {
    const Array array = put(before);
    kernels().perturb(places_of(array, 4, seed), stream());
    const Bytes after = get(array);
    std::vector<std::size_t> changed;
    for (std::size_t k = 0; k < kCount; ++k)
      if (std::memcmp(&before[4 * k], &after[4 * k], 4) != 0) changed.push_back(k);
    return changed;
  };
  const auto first = changed_by(1);
  CHECK(first.size() == RandomPlaces::kPlaces);
  // In all parts of it.
  for (std::size_t part = 0; part < 10; ++part) {
    const auto in_part =
        std::ranges::count_if(first, [&](std::size_t k) { return k / (kCount / 10) == part; });
    CHECK(in_part > 600);
  }
  CHECK(changed_by(1) == first);
  const auto second = changed_by(2);
  std::vector<std::size_t> both;
  std::ranges::set_intersection(first, second, std::back_inserter(both));
  CHECK(both.size() < 300);
}

TEST_CASE("A thinned change skips most places in most calls, but never all") {
  for (const std::size_t count : {1u, 2u, 8u, 1000u, 100'000u}) {
    const Bytes before = some_bytes(4 * count);
    const std::size_t places = std::min<std::size_t>(count, RandomPlaces::kPlaces);
    std::size_t fewest = places, most = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Array array = put(before);
      RandomPlaces thinned = places_of(array, 4, seed);
      thinned.is_thinned = true;
      kernels().perturb(thinned, stream());
      const Bytes after = get(array);
      std::size_t changed = 0;
      for (std::size_t k = 0; k < count; ++k)
        changed += std::memcmp(&before[4 * k], &after[4 * k], 4) != 0 ? 1u : 0u;
      CAPTURE(count, seed);
      CHECK(changed >= 1);
      fewest = std::min(fewest, changed);
      most = std::max(most, changed);
    }
    CAPTURE(count);
    CHECK(most == places);
    CHECK(fewest <= 1 + places / 50);
  }
}

TEST_CASE("Nothing outside an array is changed") {
  const Bytes before = some_bytes(3 * 96);
  const Array all = put(before);
  const Array middle = Array::of_memory(all.data() + 96, DType::kFloat64, {12}, &device());
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    kernels().perturb(places_of(middle, 8, seed), stream());
  const Bytes after = get(all);
  CHECK(std::equal(before.begin(), before.begin() + 96, after.begin()));
  CHECK(std::equal(before.begin() + 192, before.end(), after.begin() + 192));
}

TEST_CASE("A digest of random places depends only on these places") {
  for (const std::size_t count : {1u, 5u, 8192u, 100'000u}) {
    const Array array = put(some_bytes(8 * count));
    const RandomPlaces places = places_of(array, 8, 3);
    const Digest before = digest_of(places);
    CAPTURE(count);
    CHECK(digest_of(places) == before);
    kernels().perturb(places, stream());
    CHECK_FALSE(digest_of(places) == before);
    copy(to_host(put(some_bytes(8 * count)), stream()), array, stream());
    CHECK(digest_of(places) == before);
  }
}

TEST_CASE("A digest of random places of an empty array exists") {
  const Array array = put(some_bytes(16));
  CHECK(digest_of({array.data(), 0, 4, 1}) == Digest{});
  kernels().perturb({array.data(), 0, 4, 1}, stream());
  CHECK(get(array) == some_bytes(16));
}

TEST_CASE("Arrays of every size exchange their contents and nothing else") {
  for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 4095u, 4097u, 1'000'001u}) {
    const Array a = put(some_bytes(size + 32, 1)), b = put(some_bytes(size + 32, 2));
    const auto part = [&](const Array& array) {
      return Array::of_memory(array.data(), DType::kUInt8, {static_cast<std::int64_t>(size)},
                              &device());
    };
    kernels().exchange(part(a), part(b), stream());
    const auto at = static_cast<std::ptrdiff_t>(size);
    Bytes first = some_bytes(size + 32, 1), second = some_bytes(size + 32, 2);
    std::swap_ranges(first.begin(), first.begin() + at, second.begin());
    CAPTURE(size);
    CHECK(get(a) == first);
    CHECK(get(b) == second);
  }
}

}  // namespace
}  // namespace kernelbatch
