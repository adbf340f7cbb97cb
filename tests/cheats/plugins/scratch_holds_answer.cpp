// cheat: scratch_holds_answer
// fault: finds its old answer in uninitialized scratch memory, and copies it
// caught by: the second set of inputs; poisoning scratch memory before every call
// gains nothing: scratch memory is refilled before every call, so it works in each
#include "tests/cheats/plugins/cheat.hpp"

namespace {

using namespace cheats;

constexpr const char* kSource = R"(
extern "C" __global__ void mix_once(const unsigned* x, unsigned* y, unsigned* marks, unsigned* answers) {
  const int k = blockDim.x * blockIdx.x + threadIdx.x;
  if (marks[k] != 0x5eedf00du + k) {
    unsigned v = x[k];
    for (unsigned r = 0; r < 32; ++r) v = (v ^ (v >> 15)) * 0x2c1b3c6du + r;
    answers[k] = v;
    marks[k] = 0x5eedf00du + k;
  }
  y[k] = answers[k];
}
)";

Work cheat(const Mixing& in, Run& run) {
  const auto blocks = static_cast<std::uint32_t>(in.n() / 128);
  return
      [x = run.to_device(in.x), y = run.output("y"), blocks,
       marks = run.scratch(DType::kUInt32, {in.n()}),
       answers = run.scratch(DType::kUInt32, {in.n()}),
       kernel = kernelbatch::RawKernel(kSource, "mix_once", {.name = "mix_once"})](Stream& stream) {
        kernel(stream, {.grid = {blocks}, .block = {128}}, x, y, marks, answers);
      };
}

}  // namespace

CHEAT_PLUGIN(scratch_holds_answer, cheat);
