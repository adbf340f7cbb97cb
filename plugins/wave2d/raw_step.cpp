#include "plugins/wave2d/raw_step.hpp"

#include <algorithm>
#include <string>

#include "embedded.hpp"

namespace kernelbatch::workloads::wave2d {
namespace {

std::string name_for(const Wave2D& in) { return "step_" + std::string(name_of(in.q.dtype())); }

}  // namespace

RawStep::RawStep(const Wave2D& in, Run& run)
    : q_(run.to_device(in.q)),
      module_(EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin}, {name_for(in)},
              {.name = "wave2d_raw"}),
      kernel_(module_.function(name_for(in))) {}

void RawStep::operator()(Stream& stream, const Array& now, const Array& before) const {
  constexpr std::int64_t kWidth = 64, kHeight = 4, kMostRows = 65535;
  const std::int64_t rows = now.shape()[0], cols = now.shape()[1];
  const LaunchShape shape{
      .grid = {static_cast<std::uint32_t>((cols + kWidth - 1) / kWidth),
               static_cast<std::uint32_t>(std::min((rows + kHeight - 1) / kHeight, kMostRows))},
      .block = {kWidth, kHeight}};
  kernel_(stream, shape, now, q_, before, static_cast<int>(rows), static_cast<int>(cols));
}

}  // namespace kernelbatch::workloads::wave2d
