// cheat: easier_input
// fault: overwrites its input after the first call with a trivial one
// caught by: digests of the inputs
#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

constexpr const char* kSource = R"(
extern "C" __global__ void mix_others(const unsigned* x, unsigned* y) {
  const int k = blockDim.x * blockIdx.x + threadIdx.x;
  unsigned v = x[k];
  if (v == 0) return;
  for (unsigned r = 0; r < 32; ++r) v = (v ^ (v >> 15)) * 0x2c1b3c6du + r;
  y[k] = v;
}
)";

Work cheat(const Mixing& in, Run& run) {
  const auto blocks = static_cast<std::uint32_t>(in.n() / 128);
  return [x = run.to_device(in.x), y = run.output("y"), blocks, calls = 0,
          own = std::shared_ptr<Stream>(run.device().make_stream()),
          kernel = kernelbatch::RawKernel(kSource, "mix_others", {.name = "mix_others"})](
             Stream& stream) mutable {
    if (calls++ == 1) {
      own->device().fill(x.data(), 0, x.bytes(), *own);
      own->synchronize();
    }
    kernel(stream, {.grid = {blocks}, .block = {128}}, x, y);
  };
}

}  // namespace

CHEAT_PLUGIN(easier_input, cheat);
