// Kernels that check and change a variant's memory between its calls: digests, poison, exchanges.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/kernel/raw/kernel.hpp"

namespace kernelbatch {

/// 128 bits that depend on every byte of some memory and on its position.
struct Digest {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
};
/// 32 hexadecimal digits.
std::string to_text(const Digest& digest);

class CheckKernels;

/// A digest that was queued.
class PendingDigest {
 public:
  /// Valid after the stream has passed it.
  Digest value(Stream& stream) const;

 private:
  friend class CheckKernels;
  void copy_sums(Stream& stream) const;

  Array partial_, sums_;  ///< a pair of sums for each block: on the device, on the host
  std::shared_ptr<void> pinned_;
  std::uint32_t blocks_ = 0;
};

/// Elements at random places of an array, the same ones for the same seed; all elements of a small
/// array. One place in each of kPlaces equal parts.
struct RandomPlaces {
  std::byte* elements = nullptr;
  std::uint64_t count = 0;  ///< elements of the array
  std::uint32_t item = 1;   ///< bytes of an element, at most 16
  std::uint64_t seed = 0;
  /// perturb() skips most of the places in most calls, but never all: a kernel that recomputes a
  /// few elements cannot infer from them whether others have changed.
  bool is_thinned = false;
  static constexpr std::uint32_t kPlaces = 8192;  ///< of larger arrays, all different
};

/// Compiled when first used; must not outlive its device.
class CheckKernels {
 public:
  explicit CheckKernels(Device& device);

  Device& device() const noexcept { return device_; }
  /// Queues each kernel once, so that all are compiled and loaded.
  void launch_all(Stream& stream);
  /// kOwn: drawn by this object, so that no kernel knows it. kFixed: the same in every process.
  enum class Seed : std::uint8_t { kOwn, kFixed };
  /// Queues reading `bytes` of device memory that begins at a multiple of 16.
  void digest(const std::byte* memory, std::size_t bytes, PendingDigest& into, Stream& stream,
              Seed seed = Seed::kOwn);
  /// The same for elements at random places.
  void digest(const RandomPlaces& places, PendingDigest& into, Stream& stream);
  /// Queues a change of one byte of each of these elements: the result is wrong, but looks like any
  /// other number.
  void perturb(const RandomPlaces& places, Stream& stream);
  /// Queues exchanging the contents of two arrays on the device, contiguous and of equal size.
  void exchange(const Array& a, const Array& b, Stream& stream);

 private:
  void prepare(PendingDigest& into, std::uint32_t blocks);
  void fetch(PendingDigest& into, Stream& stream);
  std::uint32_t blocks_for(std::uint64_t bytes) const;

  Device& device_;
  RawModule module_;
  RawKernel digest_, digest_places_, perturb_, exchange_;
  std::uint32_t threads_, most_blocks_;
  std::uint64_t seed_;
};

/// The digest of an array on the device; {} if it is empty. Waits for the stream. `pending` is
/// reused.
Digest digest_of(const Array& array, CheckKernels& kernels, PendingDigest& pending, Stream& stream,
                 CheckKernels::Seed seed = CheckKernels::Seed::kOwn);

}  // namespace kernelbatch
