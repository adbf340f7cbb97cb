#include "core/verify/check_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace kernelbatch {
namespace {

/// Sums of products of halves of each word, mixed with a key of its position, like XXH3's
/// accumulators. Both sums use both words of a pair. The threads of a block add their sums on
/// devices with warps; on the host a block is one thread.
constexpr std::string_view kText = R"(
typedef unsigned long long u64;
struct alignas(16) kb_pair { u64 low, high; };

__device__ inline u64 kb_mix(u64 x) {
  x ^= x >> 31; x *= 0x7fb5d329728ea185ull;
  x ^= x >> 27; x *= 0x81dadef4bc2dd44dull;
  return x ^ (x >> 33);
}
__device__ inline u64 kb_product(u64 x) { return (x & 0xffffffffull) * (x >> 32); }
__device__ inline u64 kb_swapped(u64 x) { return (x << 32) | (x >> 32); }
__device__ inline void kb_add(u64 place, u64 first, u64 second, u64 seed, u64& low, u64& high) {
  const u64 a = first ^ (seed + place * 0x9e3779b97f4a7c15ull);
  const u64 b = second ^ (~seed + place * 0xc2b2ae3d27d4eb4full);
  low += kb_product(a) + kb_swapped(b);
  high += kb_product(b) + kb_swapped(a);
}

__device__ inline void kb_store(u64 low, u64 high, kb_pair* partial) {
#if KB_THREADS > 1
  __shared__ u64 lows[KB_THREADS / 32], highs[KB_THREADS / 32];
  for (int offset = 16; offset > 0; offset /= 2) {
    low += __shfl_down_sync(0xffffffffu, low, offset);
    high += __shfl_down_sync(0xffffffffu, high, offset);
  }
  if (threadIdx.x % 32 == 0) {
    lows[threadIdx.x / 32] = low;
    highs[threadIdx.x / 32] = high;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < KB_THREADS / 32; ++warp) {
    low += lows[warp];
    high += highs[warp];
  }
#endif
  partial[blockIdx.x].low = low;
  partial[blockIdx.x].high = high;
}

extern "C" __global__ void kernelbatch_digest(const unsigned char* memory, u64 bytes, u64 seed,
                                              kb_pair* partial) {
  const kb_pair* const pairs = (const kb_pair*)memory;
  const u64 count = bytes / 16;
  const u64 begin = count / gridDim.x * blockIdx.x;
  const u64 end = blockIdx.x + 1 == gridDim.x ? count : count / gridDim.x * (blockIdx.x + 1);
  u64 low = 0, high = 0;
#if KB_THREADS > 1
  for (u64 k = begin + threadIdx.x; k < end; k += KB_THREADS) {
    const kb_pair pair = pairs[k];
    kb_add(k, pair.low, pair.high, seed, low, high);
  }
#else
  for (u64 k = begin; k < end; ++k) kb_add(k, pairs[k].low, pairs[k].high, seed, low, high);
#endif
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    u64 first = 0, second = 0;
    for (u64 k = 16 * count; k < bytes; ++k) {
      const u64 at = k - 16 * count;
      (at < 8 ? first : second) |= (u64)memory[k] << (at % 8 * 8);
    }
    kb_add(count, first, second, seed ^ bytes, low, high);
  }
  kb_store(low, high, partial);
}

// Each in a part of its own: what is changed twice, perhaps by two threads at once, may be as it
// was. places <= count < 2^50.
__device__ inline u64 kb_place(u64 seed, unsigned k, u64 places, u64 count) {
  const u64 begin = k * count / places, end = (k + 1ull) * count / places;
  return begin + kb_mix(seed + k * 0x9e3779b97f4a7c15ull) % (end - begin);
}

extern "C" __global__ void kernelbatch_digest_places(const unsigned char* elements, u64 count,
                                                     unsigned item, u64 places, u64 seed,
                                                     kb_pair* partial) {
  u64 low = 0, high = 0;
  for (unsigned k = blockIdx.x * KB_THREADS + threadIdx.x; k < places;
       k += gridDim.x * KB_THREADS) {
    const unsigned char* const element = elements + kb_place(seed, k, places, count) * item;
    u64 first = 0, second = 0;
    for (unsigned at = 0; at < item; ++at)
      (at < 8 ? first : second) |= (u64)element[at] << (at % 8 * 8);
    kb_add(k, first, second, seed, low, high);
  }
  kb_store(low, high, partial);
}

