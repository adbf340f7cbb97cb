// Textures: results of every address, filter and read mode, in raw and elementwise kernels.
// Expected values follow the formulae of the CUDA programming guide.
#include "core/kernel/texture/texture.hpp"

#include "core/base/error.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::counting;
using test::device;
using test::device_array;
using test::stream;
using test::values_of;

using Floats = std::vector<float>;

TextureSampling sampling(TextureFilter filter, TextureAddress address, bool is_normalized) {
  TextureSampling sampling;
  sampling.filter = filter;
  sampling.address = {address, address, address};
  sampling.is_normalized = is_normalized;
  return sampling;
}

const RawModule& fetch() {
  static const RawModule module{R"(
extern "C" __global__ void fetch1(cudaTextureObject_t t, const float* x, float* out, int n) {
  for (int k = 0; k < n; ++k) out[k] = tex1D<float>(t, x[k]);
}
extern "C" __global__ void fetch2(cudaTextureObject_t t, const float* x, const float* y, float* out,
                                  int n) {
  for (int k = 0; k < n; ++k) out[k] = tex2D<float>(t, x[k], y[k]);
}
extern "C" __global__ void fetch3(cudaTextureObject_t t, const float* x, float* out, int n) {
  for (int k = 0; k < n; ++k) out[k] = tex3D<float>(t, x[3 * k], x[3 * k + 1], x[3 * k + 2]);
}
extern "C" __global__ void linear(cudaTextureObject_t t, float* out, int first, int n) {
  for (int k = 0; k < n; ++k) out[k] = tex1Dfetch<float>(t, first + k);
}
)"};
  return module;
}

/// tex1D of 10, 20, 30, 40 at every x.
Floats fetch1(const TextureSampling& how, const Floats& x) {
  TextureArray array(device(), DType::kFloat32, 1, {4});
  array.copy_from(Array::from(Floats{10, 20, 30, 40}), stream());
  const Texture texture(array, how);
  const Array out = device_array(Floats(x.size()));
  fetch().function("fetch1")(stream(), {}, texture, device_array(x), out,
                             static_cast<int>(x.size()));
  return values_of<float>(out);
}

TEST_CASE("Point sampling takes the texel that contains the coordinate") {
  const TextureSampling how = sampling(TextureFilter::kPoint, TextureAddress::kClamp, false);
  CHECK(fetch1(how, {-3, 0, 0.5f, 1, 1.75f, 3.5f, 4, 9}) == Floats{10, 10, 10, 20, 20, 40, 40, 40});
}

TEST_CASE("Linear sampling weighs the neighbours of the coordinate minus a half") {
  const TextureSampling how = sampling(TextureFilter::kLinear, TextureAddress::kClamp, false);
  CHECK(fetch1(how, {0, 0.5f, 1, 1.25f, 2.5f, 3.75f, 9}) == Floats{10, 10, 15, 17.5f, 30, 40, 40});
}

TEST_CASE("Linear weights have 8 fractional bits") {
  const TextureSampling how = sampling(TextureFilter::kLinear, TextureAddress::kClamp, false);
  // 1/256 is one step, a tenth of it is none.
  const Floats got = fetch1(how, {1.5f + 1.0f / 256, 1.5f + 0.1f / 256});
  CHECK(got[0] == 20 + 10.0f / 256);
  CHECK(got[1] == 20);
}

TEST_CASE("Beyond the edge a border is zero") {
  const auto point = sampling(TextureFilter::kPoint, TextureAddress::kBorder, false);
  CHECK(fetch1(point, {-0.5f, 0.5f, 3.5f, 4.5f}) == Floats{0, 10, 40, 0});
  const auto linear = sampling(TextureFilter::kLinear, TextureAddress::kBorder, false);
  CHECK(fetch1(linear, {0, 4, 5}) == Floats{5, 20, 0});
}

TEST_CASE("A border has its colour") {
  TextureSampling how = sampling(TextureFilter::kPoint, TextureAddress::kBorder, false);
  how.border = {7, 0, 0, 0};
  CHECK(fetch1(how, {-0.5f, 0.5f, 4.5f}) == Floats{7, 10, 7});
}

