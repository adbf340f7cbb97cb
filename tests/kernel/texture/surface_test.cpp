// Surfaces: written by kernels, read back by copies, textures and kernels.
#include "core/base/error.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "core/kernel/texture/texture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device;
using test::device_array;
using test::stream;
using test::values_of;

TEST_CASE("Texels that a kernel writes to a surface can be copied out") {
  const RawKernel kernel{R"(
extern "C" __global__ void write(cudaSurfaceObject_t s) {
  surf2Dwrite(float(10 * threadIdx.y + threadIdx.x), s, int(threadIdx.x * sizeof(float)), threadIdx.y);
})",
                         "write"};
  TextureArray array(device(), DType::kFloat32, 1, {4, 2});
  kernel(stream(), {.block = {4, 2}}, Surface(array));
  const Array host = Array::on_host(DType::kFloat32, {2, 4});
  array.copy_to(host, stream());
  const auto got = host.as<float>();
  CHECK(std::vector(got.begin(), got.end()) == std::vector<float>{0, 1, 2, 3, 10, 11, 12, 13});
  const Array on_device = device_array(std::vector<float>(8), {2, 4});
  array.copy_to(on_device, stream());
  CHECK(values_of<float>(on_device) == std::vector<float>{0, 1, 2, 3, 10, 11, 12, 13});
}

TEST_CASE("A surface is read and written in 1, 2 and 3 axes") {
  const RawKernel kernel{R"(
extern "C" __global__ void twice(cudaSurfaceObject_t one, cudaSurfaceObject_t two,
                                 cudaSurfaceObject_t three) {
  for (int x = 0; x < 4; ++x) {
    surf1Dwrite(2 * surf1Dread<int>(one, 4 * x), one, 4 * x);
    for (int y = 0; y < 2; ++y) {
      int value;
      surf2Dread(&value, two, 4 * x, y);
      surf2Dwrite(3 * value, two, 4 * x, y);
      for (int z = 0; z < 3; ++z)
        surf3Dwrite(4 * surf3Dread<int>(three, 4 * x, y, z), three, 4 * x, y, z);
    }
  }
})",
                         "twice"};
  TextureArray one(device(), DType::kInt32, 1, {4});
  TextureArray two(device(), DType::kInt32, 1, {4, 2});
  TextureArray three(device(), DType::kInt32, 1, {4, 2, 3});
  one.copy_from(Array::from(counting<int>(4)), stream());
  two.copy_from(Array::from(counting<int>(8)).reshape({2, 4}), stream());
  three.copy_from(Array::from(counting<int>(24)).reshape({3, 2, 4}), stream());
  kernel(stream(), {}, Surface(one), Surface(two), Surface(three));
  const auto check = [](const TextureArray& array, int factor) {
    const Array host = Array::on_host(DType::kInt32, array.shape());
    array.copy_to(host, stream());
    bool all_right = true;
    for (std::int64_t k = 0; k < host.size(); ++k)
      all_right =
          all_right && host.as<int>()[static_cast<std::size_t>(k)] == factor * static_cast<int>(k);
    CHECK(all_right);
  };
  check(one, 2);
  check(two, 3);
  check(three, 4);
}

TEST_CASE("Beyond the edge a surface clamps or is zero, as requested") {
  const RawKernel kernel{R"(
extern "C" __global__ void edges(cudaSurfaceObject_t s, int* out) {
  out[0] = surf1Dread<int>(s, -4, cudaBoundaryModeZero);
  out[1] = surf1Dread<int>(s, 16, cudaBoundaryModeClamp);
  out[2] = surf1Dread<int>(s, -8, cudaBoundaryModeClamp);
  surf1Dwrite(77, s, 400, cudaBoundaryModeZero);
})",
                         "edges"};
  TextureArray array(device(), DType::kInt32, 1, {4});
  array.copy_from(Array::from(counting<int>(4, 1)), stream());
  const Array out = device_array(std::vector<int>(3, -1));
  kernel(stream(), {}, Surface(array), out);
  CHECK(values_of<int>(out) == std::vector<int>{0, 4, 1});
}

TEST_CASE("Texels written to a surface as float4 are sampled by a later kernel's texture") {
  const RawModule module{R"(
extern "C" __global__ void write(cudaSurfaceObject_t s) {
  const float k = threadIdx.x;
  surf2Dwrite(make_float4(k, 10 * k, 100 * k, 1), s, int(threadIdx.x * sizeof(float4)), 0);
}
extern "C" __global__ void read(cudaTextureObject_t t, float* out) {
  float4 a;
  tex2D(&a, t, 2.0f, 0.5f);
  out[0] = a.x; out[1] = a.y; out[2] = a.z; out[3] = a.w;
}
)"};
  TextureArray array(device(), DType::kFloat32, 4, {4, 1});
  TextureSampling how;
  how.filter = TextureFilter::kLinear;
  const Surface surface(array);
  const Texture texture(array, how);
  const Array out = device_array(std::vector<float>(4));
  module.function("write")(stream(), {.block = {4}}, surface);
  module.function("read")(stream(), {}, texture, out);
  CHECK(values_of<float>(out) == std::vector<float>{1.5f, 15, 150, 1});
}

}  // namespace
}  // namespace kernelbatch
