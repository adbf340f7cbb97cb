// Copies of tensors' boxes: places in shared memory and in the tensor, computed here from rows and
// chunks.
#include <algorithm>
#include <cstring>

#include "tests/contract/tensor_copy.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch::test {
namespace {

/// Compute capability 9.0, or the host.
bool has_tensor_maps() {
  return !device().properties().is_gpu || device().properties().capability_major >= 9;
}

void check_load(const BoxCopy& copy) {
  std::vector<std::uint8_t> tensor = numbered(copy.tensor_bytes(), 1),
                            shared(copy.shared_bytes(), 0xcc), expected = shared;
  for_elements(copy, [&](std::size_t place, std::int64_t from, std::size_t k) {
    expected[place] = from >= 0                         ? tensor[static_cast<std::size_t>(from)]
                      : copy.fill == TensorFill::kZeros ? std::uint8_t{0}
                      : k % 2 == 1                      ? std::uint8_t{0x7f}
                                                        : std::uint8_t{0xf7};
  });
  run_copy(copy, load_text(copy), tensor, shared);
  CHECK(shared == expected);
}

void check_store(const BoxCopy& copy) {
  std::vector<std::uint8_t> tensor = numbered(copy.tensor_bytes(), 1), expected = tensor,
                            shared = numbered(copy.shared_bytes(), 91);
  for_elements(copy, [&](std::size_t place, std::int64_t to, std::size_t) {
    if (to >= 0) expected[static_cast<std::size_t>(to)] = shared[place];
  });
  run_copy(copy, store_text(copy), tensor, shared);
  CHECK(tensor == expected);
}

const BoxCopy kRanks[] = {
    {.extents = {300}, .box = {64}, .at = {100}},
    {.type = TensorType::kFloat16, .extents = {72, 40}, .box = {16, 8}, .at = {24, 7}},
    {.type = TensorType::kUInt8, .extents = {48, 9, 5}, .box = {32, 4, 3}, .at = {16, 2, 1}},
    {.type = TensorType::kFloat64,
     .extents = {6, 5, 4, 3},
     .box = {2, 3, 2, 2},
     .at = {2, 1, 1, 1}},
    {.type = TensorType::kInt32,
     .extents = {8, 3, 4, 2, 3},
     .box = {4, 2, 3, 2, 2},
     .at = {4, 1, 0, 0, 1}}};

const BoxCopy kOutside[] = {
    {.extents = {20}, .box = {16}, .at = {-4}},
    {.extents = {20}, .box = {16}, .at = {8}},
    {.extents = {20, 6}, .box = {16, 8}, .at = {8, -2}},
    {.extents = {20, 6}, .box = {16, 8}, .at = {8, 1}},
    {.extents = {20, 6}, .box = {16, 8}, .at = {40, 1}},
    {.extents = {20, 6}, .box = {16, 4}, .at = {-8, 4}, .fill = TensorFill::kNan},
    {.type = TensorType::kFloat64,
     .extents = {20, 6},
     .box = {16, 4},
     .at = {8, 4},
     .fill = TensorFill::kNan},
    {.type = TensorType::kBFloat16,
     .extents = {24},
     .box = {32},
     .at = {8},
     .fill = TensorFill::kNan},
    {.type = TensorType::kFloat16,
     .extents = {24, 6, 3},
     .box = {32, 4, 2},
     .at = {-8, 4, 2},
     .fill = TensorFill::kNan}};

TEST_CASE("A box of each number of axes is copied in both directions") {
  if (!has_tensor_maps()) return;
  for (const BoxCopy& copy : kRanks) {
    CAPTURE(copy.axes());
    check_load(copy);
    check_store(copy);
  }
}

TEST_CASE("Elements of a box outside of the tensor are filled and never written") {
  if (!has_tensor_maps()) return;
  for (const BoxCopy& copy : kOutside) {
    CAPTURE(copy.axes(), copy.at);
    check_load(copy);
    // A GPU ends a kernel that writes a box with a negative coordinate.
    if (std::ranges::min(copy.at) >= 0) check_store(copy);
  }
}

TEST_CASE("Rows of a box are swizzled in shared memory") {
  if (!has_tensor_maps()) return;
  for (const TensorSwizzle swizzle :
       {TensorSwizzle::k32, TensorSwizzle::k64, TensorSwizzle::k128}) {
    CAPTURE(name_of(swizzle));
    const std::uint32_t columns = span_of(swizzle) / 2;
    const BoxCopy copy{.type = TensorType::kBFloat16,
                       .extents = {136, 40},
                       .box = {columns, 24},
                       .at = {8, 19},
                       .swizzle = swizzle};
    check_load(copy);
    check_store(copy);
  }
}

TEST_CASE("Larger chunks of a row are swizzled in shared memory") {
  if (device().properties().is_gpu && device().properties().capability_major < 10) return;
  for (const TensorSwizzle swizzle :
       {TensorSwizzle::k128Atom32, TensorSwizzle::k128Atom32Flip8, TensorSwizzle::k128Atom64}) {
    CAPTURE(name_of(swizzle));
    check_load({.extents = {40, 20}, .box = {32, 12}, .at = {4, 2}, .swizzle = swizzle});
  }
}

TEST_CASE("Rows shorter than the swizzle's span begin at multiples of the span") {
  if (!has_tensor_maps()) return;
  const BoxCopy copy{
      .extents = {40, 20}, .box = {16, 12}, .at = {4, 2}, .swizzle = TensorSwizzle::k128};
  check_load(copy);
  check_store(copy);
}

TEST_CASE("Element strides leave out elements of the outer axes") {
  if (!has_tensor_maps()) return;
  const BoxCopy copy{
      .extents = {20, 30, 12}, .box = {8, 7, 6}, .at = {4, 3, 5}, .steps = {1, 3, 2}};
  CHECK(copy.rows() == 9);
  check_load(copy);
  check_store(copy);
}

TEST_CASE("A box arrives with the wait for it") {
  if (device().properties().is_gpu || is_sanitized()) return;  // there the time is not known
  const BoxCopy copy{.extents = {64}, .box = {32}, .at = {0}};
  std::string text = load_text(copy);
  const std::size_t wait = text.find("for (int has_passed");
  text.erase(wait, text.find("for (int k", wait) - wait);
  std::vector<std::uint8_t> tensor = numbered(copy.tensor_bytes(), 1),
                            shared(copy.shared_bytes(), 0xcc);
  run_copy(copy, text, tensor, shared);
  CHECK(shared == std::vector<std::uint8_t>(copy.shared_bytes(), 0xcc));
}

TEST_CASE("Reductions combine a box with the tensor") {
  if (!has_tensor_maps()) return;
  const BoxCopy copy{.type = TensorType::kInt32, .extents = {24, 5}, .box = {16, 4}, .at = {12, 2}};
  const std::pair<const char*, std::int32_t (*)(std::int32_t, std::int32_t)> reductions[] = {
      {"add", [](std::int32_t a, std::int32_t b) { return a + b; }},
      {"min", [](std::int32_t a, std::int32_t b) { return std::min(a, b); }},
      {"max", [](std::int32_t a, std::int32_t b) { return std::max(a, b); }},
      {"xor", [](std::int32_t a, std::int32_t b) { return a ^ b; }}};
  for (const auto& [name, combine] : reductions) {
    CAPTURE(name);
    std::vector<std::uint8_t> tensor(copy.tensor_bytes()), shared(copy.shared_bytes());
    for (std::size_t k = 0; k < tensor.size(); k += 4) {
      const auto value = static_cast<std::int32_t>(k * k % 1000) - 400;
      std::memcpy(tensor.data() + k, &value, 4);
    }
    for (std::size_t k = 0; k < shared.size(); k += 4) {
      const auto value = static_cast<std::int32_t>(k * 37 % 900) - 500;
      std::memcpy(shared.data() + k, &value, 4);
    }
    std::vector<std::uint8_t> expected = tensor;
    for_elements(copy, [&, combine = combine](std::size_t from, std::int64_t to, std::size_t k) {
      if (to < 0 || k > 0) return;
      std::int32_t a = 0, b = 0;
      std::memcpy(&a, expected.data() + to, 4);
      std::memcpy(&b, shared.data() + from, 4);
      a = combine(a, b);
      std::memcpy(expected.data() + to, &a, 4);
    });
    run_copy(copy, store_text(copy, name), tensor, shared);
    CHECK(tensor == expected);
  }
}

constexpr const char* kLibrarySource = R"(#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda/std/cstdint>
#include <cuda/std/utility>
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void f(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int first[4][8];
  __shared__ alignas(128) int second[4][8];
  __shared__ Barrier barrier;
  __shared__ cuda::std::uint64_t ready;
  const int t = threadIdx.x;
  if (t == 0) {
    init(&barrier, blockDim.x);
    ptx::mbarrier_init(&ready, 1);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (t == 0) {
    const cuda::std::int32_t here[2] = {4, 1}, there[2] = {12, 3};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &first, &map, here,
                              cuda::device::barrier_native_handle(barrier));
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof first);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &ready,
                                   sizeof second);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &second, &map, there, &ready);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(cuda::std::move(token));
  while (!ptx::mbarrier_try_wait_parity(&ready, 0)) {
  }
  first[t / 8][t % 8] -= second[t / 8][t % 8];
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (t == 0) {
    const cuda::std::int32_t to[2] = {0, 6};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, to, &first);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    const cuda::std::int32_t sum[2] = {16, 6};
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, sum,
                                     &second);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
  }
})";