TEST_CASE("Normalized coordinates wrap around or mirror") {
  const auto wrap = sampling(TextureFilter::kPoint, TextureAddress::kWrap, true);
  CHECK(fetch1(wrap, {0.125f, 0.875f, 1.125f, -0.125f, 2.375f}) == Floats{10, 40, 10, 40, 20});
  const auto mirror = sampling(TextureFilter::kPoint, TextureAddress::kMirror, true);
  CHECK(fetch1(mirror, {0.125f, 0.875f, 1.125f, -0.125f, 1.875f}) == Floats{10, 40, 40, 10, 10});
  const auto clamp = sampling(TextureFilter::kPoint, TextureAddress::kClamp, true);
  CHECK(fetch1(clamp, {-0.5f, 0.625f, 1.5f}) == Floats{10, 30, 40});
  const auto smooth = sampling(TextureFilter::kLinear, TextureAddress::kWrap, true);
  CHECK(fetch1(smooth, {0, 0.25f, 1}) == Floats{25, 15, 25});
}

TEST_CASE("A texture of two axes samples both") {
  TextureArray array(device(), DType::kFloat32, 1, {4, 3});
  array.copy_from(device_array(counting<float>(12), {3, 4}), stream());
  const auto fetch2 = [&](TextureFilter filter, const Floats& x, const Floats& y) {
    const Texture texture(array, sampling(filter, TextureAddress::kClamp, false));
    const Array out = device_array(Floats(x.size()));
    fetch().function("fetch2")(stream(), {}, texture, device_array(x), device_array(y), out,
                               static_cast<int>(x.size()));
    return values_of<float>(out);
  };
  CHECK(fetch2(TextureFilter::kPoint, {0, 2.5f, 9}, {0, 1.5f, 9}) == Floats{0, 6, 11});
  CHECK(fetch2(TextureFilter::kLinear, {1, 2, 2.5f}, {1, 1.5f, 2}) == Floats{2.5f, 5.5f, 8});
}

TEST_CASE("A texture of three axes samples all") {
  TextureArray array(device(), DType::kFloat32, 1, {4, 3, 2});
  array.copy_from(Array::from(counting<float>(24)).reshape({2, 3, 4}), stream());
  const Floats at{0.5f, 0.5f, 0.5f, 2.5f, 1.5f, 1.5f, 1, 1, 1};
  const auto fetch3 = [&](TextureFilter filter) {
    const Texture texture(array, sampling(filter, TextureAddress::kClamp, false));
    const Array out = device_array(Floats(3));
    fetch().function("fetch3")(stream(), {}, texture, device_array(at), out, 3);
    return values_of<float>(out);
  };
  CHECK(fetch3(TextureFilter::kPoint) == Floats{0, 18, 17});
  CHECK(fetch3(TextureFilter::kLinear) == Floats{0, 18, 0.5f * (0 + 17)});
}

TEST_CASE("Linear memory is fetched by index, and is zero beyond its ends") {
  const Array memory = device_array(counting<float>(6, 1));
  const Texture texture(memory);
  const Array out = device_array(Floats(9, -1));
  fetch().function("linear")(stream(), {}, texture, out, -1, 9);
  CHECK(values_of<float>(out) == Floats{0, 1, 2, 3, 4, 5, 6, 0, 0});
}

TEST_CASE("Pitched memory is sampled in two axes") {
  // Rows of 5 texels, 64 floats apart.
  const Array memory = device_array(counting<float>(4 * 64), {4, 64});
  const Texture texture(memory.slice(1, 0, 5, 1), 1,
                        sampling(TextureFilter::kLinear, TextureAddress::kClamp, false));
  const Array out = device_array(Floats(3));
  fetch().function("fetch2")(stream(), {}, texture, device_array<float>({0.5f, 2, 99}),
                             device_array<float>({0.5f, 1.5f, 99}), out, 3);
  CHECK(values_of<float>(out) == Floats{0, 64 + 1.5f, 3 * 64 + 4});
}

TEST_CASE("Bytes and shorts are read as integers or as normalized floats") {
  const RawKernel plain{
      "extern \"C\" __global__ void f(cudaTextureObject_t t, unsigned char* out) {"
      "  for (int k = 0; k < 3; ++k) out[k] = tex1D<unsigned char>(t, k + 0.5f); }",
      "f"};
  TextureArray bytes(device(), DType::kUInt8, 1, {3});
  bytes.copy_from(Array::from(std::vector<std::uint8_t>{0, 51, 255}), stream());
  const Array out = device_array(std::vector<std::uint8_t>(3));
  plain(stream(), {}, Texture(bytes), out);
  CHECK(values_of<std::uint8_t>(out) == std::vector<std::uint8_t>{0, 51, 255});

  TextureSampling how;
  how.read = TextureRead::kNormalizedFloat;
  const Array real = device_array(Floats(4));
  const Array x = device_array<float>({0.5f, 1.5f, 2.5f, 3.5f});
  fetch().function("fetch1")(stream(), {}, Texture(bytes, how), x, real, 3);
  const Floats got = values_of<float>(real);
  CHECK(got[0] == 0);
  CHECK(got[1] == Approx(0.2));
  CHECK(got[2] == 1);

  TextureArray shorts(device(), DType::kInt16, 1, {4});
  shorts.copy_from(Array::from(std::vector<std::int16_t>{0, 32767, -32767, -32768}), stream());
  fetch().function("fetch1")(stream(), {}, Texture(shorts, how), x, real, 4);
  CHECK(values_of<float>(real) == Floats{0, 1, -1, -1});
}