extern "C" __global__ void kernelbatch_perturb(unsigned char* elements, u64 count, unsigned item,
                                               u64 places, u64 seed, unsigned is_thinned) {
  // One in 1, 2, 4, ... or 512 places changes.
  const u64 left_out = is_thinned ? (1ull << kb_mix(seed ^ 0x5bd1e995ull) % 10) - 1 : 0;
  const u64 always = places > 0 ? kb_mix(seed + 1) % places : 0;
  for (unsigned k = blockIdx.x * KB_THREADS + threadIdx.x; k < places;
       k += gridDim.x * KB_THREADS) {
    if (k != always && (kb_mix(seed ^ (k + 1ull) << 20) & left_out) != 0) continue;
    const u64 place = kb_place(seed, k, places, count);
    const u64 bits = kb_mix(place ^ ~seed);
    elements[place * item + (unsigned)(bits >> 32) % item] = (unsigned char)
        (elements[place * item + (unsigned)(bits >> 32) % item] ^ (1 + bits % 255));
  }
}

extern "C" __global__ void kernelbatch_exchange(unsigned char* a, unsigned char* b, u64 bytes) {
  kb_pair* const as = (kb_pair*)a;
  kb_pair* const bs = (kb_pair*)b;
  const u64 count = bytes / 16;
  const u64 begin = count / gridDim.x * blockIdx.x;
  const u64 end = blockIdx.x + 1 == gridDim.x ? count : count / gridDim.x * (blockIdx.x + 1);
  for (u64 k = begin + threadIdx.x; k < end; k += KB_THREADS) {
    const kb_pair kept = as[k];
    as[k] = bs[k];
    bs[k] = kept;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (u64 k = 16 * count; k < bytes; ++k) {
      const unsigned char kept = a[k];
      a[k] = b[k];
      b[k] = kept;
    }
}
)";

constexpr std::uint32_t kGpuThreads = 256;
/// Minimum work of a block.
constexpr std::uint64_t kBytesOfBlock = 16384;
constexpr std::int64_t kPairBytes = 16;

std::uint64_t random_word() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) ^ source();
}

std::uint64_t number_of(const RandomPlaces& places) {
  return std::min<std::uint64_t>(RandomPlaces::kPlaces, places.count);
}

RawModule module_of(std::uint32_t threads) {
  return RawModule(fmt::format("#define KB_THREADS {}\n{}", threads, kText),
                   {"kernelbatch_digest", "kernelbatch_digest_places", "kernelbatch_perturb",
                    "kernelbatch_exchange"},
                   {.name = "kernelbatch_checks"});
}

}  // namespace

std::string to_text(const Digest& digest) {
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

Digest PendingDigest::value(Stream& stream) const {
  // Memory that is not pinned cannot be a copy's target while a stream is held back.
  if (pinned_ == nullptr) copy_sums(stream);
  Digest digest;
  const auto sums = sums_.as<std::uint64_t>();
  for (std::size_t block = 0; block < blocks_; ++block) {
    digest.low += sums[2 * block];
    digest.high += sums[2 * block + 1];
  }
  return digest;
}

void PendingDigest::copy_sums(Stream& stream) const {
  stream.device().copy(sums_.data(), partial_.data(), blocks_ * std::size_t{kPairBytes},
                       Copy::kToHost, stream);
  if (pinned_ == nullptr) stream.synchronize();
}

CheckKernels::CheckKernels(Device& device)
    : device_(device),
      module_(module_of(device.properties().is_simt() ? kGpuThreads : 1)),
      digest_(module_.function("kernelbatch_digest")),
      digest_places_(module_.function("kernelbatch_digest_places")),
      perturb_(module_.function("kernelbatch_perturb")),
      exchange_(module_.function("kernelbatch_exchange")),
      threads_(device.properties().is_simt() ? kGpuThreads : 1),
      most_blocks_(static_cast<std::uint32_t>(device.properties().is_simt()
                                                  ? 8 * device.properties().compute_units
                                                  : device.properties().loop_blocks)),
      seed_(random_word()) {}

std::uint32_t CheckKernels::blocks_for(std::uint64_t bytes) const {
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(bytes / kBytesOfBlock, 1, std::max(1u, most_blocks_)));
}

