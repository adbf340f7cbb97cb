// Every part of the prelude, compiled by the real NVRTC: needs no GPU.
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/jit/kernel.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// Compiles a kernel of one array for CUDA; says so where there is no NVRTC.
void compile(DType dtype, const std::string& body, const std::string& before = "") {
  std::unique_ptr<Device> device;
  try {
    device = open_compile_only(properties_of_target("sm_90"));
  } catch (const DeviceError& error) {
    WARN("not checked: " << error.what());
    return;
  }
  CAPTURE(body);
  const auto stream = device->make_stream();
  const JitKernel kernel{before + "\n__global__ void f(auto* x) {\n" + body + "\n}", "f"};
  kernel(*stream, LaunchShape{}, Array::on_device(*device, dtype, {100}));
}

TEST_CASE("Grid helpers and shared memory compile for CUDA") {
  compile(DType::kFloat32, R"(
    const auto [i, j] = kernelbatch::grid<2>();
    const auto size = kernelbatch::gridsize<3>();
    float* const s = kernelbatch::shared_array<float, 10>();
    float* const d = kernelbatch::dynamic_shared<float>();
    for (auto k : kernelbatch::range(i, j, 3)) x[k] = s[k] + d[k] + size.z;
    for (auto k : kernelbatch::block_range(10)) s[k] = x[k];)");
}

TEST_CASE("Atomics of every dtype compile for CUDA") {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16})
    compile(dtype, R"(atomicAdd(x, x[9]); atomicSub(x, x[9]); atomicMin(x, x[9]);
                      atomicMax(x, x[9]); atomicExch(x, x[9]); atomicCAS(x, x[9], x[8]);)");
  for (const DType dtype : {DType::kInt32, DType::kUInt32, DType::kInt64, DType::kUInt64})
    compile(dtype, R"(atomicAdd(x, x[9]); atomicSub(x, x[9]); atomicMin(x, x[9]);
                      atomicMax(x, x[9]); atomicExch(x, x[9]); atomicCAS(x, x[9], x[8]);
                      atomicAnd(x, x[9]); atomicOr(x, x[9]); atomicXor(x, x[9]);)");
}

TEST_CASE("Collectives and groups compile for CUDA") {
  compile(DType::kFloat64, R"(
    x[0] = kernelbatch::block_reduce(x[1], kernelbatch::plus());
    x[1] = kernelbatch::block_inclusive_scan(x[1], kernelbatch::times());
    x[2] = kernelbatch::block_exclusive_scan(x[1], [](double a, double b) { return a + b; }, 0.0);
    x[3] = kernelbatch::warp_reduce<8>(x[1], kernelbatch::minimum());
    x[4] = kernelbatch::warp_exclusive_scan(x[1], kernelbatch::maximum(), 0.0);)");
  compile(DType::kFloat64, R"(
    namespace cg = cooperative_groups;
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    x[0] = cg::reduce(tile, tile.shfl_down(x[1], 2), cg::plus<double>()) + tile.match_any(3);
    x[1] = cg::exclusive_scan(tile, tile.shfl_up(x[1], 1), cg::plus<double>());
    cg::this_grid().sync();
    cg::sync(tile);)");
}

TEST_CASE("CUDA's own header of cooperative groups can be had, too") {
  try {
    compile(DType::kFloat32, R"(
      namespace cg = cooperative_groups;
      const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
      x[0] = tile.shfl_down(x[1], 2);)",
            "#include <cooperative_groups.h>");
  } catch (const CompileError& error) {
    // Without the toolkit's headers there is nothing to include.
    CHECK_THAT(error.what(), Contains("cooperative_groups.h"));
  }
}

TEST_CASE("Complex functions and intrinsics compile for CUDA") {
  for (const DType dtype : {DType::kComplex64, DType::kComplex128})
    compile(dtype, R"(
      x[0] = exp(x[1]) + log(x[1]) + log10(x[1]) + sqrt(x[1]) + pow(x[1], x[2]) + pow(x[1], 3) +
             sin(x[1]) + cos(x[1]) + tan(x[1]) + sinh(x[1]) + cosh(x[1]) + tanh(x[1]) + conj(x[1]);
      x[1] = polar(abs(x[0]), arg(x[0])) * norm(x[0]);)");
  compile(DType::kUInt32, R"(
    x[0] = __byte_perm(x[1], x[2], 0x6172) + __funnelshift_l(x[1], x[2], 3) +
           __funnelshift_rc(x[1], x[2], 40) + __dp4a(x[1], x[2], 7u) + __dp2a_lo(x[1], x[2], 7u) +
           __dp2a_hi(1, 2, 3) + __sad(1, 2, 3) + __hadd(3, 4) + __umul24(x[1], x[2]);
    x[1] = sinpi(0.25) + cospi(0.25f) + sinpif(1.0f) + rcbrt(8.0) + rhypot(3.0, 4.0);)");
}

TEST_CASE("Every part can be included by its name") {
  for (const char* part : {"grid", "collectives", "groups", "cooperative_groups", "complex_math"})
    compile(DType::kFloat32, "x[0] = 1;", "#include \"kernelbatch/" + std::string(part) + ".hpp\"");
}

}  // namespace
}  // namespace kernelbatch