TEST_CASE("Functions of libcu++ copy boxes") {
  if (!has_tensor_maps()) return;
  const BoxCopy copy{.type = TensorType::kInt32, .extents = {24, 10}, .box = {8, 4}, .at = {}};
  std::vector<std::int32_t> tensor(240);
  for (std::size_t k = 0; k < tensor.size(); ++k) tensor[k] = static_cast<std::int32_t>(k * k % 91);
  std::vector<std::int32_t> expected = tensor;
  const auto at = [](std::size_t column, std::size_t row) { return row * 24 + column; };
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      const std::int32_t other = tensor[at(12 + column, 3 + row)];
      expected[at(column, 6 + row)] = tensor[at(4 + column, 1 + row)] - other;
      expected[at(16 + column, 6 + row)] += other;
    }
  const Array there = device_array(tensor);
  const LoadedKernel kernel(kLibrarySource, "f");
  kernel.run(grid_of(1, 32), device().tensor_map(copy.form(there.data())));
  CHECK(values_of<std::int32_t>(there) == expected);
}

TEST_CASE("Loads as tfloat32 round ties to even, and none flushes subnormal numbers") {
  if (!has_tensor_maps()) return;
  const std::vector<std::uint32_t> words{0x3f800fff, 0x3f801000, 0x3f803000, 0xbf801001,
                                         0x00000123, 0x807fffff, 0x7f800000, 0x7fc01234,
                                         0xffc01234, 0x7f801234, 0x00301000, 0xff800000};
  const std::vector<std::uint32_t> rounded{0x3f800000, 0x3f800000, 0x3f804000, 0xbf802000,
                                           0x00000000, 0x80800000, 0x7f800000, 0x7fffe000,
                                           0x7fffe000, 0x7fffe000, 0x00300000, 0xff800000};
  for (const TensorType type :
       {TensorType::kTFloat32, TensorType::kTFloat32Ftz, TensorType::kFloat32Ftz}) {
    const BoxCopy copy{.type = type, .extents = {12}, .box = {12}, .at = {0}};
    std::vector<std::uint8_t> tensor(48), shared(48);
    std::memcpy(tensor.data(), words.data(), 48);
    run_copy(copy, load_text(copy), tensor, shared);
    std::vector<std::uint32_t> got(12);
    std::memcpy(got.data(), shared.data(), 48);
    CAPTURE(name_of(type));
    CHECK(got == (type == TensorType::kFloat32Ftz ? words : rounded));
  }
}

}  // namespace
}  // namespace kernelbatch::test