TEST_CASE("Integers of 32 bits and float16 are texels too") {
  const RawKernel ints{
      "extern \"C\" __global__ void f(cudaTextureObject_t t, int* out) {"
      "  for (int k = 0; k < 2; ++k) out[k] = tex1D<int>(t, k + 0.5f); }",
      "f"};
  TextureArray array(device(), DType::kInt32, 1, {2});
  array.copy_from(Array::from(std::vector<int>{-2147483647, 123456789}), stream());
  const Array out = device_array(std::vector<int>(2));
  ints(stream(), {}, Texture(array), out);
  CHECK(values_of<int>(out) == std::vector<int>{-2147483647, 123456789});

  TextureArray halves(device(), DType::kFloat16, 1, {2});
  halves.copy_from(
      Array::from(std::vector<Float16>{from_float<Float16>(1.5f), from_float<Float16>(-2)}),
      stream());
  const Array real = device_array(Floats(2));
  fetch().function("fetch1")(stream(), {}, Texture(halves), device_array<float>({0.5f, 1.5f}), real,
                             2);
  CHECK(values_of<float>(real) == Floats{1.5f, -2});
}

TEST_CASE("A texel has up to four channels") {
  const RawKernel kernel{R"(
extern "C" __global__ void f(cudaTextureObject_t t, float* out) {
  const float4 a = tex2D<float4>(t, 1.0f, 0.5f);
  out[0] = a.x; out[1] = a.y; out[2] = a.z; out[3] = a.w;
})",
                         "f"};
  TextureArray array(device(), DType::kFloat32, 4, {2, 1});
  array.copy_from(Array::from(Floats{1, 2, 3, 4, 3, 4, 5, 6}).reshape({1, 2, 4}), stream());
  const Array out = device_array(Floats(4));
  kernel(stream(), {},
         Texture(array, sampling(TextureFilter::kLinear, TextureAddress::kClamp, false)), out);
  CHECK(values_of<float>(out) == Floats{2, 3, 4, 5});

  const RawKernel pairs{
      "extern \"C\" __global__ void f(cudaTextureObject_t t, int* out) {"
      "  uchar2 a; a = tex1Dfetch<uchar2>(t, 1); out[0] = a.x; out[1] = a.y; }",
      "f"};
  const Array ints = device_array(std::vector<int>(2));
  pairs(stream(), {}, Texture(device_array<std::uint8_t>({1, 2, 200, 255}), 2), ints);
  CHECK(values_of<int>(ints) == std::vector<int>{200, 255});
}

TEST_CASE("A texture may be a parameter of an elementwise kernel, under its own placeholder") {
  TextureArray array(device(), DType::kFloat32, 1, {4, 3});
  array.copy_from(Array::from(counting<float>(12)).reshape({3, 4}), stream());
  const Texture texture(array);
  const ElementwiseKernel kernel{{.in = "T x, T y, U tex",
                                  .out = "T z",
                                  .operation = "z = tex2D<float>(tex, x, y)",
                                  .name = "look_up"}};
  const Array x = device_array<float>({0.5f, 1.5f, 3.5f});
  const Array y = device_array<float>({0.5f, 2.5f, 1.5f});
  CHECK(values_of<float>(kernel(stream(), x, y, texture)[0]) == Floats{0, 9, 7});
}