void CheckKernels::prepare(PendingDigest& into, std::uint32_t blocks) {
  if (into.partial_.size() < 2 * std::int64_t{blocks}) {
    into.pinned_.reset();
    into.partial_ = Array::on_device(device_, DType::kUInt64, {2 * std::int64_t{blocks}});
    into.sums_ = Array::on_host(DType::kUInt64, {2 * std::int64_t{blocks}});
    into.pinned_ = device_.pin(into.sums_.data(), into.sums_.bytes());
  }
  into.blocks_ = blocks;
}

void CheckKernels::fetch(PendingDigest& into, Stream& stream) {
  if (into.pinned_ != nullptr) into.copy_sums(stream);
}

void CheckKernels::digest(const std::byte* memory, std::size_t bytes, PendingDigest& into,
                          Stream& stream, Seed seed) {
  const std::uint32_t blocks = blocks_for(bytes);
  prepare(into, blocks);
  const Array view = Array::of_memory(const_cast<std::byte*>(memory), DType::kUInt8,
                                      {static_cast<std::int64_t>(bytes)}, &device_);
  digest_(stream, LaunchShape{.grid = {blocks}, .block = {threads_}}, view,
          static_cast<std::uint64_t>(bytes), seed == Seed::kOwn ? seed_ : std::uint64_t{0},
          as_pointer(into.partial_));
  fetch(into, stream);
}

void CheckKernels::digest(const RandomPlaces& places, PendingDigest& into, Stream& stream) {
  const std::uint32_t blocks = threads_ == 1 ? 1 : RandomPlaces::kPlaces / threads_ / 2;
  prepare(into, blocks);
  const Array view =
      Array::of_memory(places.elements, DType::kUInt8,
                       {static_cast<std::int64_t>(places.count * places.item)}, &device_);
  digest_places_(stream, LaunchShape{.grid = {blocks}, .block = {threads_}}, view, places.count,
                 places.item, number_of(places), places.seed, as_pointer(into.partial_));
  fetch(into, stream);
}

void CheckKernels::perturb(const RandomPlaces& places, Stream& stream) {
  const std::uint32_t blocks = threads_ == 1 ? 1 : RandomPlaces::kPlaces / threads_ / 2;
  const Array view =
      Array::of_memory(places.elements, DType::kUInt8,
                       {static_cast<std::int64_t>(places.count * places.item)}, &device_);
  perturb_(stream, LaunchShape{.grid = {blocks}, .block = {threads_}}, view, places.count,
           places.item, number_of(places), places.seed, std::uint32_t{places.is_thinned});
}

void CheckKernels::exchange(const Array& a, const Array& b, Stream& stream) {
  const auto bytes = static_cast<std::uint64_t>(a.bytes());
  const auto view = [&](const Array& array) {
    return Array::of_memory(array.data(), DType::kUInt8, {static_cast<std::int64_t>(bytes)},
                            &device_);
  };
  exchange_(stream, LaunchShape{.grid = {blocks_for(bytes)}, .block = {threads_}}, view(a), view(b),
            bytes);
}

void CheckKernels::launch_all(Stream& stream) {
  const Array a = Array::on_device(device_, DType::kUInt64, {8});
  const Array b = Array::on_device(device_, DType::kUInt64, {8});
  const RandomPlaces places{a.data(), 8, 8, 1};
  PendingDigest pending;
  digest(a.data(), a.bytes(), pending, stream);
  digest(places, pending, stream);
  perturb(places, stream);
  exchange(a, b, stream);
  stream.synchronize();
}

Digest digest_of(const Array& array, CheckKernels& kernels, PendingDigest& pending, Stream& stream,
                 CheckKernels::Seed seed) {
  if (array.bytes() == 0) return {};
  kernels.digest(array.data(), array.bytes(), pending, stream, seed);
  stream.synchronize();
  return pending.value(stream);
}

}  // namespace kernelbatch
