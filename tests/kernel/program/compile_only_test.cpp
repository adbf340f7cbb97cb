// Compiling without a GPU stores the entries that the GPU will look up. Needs only NVRTC.
#include "core/device/compile_only.hpp"

#include <algorithm>
#include <functional>

#include "core/base/error.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/fuse/fuse.hpp"
#include "core/kernel/jit/kernel.hpp"
#include "core/kernel/program/cache.hpp"
#include "core/kernel/program/cache_key.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/golden/recording_device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

/// A compile-only device; null, with a warning, if there is no NVRTC.
std::unique_ptr<Device> open_target(const char* target) {
  try {
    return open_compile_only(properties_of_target(target));
  } catch (const DeviceError& error) {
    WARN("not checked: " << error.what());
    return nullptr;
  }
}

/// Kernels of every kind and layout.
void use_kernels(Device& device) {
  const auto stream = device.make_stream();
  const auto array = [&](DType dtype, const Shape& shape) {
    return Array::on_device(device, dtype, shape);
  };
  const Array x = array(DType::kFloat32, {640, 480});
  const ElementwiseKernel add{
      {.in = "T x, T y", .out = "T z", .operation = "z = x + y", .name = "add"}};
  add(*stream, x, x);
  const Array after_first = x.reshape({640 * 480}).slice(0, 1, 200'000, 1);
  add(*stream, after_first, after_first);
  add(*stream, x.transpose(), x.reshape({480, 640}));
  add(*stream, x, x.slice(0, 0, 1, 1));
  const ReductionKernel sum{{.in = "T x",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  const Array large = array(DType::kFloat64, {2000, 3000});
  sum(*stream, large);
  sum.over({0})(*stream, large);
  sum.over({1})(*stream, large);
  sum.over({1})(*stream, large.slice(1, 0, 3, 1));
}

TEST_CASE("Kernels compiled for sm_90 without a GPU have an H200's keys") {
  const test::TemporaryFolder folder;
  const auto device = open_target("sm_90");
  if (!device) return;
  std::vector<std::string> wanted;
  {
    test::RecordingDevice h200;
    use_kernels(h200);
    const auto compiler = make_compiler("sm_90");
    for (const KernelSource& source : h200.sources())
      wanted.push_back(cache_key(source, *compiler));
  }
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  use_kernels(*device);
  std::vector<std::string> got;
  for (const auto& build : take_program_log(*device).builds) got.push_back(build.key);
  CHECK(got.size() == 8);
  std::ranges::sort(wanted);
  std::ranges::sort(got);
  CHECK(got == wanted);
}

TEST_CASE("The geometry of sm_90 is an H200's") {
  DeviceProperties p;
  try {
    p = properties_of_target("sm_90");
  } catch (const DeviceError& error) {
    WARN("not checked: " << error.what());
    return;
  }
  const DeviceProperties h200 = test::h200_properties();
  CHECK(p.target == h200.target);
  CHECK(p.compute_units == h200.compute_units);
  CHECK(p.capability_major == h200.capability_major);
  CHECK(p.capability_minor == h200.capability_minor);
  CHECK(p.warp_size == h200.warp_size);
  CHECK(p.max_threads_per_block == h200.max_threads_per_block);
  CHECK(p.max_threads_per_unit == h200.max_threads_per_unit);
  CHECK(p.shared_per_block == h200.shared_per_block);
  CHECK(p.shared_per_block_optin == h200.shared_per_block_optin);
  CHECK(p.shared_per_unit == h200.shared_per_unit);
  CHECK(p.loop_block == h200.loop_block);
  CHECK(p.loop_lanes == h200.loop_lanes);
  CHECK(p.loop_blocks == h200.loop_blocks);
  CHECK(p.loop_grain == h200.loop_grain);
  CHECK(p.vector_bytes == h200.vector_bytes);
  CHECK(p.streams_per_thread == h200.streams_per_thread);
  CHECK(properties_of_target("sm_90a", 60).loop_blocks == 480);
  CHECK(properties_of_target("sm_86").shared_per_block_optin == 99 * 1024);
  CHECK(test::error_text<SpecError>([] { properties_of_target("sm_70"); }) ==
        "target 'sm_70' is too old: sm_75 is the first that is supported");
  CHECK(test::error_text<SpecError>([] { properties_of_target("sm_x"); }) ==
        "unknown target 'sm_x': expected host or sm_NN");
}

/// Runs `body` on a compile-only device of both backends.
void on_each(const std::function<void(Device&, Stream&)>& body) {
  for (const char* target : {"host", "sm_90"}) {
    CAPTURE(target);
    const auto device = open_target(target);
    if (!device) continue;
    const auto stream = device->make_stream();
    body(*device, *stream);
  }
}

TEST_CASE("Arguments are checked as on a real device") {
  on_each([](Device& device, Stream& stream) {
    const RawKernel kernel{
        "struct pair { double a; char b; };\n"
        "extern \"C\" __global__ void odd(float* x, char c, pair p, short s) {}\n"
        "extern \"C\" __global__ void none() {}",
        "odd"};
    const Array x = Array::on_device(device, DType::kFloat32, {4});
    Program program({"sizes",
                     "struct pair { double a; char b; };\n"
                     "extern \"C\" __global__ void odd(float* x, char c, pair p, short s) {}\n"
                     "extern \"C\" __global__ void none() {}\n"
                     "template <class T> __global__ void of(T t) {}",
                     {"odd", "none", "of<double>"},
                     {},
                     false,
                     {}});
    const auto sizes = program.kernel(device, "odd").parameter_sizes();
    CHECK(std::vector<std::size_t>(sizes.begin(), sizes.end()) ==
          std::vector<std::size_t>{8, 1, 16, 2});
    CHECK(program.kernel(device, "none").parameter_sizes().empty());
    CHECK(program.kernel(device, "of<double>").parameter_sizes()[0] == 8);
    CHECK(test::error_text<SpecError>([&] { kernel(stream, LaunchShape{}, x); }) ==
          "kernel 'odd' takes 4 arguments, 1 were given");
  });
}

TEST_CASE("Launches do nothing, copies from the device yield zeros, memory is distinct") {
  on_each([](Device& device, Stream& stream) {
    const Array x = Array::on_device(device, DType::kInt32, {1000});
    const Array y = Array::on_device(device, DType::kInt32, {std::int64_t{1} << 33});
    CHECK(x.data() != y.data());
    CHECK(reinterpret_cast<std::uintptr_t>(x.data()) % 256 == 0);
    const RawKernel kernel{"extern \"C\" __global__ void f(int* x) { *x = 1; }", "f"};
    kernel(stream, LaunchShape{}, x);
    copy(Array::from(std::vector<int>(1000, 3)), x, stream);
    CHECK(to_host(x, stream).as<int>()[999] == 0);
  });
}

TEST_CASE("Precompiled code is inspected through its text, which is not cached") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  const auto device = open_target("sm_90");
  if (!device) return;
  const auto stream = device->make_stream();
  const EmbeddedKernel embedded{"extern \"C\" __global__ void f(int* x, double y) { *x = y; }",
                                "a fatbin that only the driver can read"};
  const RawModule module{embedded, {"f"}};
  const Array x = Array::on_device(*device, DType::kInt32, {1});
  module.function("f")(*stream, LaunchShape{}, x, 2.0);
  CHECK(test::error_text<SpecError>([&] { module.function("f")(*stream, LaunchShape{}, x); }) ==
        "kernel 'f' takes 2 arguments, 1 were given");
  CHECK(take_program_log(*device).builds.empty());
  CHECK(cache_usage(folder.path()).entries == 0);
}

}  // namespace
}  // namespace kernelbatch
