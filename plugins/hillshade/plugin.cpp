// Declaration of the workload `hillshade`.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/array/input.hpp"
#include "core/base/error.hpp"
#include "plugins/hillshade/hillshade.hpp"

namespace kernelbatch::workloads::hillshade {
namespace {

/// The DEM repeated `times` times in each direction.
Array tile(const Array& dem, std::int64_t times) {
  if (times == 1) return dem;
  const std::int64_t rows = dem.shape()[0];
  const std::int64_t columns = dem.shape()[1];
  Array tiled = Array::on_host(DType::kInt16, {rows * times, columns * times});
  const auto from = dem.as<std::int16_t>();
  const auto to = tiled.as<std::int16_t>();
  for (std::int64_t r = 0; r < rows * times; ++r)
    for (std::int64_t c = 0; c < columns * times; ++c)
      to[static_cast<std::size_t>(r * columns * times + c)] =
          from[static_cast<std::size_t>((r % rows) * columns + c % columns)];
  return tiled;
}

}  // namespace

WorkloadInfo Hillshade::info() {
  return {
      .name = "hillshade",
      .version = "1",
      .summary = "slope and illumination of a digital elevation model",
      .parameters = {real_parameter("azimuth", 315, 0, 360,
                                    "direction of the sun, degrees from north"),
                     real_parameter("altitude", 45, 0, 90, "height of the sun, degrees"),
                     real_parameter("cell_x", 74.4, 1e-3, 1e6, "width of a cell, metres"),
                     real_parameter("cell_y", 92.7, 1e-3, 1e6, "height of a cell, metres"),
                     integer_parameter("tile", 1, 1, 256,
                                       "repeat the model this often in each direction")},
      .inputs = {{"dem",
                  "int16, shape (rows, columns), metres; default: the Jacksboro fault, 344 × 403"}},
      .outputs = {{"slope", "angle of the surface to the horizontal, radians"},
                  {"shade", "illumination, 0 to 1"}}};
}

Hillshade::Hillshade(const Params& params, Inputs& inputs) {
  const Array model = inputs.take(
      "dem", [&] { return read_npy(inputs.data_file("inputs/jacksboro_fault_dem.npy")); });
  if (model.dtype() != DType::kInt16 || model.axes() != 2 || model.size() == 0)
    throw SpecError(
        fmt::format("hillshade: input dem must be int16 with shape (rows, columns), not {} {}",
                    name_of(model.dtype()), to_text(model.shape())));
  dem = tile(model, params.integer("tile"));
  scale_x = 1 / (8 * params.real("cell_x"));
  scale_y = 1 / (8 * params.real("cell_y"));
  const double azimuth = params.real("azimuth") * std::numbers::pi / 180;
  const double altitude = params.real("altitude") * std::numbers::pi / 180;
  sun_east = std::sin(azimuth) * std::cos(altitude);
  sun_north = std::cos(azimuth) * std::cos(altitude);
  sun_up = std::sin(altitude);
}

std::vector<OutputArray> Hillshade::outputs() const {
  Tolerance tolerance;
  tolerance.rtol = 1e-5;
  tolerance.atol = 2e-6;
  tolerance.reason =
      "about 20 float32 roundings of numbers up to 1, and float32 atan and square root of 2 to 4 "
      "ulp; "
      "the sums of heights are exact";
  const auto output = [&](std::string name, std::string units, std::string help) {
    return OutputArray{.name = std::move(name),
                       .dtype = DType::kFloat32,
                       .shape = dem.shape(),
                       .dimensions = {"y", "x"},
                       .units = std::move(units),
                       .help = std::move(help),
                       .tolerance = tolerance};
  };
  return {output("slope", "radian", "angle of the surface to the horizontal"),
          output("shade", "1", "illumination")};
}

Cost Hillshade::cost() const {
  const auto cells = static_cast<double>(dem.size());
  return {.bytes_read = 2 * cells, .bytes_written = 8 * cells, .flops = 35 * cells};
}

}  // namespace kernelbatch::workloads::hillshade

KERNELBATCH_PLUGIN(kernelbatch::DeclaredWorkload<kernelbatch::workloads::hillshade::Hillshade>,
                   "hillshade");
