// Counting of instructions in NVRTC's output: needs no GPU.
#include <memory>
#include <optional>

#include "core/base/error.hpp"
#include "core/device/capture.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/program/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/cuda_compiler.hpp"

namespace kernelbatch {
namespace {

/// Kernels for a target, as a run would load them. Nothing if NVRTC is missing.
class Code {
 public:
  explicit Code(const std::string& target)
      : device_(open_compile_only(properties_of_target(target))) {}

  InstructionMix of(const std::string& body, const std::string& parameters = "float* a, int n") {
    KernelSource source;
    source.name = "k";
    source.text = "extern \"C\" __global__ void k(" + parameters +
                  ") { const int i = threadIdx.x; (void)i; " + body + " }\n";
    source.entries = {"k"};
    source.has_plain_names = true;
    Program program(source);
    const auto mix = program.module(*device_).instruction_mix("k");
    REQUIRE(mix.has_value());
    return *mix;
  }

 private:
  std::unique_ptr<Device> device_;
};

std::optional<Code> code_for(const std::string& target) {
  try {
    return Code(target);
  } catch (const DeviceError& error) {
    WARN("not checked: " << error.what());
    return std::nullopt;
  }
}

/// Architectures with different encodings of branches.
const char* const kTargets[] = {"sm_80", "sm_90", "sm_100"};

TEST_CASE("Loads and stores of machine code have bytes") {
  const auto compiler = test::cuda_compiler();
  if (!compiler) return;
  KernelSource source;
  source.text =
      "extern \"C\" __global__ void k(double* a, short* b, float4* c) { a[7] = b[threadIdx.x]; "
      "c[1] = c[threadIdx.x + 2]; }";
  source.entries = {"k"};
  const std::string cubin = compiler->compile(source).bytes;
  const MachineCodeUse use = machine_code_use(cubin, "k");
  CHECK(use.access_bytes == std::vector<unsigned>{2, 8, 16});
  CHECK_FALSE(use.has_textures);
  CHECK(machine_code_use(cubin, "other").access_bytes.empty());
  CHECK(machine_code_use("no cubin", "k").access_bytes.empty());
}

TEST_CASE("Textures and surfaces are found in machine code") {
  for (const char* const target : kTargets) {
    const auto compiler = test::cuda_compiler(target);
    if (!compiler) return;
    for (const char* const body :
         {"y[n] = tex1D<float>(t, x);", "y[n] = tex1Dfetch<float>(t, n);",
          "y[n] = tex2Dgather<float4>(t, x, x, 1).x;", "y[n] = tex2DLod<float>(t, x, x, x);",
          "y[n] = tex2DGrad<float>(t, x, x, float2{x, x}, float2{x, x});",
          "y[n] = surf2Dread<float>(s, n, n);", "surf2Dwrite(x, s, n, n);",
          "asm volatile(\"sured.b.2d.add.u32.clamp [%0, {%1, %2}], %3;\" ::\"l\"(s), \"r\"(n), "
          "\"r\"(n), \"r\"(n));",
          "asm(\"txq.width.b32 %0, [%1];\" : \"=r\"(n) : \"l\"(t)); y[0] = n;"}) {
      CAPTURE(target, body);
      const std::string text =
          "extern \"C\" __global__ void k(unsigned long long t, unsigned long long s, float* y, "
          "int n, float x) { " +
          std::string(body) + " }";
      const std::string cubin = compiler->compile(test::source_of(text, {"k"})).bytes;
      CHECK(machine_code_use(cubin, "k").has_textures);
    }
  }
}

double count(const InstructionMix& mix, InstructionKind kind) { return mix[kind]; }

using enum InstructionKind;

TEST_CASE("Each instruction is counted by its kind") {
  for (const char* target : kTargets) {
    auto code = code_for(target);
    if (!code) return;
    CAPTURE(target);
    CHECK(count(code->of("a[i] = fmaf(a[i], a[i + 99], a[i + 999]);"), kFloat32) == 1);
    CHECK(count(code->of("a[i] = a[i] * a[i + 99];"), kFloat32) == 1);
    const InstructionMix loads = code->of("a[i] = a[i + 99];");
    CHECK(count(loads, kGlobalLoad) == 1);
    CHECK(count(loads, kGlobalStore) == 1);
    CHECK(count(loads, kFloat32) == 0);
    CHECK(count(code->of("a[i] = fma(a[i], a[i + 9], a[i + 99]);", "double* a"), kFloat64) == 1);
    CHECK(count(code->of("a[i] = __sinf(a[i]);"), kSpecial) == 1);
    CHECK(count(code->of("atomicAdd(a + i % n, 1.5f + a[i]);"), kGlobalAtomic) == 1);
    CHECK(count(code->of("a[i] = atomicAdd(a + i % n, a[i + 9]);", "int* a, int n"),
                kGlobalAtomic) == 1);
    CHECK(count(code->of("a[i] = __shfl_down_sync(~0u, a[i], 1);"), kShuffle) == 1);
    const InstructionMix shared =
        code->of("__shared__ float s[64]; s[i] = a[i]; __syncthreads(); a[i] = s[i ^ n];");
    CHECK(count(shared, kShared) == 2);
    CHECK(count(shared, kBarrier) == 1);
    CHECK(count(code->of("__shared__ int s[64]; s[i] = 0; __syncthreads(); a[i] = atomicAdd(s + i "
                         "% n, a[i + 9]);",
                         "int* a, int n"),
                kSharedAtomic) == 1);
  }
}

TEST_CASE("Moving constants with half-precision instructions is not counted as arithmetic") {
  auto code = code_for("sm_90");
  if (!code) return;
  // ptxas creates constants with HFMA2.MMA here.
  CHECK(count(code->of("a[i] = a[i] < a[i + 9] ? 5 : 9;"), kFloat16) == 0);
  CHECK(count(code->of("asm(\"fma.rn.f16x2 %0, %0, %0, %0;\" : \"+r\"(a[i]));", "unsigned* a"),
              kFloat16) == 1);
}

TEST_CASE("Local memory is detected, whatever spills to it") {
  auto code = code_for("sm_90");
  if (!code) return;
  const InstructionMix mix = code->of(
      "volatile float t[64]; for (int k = 0; k < 64; ++k) t[(k * n) & 63] = a[k]; a[i] = t[n & "
      "63];");
  CHECK(count(mix, kLocal) >= 64);
}

TEST_CASE("Instructions in loops weigh more, in each loop") {
  for (const char* target : kTargets) {
    auto code = code_for(target);
    if (!code) return;
    CAPTURE(target);
    const InstructionMix mix = code->of(R"(
      float s = a[i];
#pragma unroll 1
      for (int k = 0; k < n; ++k) {
        s *= a[k];
#pragma unroll 1
        for (int j = 0; j < k; ++j) s = fmaf(s, s, 1.5f);
      }
      a[i] = s;)");
    CHECK(count(mix, kFloat32) == kLoopWeight + kLoopWeight * kLoopWeight);
    CHECK(count(mix, kGlobalLoad) == 1 + kLoopWeight);
    CHECK(count(mix, kGlobalStore) == 1);
  }
}

TEST_CASE("Bytes of loads and stores and loops are counted") {
  for (const char* target : kTargets) {
    auto code = code_for(target);
    if (!code) return;
    CAPTURE(target);
    const auto moved = [&](const std::string& type) {
      return code->of("a[i] = a[i + 99];", type + "* a").global_bytes;
    };
    CHECK(moved("unsigned char") == 2);
    CHECK(moved("unsigned short") == 4);
    CHECK(moved("float") == 8);
    CHECK(moved("double") == 16);
    CHECK(moved("float4") == 32);
    const InstructionMix mix = code->of(R"(
      __shared__ double s[64];
      s[i] = a[i];
      __syncthreads();
#pragma unroll 1
      for (int k = 0; k < n; ++k) a[i + k] = s[(i + k) % 64];)",
                                        "double* a, int n");
    CHECK(mix.loops == 1);
    CHECK(mix.global_bytes == 8 + kLoopWeight * 8);
    CHECK(mix.shared_bytes == 8 + kLoopWeight * 8);
    CHECK(code->of("a[i] = a[i + 99];").loops == 0);
  }
}

TEST_CASE("Reconvergence of diverged threads is counted") {
  auto code = code_for("sm_90");
  if (!code) return;
  const InstructionMix mix = code->of(
      "if (a[i] > 5) { _Pragma(\"unroll 1\") for (int k = 0; k < a[i]; ++k) a[i + 64] *= 3; }");
  CHECK(count(mix, kReconverge) > 0);
  CHECK(count(code->of("a[i] = 1;"), kReconverge) == 0);
}

TEST_CASE("Nothing is counted for bytes that are not a kernel") {
  auto code = code_for("sm_90");
  if (!code) return;
  KernelSource source;
  source.name = "k";
  source.text = "extern \"C\" __global__ void k() {}\n";
  source.entries = {"k"};
  source.has_plain_names = true;
  Program program(source);
  const auto device = open_compile_only(properties_of_target("sm_90"));
  CHECK_FALSE(program.module(*device).instruction_mix("other").has_value());
}

}  // namespace
}  // namespace kernelbatch