TEST_CASE("A texture argument in an unsuitable place is an error") {
  TextureArray array(device(), DType::kFloat32, 1, {4});
  const Texture texture(array);
  const Array x = device_array<float>({0});
  const auto error = [&](const char* in, const auto&... arguments) {
    return test::error_text<SpecError>([&] {
      ElementwiseKernel({.in = in, .out = "float32 z", .operation = "z = 0", .name = "f"})(
          stream(), arguments...);
    });
  };
  CHECK(error("T x, T tex", x, texture) ==
        "parameter 'tex' was given a texture and needs a placeholder of its own: 'T' is also the "
        "type of 'x'");
  CHECK(error("T x, float32 tex", x, texture) ==
        "parameter 'tex' was given a texture: declare it by a placeholder of its own, as in 'U "
        "tex'");
  const ReductionKernel sum{{.in = "T x, U tex",
                             .out = "T y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "sum"}};
  CHECK(test::error_text<SpecError>([&] { sum(stream(), x, texture); }) ==
        "argument 'tex' of 'sum' is a texture, which a reduction cannot take: use "
        "ElementwiseKernel or RawKernel");
  const auto launch_error = [&](const auto&... arguments) {
    return test::error_text<SpecError>(
        [&] { fetch().function("linear")(stream(), {}, arguments...); });
  };
  CHECK(
      launch_error(x, x, 0, 1) ==
      "argument 1 of 'linear' is an array of float32, the parameter 'cudaTextureObject_t t' takes "
      "a texture");
  CHECK(launch_error(Surface(array), x, 0, 1) ==
        "argument 1 of 'linear' is a surface, the parameter 'cudaTextureObject_t t' takes a "
        "texture");
  CHECK(launch_error(texture, texture, 0, 1) ==
        "argument 2 of 'linear' is a texture, the parameter 'float* out' takes an array of "
        "float32");
}

TEST_CASE("Unsupported textures and sampling are errors") {
  const auto array_error = [](DType dtype, int channels, const TextureExtent& extent) {
    return test::error_text<SpecError>([&] { TextureArray(device(), dtype, channels, extent); });
  };
  CHECK(array_error(DType::kFloat64, 1, {4}) ==
        "a texture cannot hold float64: its elements are integers of 8, 16 or 32 bits, float16 or "
        "float32");
  CHECK(array_error(DType::kFloat32, 3, {4}) == "a texel has 1, 2 or 4 channels, not 3");
  CHECK(array_error(DType::kFloat32, 1, {4, 0, 2}) ==
        "texture memory of width 4, height 0 and depth 2: width must not be 0, nor height if "
        "there is a depth");
  const auto texture_error = [](DType dtype, const TextureSampling& how) {
    return test::error_text<SpecError>(
        [&] { Texture(TextureArray(device(), dtype, 1, {4}), how); });
  };
  CHECK(texture_error(DType::kFloat32,
                      sampling(TextureFilter::kPoint, TextureAddress::kWrap, false)) ==
        "address mode wrap needs normalized coordinates");
  CHECK(texture_error(DType::kInt32,
                      sampling(TextureFilter::kLinear, TextureAddress::kClamp, false)) ==
        "a linear filter needs floating-point texels, or integers read as normalized floats");
  TextureSampling how;
  how.read = TextureRead::kNormalizedFloat;
  CHECK(texture_error(DType::kInt32, how) ==
        "only integers of 8 and 16 bits can be read as normalized floats");
  const Array cube = device_array(counting<float>(8), {2, 2, 2});
  CHECK(test::error_text<SpecError>([&] { Texture{cube}; }) ==
        "a texture of plain memory takes an array on the device with one or two axes and "
        "contiguous rows, not shape (2, 2, 2) with strides (16, 8, 4)");
  CHECK(test::error_text<SpecError>([&] {
          Texture(device_array<float>({1, 2, 3}), 2);
        }) == "rows of 3 elements are no whole number of texels of 2 channels");
  TextureArray array(device(), DType::kFloat32, 2, {4, 3});
  CHECK(array.shape() == Shape{3, 8});
  CHECK(test::error_text<SpecError>(
            [&] { array.copy_from(Array::from(counting<float>(24)), stream()); }) ==
        "texture memory of float32 in shape (3, 8) cannot be copied from or to float32 in shape "
        "(24,): it takes a contiguous array of that dtype and shape on the host or its own device");
}

TEST_CASE("Filled texture memory is listed once each while its run lists it") {
  TextureArray before(device(), DType::kFloat32, 1, {4}), a = before;
  before.copy_from(Array::from(Floats{1, 2, 3, 4}), stream());
  const FilledTextures filled(stream().context());
  CHECK(filled.list().empty());
  TextureArray b(device(), DType::kFloat32, 1, {3});
  a.copy_from(Array::from(Floats{5, 6, 7, 8}), stream());
  b.copy_from(device_array(Floats{1, 2, 3}), stream());
  // The same memory through another object.
  before.copy_from(Array::from(Floats{9, 6, 7, 8}), stream());
  REQUIRE(filled.list().size() == 2);
  const Array host = Array::on_host(DType::kFloat32, {4});
  filled.list()[0]->copy_to(host.data(), Copy::kToHost, stream());
  stream().synchronize();
  CHECK(values_of<float>(host) == Floats{9, 6, 7, 8});
  CHECK(filled.list()[1]->extent().width == 3);
}

}  // namespace
}  // namespace kernelbatch
