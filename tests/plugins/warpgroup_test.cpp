// The code of plugins/matmul/raw_tensor_hopper.cuh between its instructions: tiles, the ring of
// stages, addresses in shared memory and which thread stores what, with the instructions computed
// in plain code.
#include <fmt/format.h>

#include <cmath>

#include "core/base/file.hpp"
#include "core/device/backend.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/random.hpp"

namespace kernelbatch {
namespace {

/// The host device, independent of the device of the other tests of this program.
Stream& stream() {
  static Device* const host = open_device(choose_device("host")).release();
  static Stream* const opened = host->make_stream().release();
  return *opened;
}

struct alignas(64) TensorMap {
  std::uint64_t words[16] = {};
};

TensorMap map_of(const Array& matrix, std::uint64_t box_rows, bool as_tf32) {
  return {{reinterpret_cast<std::uintptr_t>(matrix.data()),
           static_cast<std::uint64_t>(matrix.shape()[1]),
           static_cast<std::uint64_t>(matrix.shape()[0]), size_of(matrix.dtype()), box_rows,
           as_tf32 ? 1u : 0u}};
}

template <class T>
double number(T value) {
  if constexpr (ReducedFloat<T>)
    return static_cast<double>(to_float(value));
  else
    return static_cast<double>(value);
}

/// The largest error of a product relative to the bound of a sum of k products of these types.
template <class T>
double worst_error(int m, int n, int k, std::uint32_t blocks) {
  const std::filesystem::path plugin =
      std::filesystem::path(test::source_folder()) / "plugins/matmul/raw_tensor_hopper.cuh";
  const std::filesystem::path plain =
      std::filesystem::path(test::source_folder()) / "tests/plugins/warpgroup/plain.cuh";
  const DType dtype = kDTypeOf<T>;
  const bool is_wide = sizeof(T) == 4;
  const RawKernel matmul{read_file(plain) + read_file(plugin),
                         "matmul_" + std::string(name_of(dtype)),
                         {.name = "matmul_by_warpgroups"}};
  const Array a = test::random_uniform(dtype, {m, k}, -1, 1, 1),
              b = test::random_uniform(dtype, {k, n}, -1, 1, 2);
  const Array there_a = to_device(a, stream()), there_b = to_device(b, stream());
  const Array c = Array::on_device(stream().device(), dtype, {m, n});
  const TensorMap map_a = map_of(there_a, is_wide ? 256 : 128, is_wide),
                  map_b = map_of(there_b, is_wide ? 32 : 64, false);
  matmul(stream(), {.grid = {blocks}, .block = {384}, .shared_bytes = 4 * 49152 + 1088},
         as_bytes(map_a), as_bytes(map_b), c, m, n, k);
  const Array host_c = to_host(c, stream());
  const auto got = host_c.as<T>();
  const auto left = a.as<T>(), right = b.as<T>();
  const double of_sum = (is_wide ? 0x1p-10 : 0) + k * 0x1p-23, of_result = unit_roundoff(dtype);
  double worst = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0, moduli = 0;
      for (int depth = 0; depth < k; ++depth) {
        const double term = number(left[static_cast<std::size_t>(row * k + depth)]) *
                            number(right[static_cast<std::size_t>(depth * n + column)]);
        sum += term;
        moduli += std::abs(term);
      }
      const double error = std::abs(number(got[static_cast<std::size_t>(row * n + column)]) - sum);
      worst = std::max(worst, error / (of_sum * moduli + of_result * std::abs(sum) + 0x1p-25));
      if (std::isnan(error)) return HUGE_VAL;
    }
  return worst;
}

TEST_CASE("Warpgroups multiply full and partial tiles") {
  const struct {
    int m, n, k;
    std::uint32_t blocks;
  } sizes[] = {{128, 256, 64, 1},   // one stage of a tile of 16 bits
               {256, 128, 576, 2},  // more stages than the ring has
               {136, 272, 72, 1},   // several tiles in a block, partial tiles and stages
               {300, 136, 200, 2}};
  for (const auto& [m, n, k, blocks] : sizes) {
    CAPTURE(m, n, k, blocks);
    CHECK(worst_error<Float16>(m, n, k, blocks) <= 1);
    CHECK(worst_error<BFloat16>(m, n, k, blocks) <= 1);
    CHECK(worst_error<float>(m, n, k, blocks) <= 1);
  }
}

}  // namespace
}  // namespace kernelbatch
