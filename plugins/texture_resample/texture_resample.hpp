// A grid sampled at new coordinates, to the nearest cell or bilinearly, edge cells repeated
// outwards.
//
// Cell (r, c) has its centre at (r + 0.5, c + 0.5). Point: the cell that the coordinates lie in.
// Linear: with u = x − 0.5, v = y − 0.5 and α, β their fractions,
//   (1−α)(1−β)·T[⌊v⌋, ⌊u⌋] + α(1−β)·T[⌊v⌋, ⌊u⌋+1] + (1−α)β·T[⌊v⌋+1, ⌊u⌋] + αβ·T[⌊v⌋+1, ⌊u⌋+1]
#pragma once

#include "core/plugin/workload.hpp"

namespace texture_resample {

struct TextureResample final : kernelbatch::Problem {
  kernelbatch::Array grid;  ///< float32, (rows, columns)
  kernelbatch::Array x;     ///< float32, (1, out_cols), in cells
  kernelbatch::Array y;     ///< float32, (out_rows, 1)
  bool is_linear = false;
  double largest = 0;  ///< |grid|

  /// Those of textures: they blend with fractions of 8 bits.
  std::vector<kernelbatch::OutputArray> outputs_of(std::string_view variant) const override;
  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

void reference(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void elementwise(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void reduction(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void jit(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void texture(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void texture_raw(const kernelbatch::Problem& problem, kernelbatch::Run& run);
void surface(const kernelbatch::Problem& problem, kernelbatch::Run& run);

}  // namespace texture_resample
