// Slope and illumination of a digital elevation model (DEM).
//
// Gradients by Horn's 3×3 weights (B. Horn, "Hill shading and the reflectance map", Proc. IEEE 69,
// 1981), rows running from north to south, edge cells repeated outwards:
//   p = dz/d(east)  = ((c + 2f + i) − (a + 2d + g)) / (8·cell_x)
//   q = dz/d(north) = ((a + 2b + c) − (g + 2h + i)) / (8·cell_y)      a b c / d e f / g h i
// slope = atan(√(p² + q²)), shade = max(0, cos of the angle between the surface's normal and the
// sun).
#pragma once

#include "core/workload/declared_workload.hpp"

namespace kernelbatch::workloads::hillshade {

struct Hillshade final : Problem {
  Array dem;                                       ///< int16, (rows, columns), metres
  double scale_x = 0, scale_y = 0;                 ///< 1 / (8·cell size in metres)
  double sun_east = 0, sun_north = 0, sun_up = 0;  ///< unit vector towards the sun

  Hillshade(const Params& params, Inputs& inputs);
  static WorkloadInfo info();
  std::vector<OutputArray> outputs() const override;
  Cost cost() const override;
};

}  // namespace kernelbatch::workloads::hillshade
