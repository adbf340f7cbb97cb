// PTX instructions for parts of registers: SIMD video, pairs of 16 and 8 bits, matrices; textures.
#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel/raw/kernel.hpp"
#include "core/kernel/texture/texture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::device_array;
using test::stream;
using test::values_of;
using Halves = std::vector<std::uint32_t>;

/// `f(const unsigned* in, unsigned* out)`, one warp.
Halves lanes_of(const std::string& body, const Halves& in, std::size_t results) {
  const RawKernel kernel{
      "extern \"C\" __global__ void f(const unsigned* in, unsigned* out) {\n"
      "const unsigned t = threadIdx.x;\n" +
          body + "\n}",
      "f"};
  const Array from = device_array(in), to = device_array(Halves(results));
  LaunchShape shape;
  shape.block = {32};
  kernel(stream(), shape, from, to);
  return values_of<std::uint32_t>(to);
}

/// Each result from `%0 = …(%1, %2, %3)`.
Halves each_of(const std::vector<std::string>& instructions, const Halves& in) {
  std::string body = "unsigned a = in[0], b = in[1], c = in[2], d;\n";
  for (std::size_t k = 0; k < instructions.size(); ++k)
    body += "asm volatile(\"" + instructions[k] +
            "\" : \"=r\"(d) : \"r\"(a), \"r\"(b), \"r\"(c));\nout[" + std::to_string(k) +
            "] = d;\n";
  return lanes_of(body, in, instructions.size());
}

TEST_CASE("SIMD video instructions") {
  CHECK(
      each_of({"vabsdiff4.u32.u32.u32 %0, %1, %2, %3;", "vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;",
               "vadd4.u32.u32.u32.sat %0, %1, %2, %3;", "vadd4.u32.u32.u32 %0, %1, %2, %3;",
               "vsub2.s32.s32.s32 %0, %1, %2, %3;", "vmax4.s32.s32.s32 %0, %1, %2, %3;",
               "vmin2.u32.u32.u32 %0, %1, %2, %3;", "vset4.u32.u32.gt %0, %1, %2, %3;"},
              {0xf0107f05u, 0x20207f80u, 1000u}) == Halves{0xd010007bu, 1000 + 0xd0 + 0x10 + 0x7b,
                                                           0xff30fe85u, 0x1030fe85u, 0xcff0ff85u,
                                                           0x20207f05u, 0x20207f05u, 0x01000000u});
}

TEST_CASE("Atomic sums of pairs of halves, and of vectors") {
  const Halves got = lanes_of(R"(
if (t == 0) { out[0] = 0x40003c00u; out[1] = 0x3c00u; out[2] = out[3] = 0x3f800000u; out[4] = 0; }
__syncwarp();
unsigned old;
if (t < 2) {
  asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(old) : "l"(out), "r"(0x3c003c00u) : "memory");
  asm volatile("red.global.add.noftz.f16 [%0], %1;" ::"l"(out + 1), "h"((unsigned short)0x4000) : "memory");
  if (old == 0x40003c00u) atomicAdd(out + 4, 1u);
}
)" + std::string(test::on_cuda() ? "" : R"(
if (t < 2) asm volatile("red.global.v2.f32.add [%0], {%1, %2};" ::"l"(out + 2), "f"(1.0f), "f"(2.0f) : "memory");
)"),
                              {0}, 5);
  CHECK(got[0] == 0x44004200u);  // 2 + 2 and 1 + 2
  CHECK(got[1] == 0x4500u);      // 1 + 4
  if (!test::on_cuda())
    CHECK(Halves(got.begin() + 2, got.begin() + 4) == Halves{0x40400000u, 0x40a00000u});
  CHECK(got[4] == 1);
}

