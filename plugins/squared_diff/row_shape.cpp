#include "plugins/squared_diff/row_shape.hpp"

#include <algorithm>

namespace kernelbatch::workloads::squared_diff {

std::int64_t load_width(const Array& x, const Array& y, const Array& z) {
  const auto item = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t width = 16 / item;
  const auto begins_well = [](const Array& array) {
    return reinterpret_cast<std::uintptr_t>(array.data()) % 16 == 0 && array.strides()[0] % 16 == 0;
  };
  const bool y_fits = y.strides()[1] == 0 || (y.strides()[1] == item && begins_well(y));
  const bool x_fits = x.strides()[1] == item && begins_well(x) && begins_well(z);
  return x.shape()[1] % width == 0 && x_fits && y_fits ? width : 1;
}

LaunchShape row_shape(std::int64_t rows, std::int64_t loads, std::int64_t rows_of_thread,
                      std::int64_t threads) {
  constexpr std::int64_t kMostBlocksDown = 65535;
  std::int64_t across = 1;
  while (across < loads && across < threads) across *= 2;
  across = std::min(across, threads);
  const std::int64_t down = threads / across * rows_of_thread;
  const auto narrow = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  return {.grid = {narrow((loads + across - 1) / across),
                   narrow(std::min((rows + down - 1) / down, kMostBlocksDown))},
          .block = {narrow(across), narrow(threads / across)}};
}

}  // namespace kernelbatch::workloads::squared_diff
