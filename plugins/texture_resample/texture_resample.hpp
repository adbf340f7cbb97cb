// A grid sampled at new coordinates, to the nearest cell or bilinearly, edge cells repeated
// outwards.
//
// Cell (r, c) has its centre at (r + 0.5, c + 0.5). Point: the cell that the coordinates lie in.
// Linear: with u = x − 0.5, v = y − 0.5 and α, β their fractions,
//   (1−α)(1−β)·T[⌊v⌋, ⌊u⌋] + α(1−β)·T[⌊v⌋, ⌊u⌋+1] + (1−α)β·T[⌊v⌋+1, ⌊u⌋] + αβ·T[⌊v⌋+1, ⌊u⌋+1]
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::texture_resample {

struct TextureResample final : Problem {
  Array grid;  ///< float32, (rows, columns)
  Array x;     ///< float32, (1, out_cols), in cells
  Array y;     ///< float32, (out_rows, 1)
  bool is_linear = false;
  double largest = 0;  ///< |grid|
  /// Error bound of textures for each element: float64, shape (out_rows * out_cols,); empty if not
  /// linear.
  Array texture_bounds;

  /// Textures have another tolerance: they blend with fractions of 8 bits.
  std::vector<OutputArray> outputs_of(std::string_view variant) const override;
  TextureResample(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  static double device_bytes(const Params& params);
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::texture_resample