TEST_CASE("Matrices of 16 bits are stored and transposed by a warp") {
  const Halves got = lanes_of(R"(
__shared__ alignas(16) unsigned short tile[64];
const unsigned place = (unsigned)__cvta_generic_to_shared(tile);
const unsigned own = (2 * t + 1) << 16 | 2 * t, row = place + 16 * (t % 8);
asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(own) : "memory");
__syncwarp();
out[t] = tile[t] | tile[32 + t] << 16;
unsigned turned;
asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(own));
out[32 + t] = turned;
__syncwarp();
asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(row), "r"(own) : "memory");
__syncwarp();
out[64 + t] = tile[2 * t] | tile[2 * t + 1] << 16;
)",
                              {0}, 96);
  for (std::uint32_t t = 0; t < 32; ++t) {
    CAPTURE(t);
    CHECK(got[t] == (t | (32 + t) << 16));
    // Row t / 4 of the transposed matrix, columns 2 (t % 4) and the next.
    const std::uint32_t low = 8 * (2 * (t % 4)) + t / 4;
    CHECK(got[32 + t] == (low | (low + 8) << 16));
    CHECK(got[64 + t] == got[32 + t]);
  }
}

TEST_CASE("Pairs of floats of 8 bits") {
  // 1.5 and -0.4375 exactly, 448 and beyond it saturate; e5m2: 1.5 and -0.4375.
  const Halves got = lanes_of(R"(
unsigned short pair;
unsigned back;
asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(1.5f), "f"(-0.4375f));
out[0] = pair;
asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(back) : "h"(pair));
out[1] = back;
asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(1e6f), "f"(-1e6f));
out[2] = pair;
asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(pair) : "r"(0x3e00b700u));
out[3] = pair;
)",
                              {0}, 4);
  CHECK(got == Halves{0x3caeu, 0x3e00b700u, 0x7efeu, 0x3eb7u});
}

// Bits of an H200 where the ISA leaves the result open or is often misread.
TEST_CASE("Conversions and fields have the GPU's bits at their limits") {
  const Halves got = lanes_of(R"(
unsigned r;
unsigned long long l;
float f;
asm("cvt.rz.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(1.99999f), "f"(-0.33333f));
out[0] = r;
asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(-1.5f), "f"(1.5f));
out[1] = r;
asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(l) : "f"(__int_as_float(0x7fc00000)));
out[2] = l >> 32;
asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(__int_as_float(0x7fc00000)));
out[3] = r;
asm("bfe.u64 %0, %1, %2, %3;" : "=l"(l) : "l"(~0ull), "r"(0x120u), "r"(8u));
out[4] = l;
asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(~0u), "r"(0x110u), "r"(8u));
out[5] = r;
asm("mul.ftz.f32 %0, %1, %2;" : "=f"(f) : "f"(0x1p-100f), "f"(-0x1p-30f));
out[6] = __float_as_int(f);
asm("rem.u32 %0, %1, %2;" : "=r"(r) : "r"(77u), "r"(in[0]));
out[7] = r;
)",
                              {0}, 8);
  CHECK(got ==
        Halves{0x3fffb555u, 0x00003fc0u, 0x80000000u, 0, 0, 0xffu, 0x80000000u, 0xffffffffu});
}

TEST_CASE("Textures and surfaces by their handles in PTX") {
  Device& device = test::device();
  TextureArray array(device, DType::kFloat32, 1, {4, 2});
  array.copy_from(Array::from(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}).reshape({2, 4}),
                  stream());
  const Texture texture(array, TextureSampling{});
  const RawKernel kernel{R"(
extern "C" __global__ void f(cudaTextureObject_t t, float* out) {
  const float x = threadIdx.x % 4 + 0.5f, y = threadIdx.x / 4 + 0.5f;
  float a, b, c, d;
  asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(t), "f"(x), "f"(y));
  out[threadIdx.x] = a;
})",
                         "f"};
  const Array out = device_array(std::vector<float>(8));
  LaunchShape shape;
  shape.block = {8};
  kernel(stream(), shape, texture, out);
  CHECK(values_of<float>(out) == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
}

}  // namespace
}  // namespace kernelbatch
