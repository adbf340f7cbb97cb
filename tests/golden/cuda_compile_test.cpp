// The CUDA side of every template, compiled by the real NVRTC: needs no GPU.
#include <optional>

#include "core/base/error.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/fuse/fuse.hpp"
#include "core/kernel/fuse/parse.hpp"
#include "core/kernel/jit/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"
#include "tests/golden/recording_device.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// Compiles everything that the device was asked to compile; says so where there is no NVRTC.
class CudaCheck {
 public:
  test::RecordingDevice device;
  std::unique_ptr<Stream> stream = device.make_stream();

  Array array(DType dtype, const Shape& shape) { return Array::on_device(device, dtype, shape); }
  void compile_all() const {
    std::unique_ptr<Compiler> compiler;
    try {
      compiler = make_compiler("sm_90");
    } catch (const DeviceError& error) {
      WARN("not checked: " << error.what());
      return;
    }
    REQUIRE_FALSE(device.sources().empty());
    for (const KernelSource& source : device.sources()) {
      try {
        const Image image = compiler->compile(source);
        for (const std::string& entry : source.entries) {
          const auto found = image.symbols.find(entry);
          const std::string& symbol = found != image.symbols.end() ? found->second : entry;
          CHECK(image.bytes.find(symbol) != std::string::npos);
        }
      } catch (const CompileError& error) {
        FAIL_CHECK(error.what() << "\n" << source.text);
      }
    }
  }
};

TEST_CASE("Twins of every dtype compile for CUDA") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    CudaCheck on;
    const ElementwiseKernel add{
        {.in = "T x, T y", .out = "T z", .operation = "z = x + y", .name = "add"}};
    const ReductionKernel sum{{.in = "T x",
                               .out = "T z",
                               .map = "x",
                               .reduce = "a + b",
                               .post_map = "z = a",
                               .identity = "0",
                               .name = "sum"}};
    const Array x = on.array(dtype, {64, 48});
    const Array flat = x.reshape({64 * 48});
    for (const Twin twin : {Twin::kNoArithmetic, Twin::kNoLoads}) {
      on.stream->context().twin = twin;
      add(*on.stream, x, x);
      add(*on.stream, flat.slice(0, 1, 1000, 1), flat.slice(0, 1, 1000, 1));
      add(*on.stream, x.transpose(), x.transpose());
      sum(*on.stream, x);
    }
    CAPTURE(static_cast<int>(dtype));
    CHECK(on.device.sources().size() >= 6);
    on.compile_all();
  }
}

TEST_CASE("Elementwise loops of every dtype and layout compile for CUDA") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    CudaCheck on;
    const ElementwiseKernel kernel{
        {.in = "T x, T y", .out = "T z", .operation = "z = x + y", .name = "add"}};
    const Array x = on.array(dtype, {64, 48});
    const Array flat = x.reshape({64 * 48});
    kernel(*on.stream, x, x);
    kernel(*on.stream, flat.slice(0, 1, 1000, 1), flat.slice(0, 1, 1000, 1));
    kernel(*on.stream, x.transpose(), x.transpose());
    kernel(*on.stream, x, x.slice(0, 0, 1, 1));
    kernel(*on.stream, x, x.slice(0, 0, 1, 1).slice(1, 0, 1, 1));
    kernel(*on.stream, x, on.array(dtype, {48, 64}).transpose());
    on.compile_all();
  }
}

TEST_CASE("Elementwise texts that use every special name compile for CUDA") {
  CudaCheck on;
  ElementwiseOptions options;
  options.preamble = "__device__ float twice(float x) { return 2 * x; }";
  options.loop_prep = "float seen = 0;";
  options.after_loop = "(void)seen;";
  const ElementwiseKernel all{
      {.in = "float32 x, raw float32 r, int64 s, float16 h, bfloat16 b, complex64 c",
       .out = "float32 y, raw int32 bins",
       .operation = "if (x > 3) continue;\n"
                    "seen += _ind.size() + _ind.get()[0] + i + n + i0 + i1;\n"
                    "y = twice(x) + r[i] + r[{i0, i1}] + r(i0, i1) + s + float(h) * b + abs(c) + "
                    "min(x, 1.0f);\n"
                    "atomicAdd(&bins[i % bins.size()], 1)  // done",
       .name = "everything",
       .options = options}};
  const Array x = on.array(DType::kFloat32, {30, 40});
  all(*on.stream, x, x, 3, on.array(DType::kFloat16, {30, 40}), on.array(DType::kBFloat16, {40}),
      on.array(DType::kComplex64, {30, 40}), on.array(DType::kFloat32, {30, 40}),
      on.array(DType::kInt32, {10}));
  const ElementwiseKernel raw{{.in = "raw T x",
                               .out = "raw T y",
                               .operation = "y[i] = x[_ind.size() - 1 - i]",
                               .name = "only_raw"}};
  const Argument arguments[] = {x, x};
  raw.call(*on.stream, arguments, 20);
  const ElementwiseKernel packed{{.in = "T x",
                                  .out = "T y",
                                  .operation = "y += x + _ind.size() + _ind.get()[0]",
                                  .name = "kept"}};
  packed(*on.stream, on.array(DType::kInt16, {1000}));
  on.compile_all();
}

TEST_CASE("Kernels named as CUDA's functions compile for CUDA") {
  for (const char* name : {"norm", "max", "expf", "printf", "y1", "memcpy"}) {
    CudaCheck on;
    const Array x = on.array(DType::kFloat32, {64, 48});
    const ElementwiseKernel map{{.in = "T x", .out = "T y", .operation = "y = x", .name = name}};
    map(*on.stream, x);
    const ReductionKernel sum{{.in = "T x",
                               .out = "T y",
                               .map = "x * x",
                               .reduce = "a + b",
                               .post_map = "y = sqrt(a)",
                               .identity = "0",
                               .name = name}};
    sum(*on.stream, x);
    const FusedKernel rows(parse_fused("softmax(x, axis=1)", {"x"}), name);
    const Array inputs[] = {x};
    rows.call(*on.stream, inputs);
    on.compile_all();
  }
}

TEST_CASE("Fused rows of every schedule compile for CUDA") {
  for (const DType dtype :
       {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kInt32}) {
    CudaCheck on;
    const FusedKernel softmax(parse_fused("softmax(x, axis=1)", {"x"}));
    const FusedKernel norm(parse_fused(
        "(x - mean(x, axis=1, keepdims=True)) / std(x, axis=1, keepdims=True) * y", {"x", "y"}));
    for (const Shape& shape : {Shape{64, 8}, Shape{20000, 33}, Shape{64, 4096}, Shape{3, 40000},
                               Shape{40, 260000}, Shape{20, 1000000}}) {
      const Array x = on.array(dtype, shape), y = on.array(dtype, {shape[1]});
      const Array one[] = {x}, two[] = {x, y};
      softmax.call(*on.stream, one);
      norm.call(*on.stream, two);
    }
    const FusedKernel columns(parse_fused("x / sum(x, axis=0)", {"x"}));
    const Array one[] = {on.array(dtype, {3000, 50})};
    columns.call(*on.stream, one);
    on.compile_all();
  }
}

TEST_CASE("Loops beyond 2^31 elements compile for CUDA with 64-bit indices") {
  CudaCheck on;
  const Array one = on.array(DType::kInt8, {1, 1});
  const Array huge = one.broadcast_to({std::int64_t{1} << 20, std::int64_t{1} << 13});
  const ReductionKernel sum{{.in = "T x",
                             .out = "int64 y",
                             .map = "x",
                             .reduce = "a + b",
                             .post_map = "y = a",
                             .identity = "0",
                             .name = "huge_sum"}};
  sum(*on.stream, huge);
  sum.over({1})(*on.stream, huge);
  on.compile_all();
  CHECK_THAT(on.device.sources()[0].text, Contains("typedef long long _index;"));
}

TEST_CASE("Reductions of every dtype and schedule compile for CUDA") {
  for (std::size_t k = 0; k < kDTypeCount; ++k) {
    const auto dtype = static_cast<DType>(k);
    CudaCheck on;
    const ReductionKernel sum{{.in = "T x",
                               .out = "T y",
                               .map = "x",
                               .reduce = "a + b",
                               .post_map = "y = a",
                               .identity = "T(0)",
                               .name = "sum"}};
    const Array x = on.array(dtype, {512, 512});
    sum(*on.stream, x);
    sum.over({0})(*on.stream, x);
    sum.over({1})(*on.stream, x);
    sum.over({1})(*on.stream, x.slice(1, 0, 3, 1));
    sum.over({1})(*on.stream, x.slice(1, 1, 100, 2));
    sum.over({1})(*on.stream, on.array(dtype, {1000000, 8}));
    sum.over({0, 2})(*on.stream, on.array(dtype, {64, 8, 64}));
    on.compile_all();
  }
}

TEST_CASE("Reductions of structs of any size compile for CUDA") {
  for (const char* members : {"T value; long long at;", "T value; unsigned char tag;",
                              "unsigned char tag[3]; T value;", "double sums[20]; T value;"}) {
    CudaCheck on;
    ReductionOptions options;
    options.reduce_type = "mine";
    options.preamble = std::string("struct mine { ") + members + " };";
    const ReductionKernel kernel{{.in = "T x",
                                  .out = "T y, int64 z",
                                  .map = "mine m{}; m.value = x; return m;",
                                  .reduce = "if (a.value > b.value) return a; return b;",
                                  .post_map = "y = a.value; z = _i",
                                  .identity = std::nullopt,
                                  .name = "structs",
                                  .options = options}};
    const Array x = on.array(DType::kInt16, {512, 500});
    kernel(*on.stream, x);
    kernel.over({0})(*on.stream, x);
    kernel.over({1})(*on.stream, x);
    on.compile_all();
  }
}

TEST_CASE("Reductions that use every special name compile for CUDA") {
  CudaCheck on;
  const ReductionKernel kernel{
      {.in = "T x, T y, raw T r, int32 s",
       .out = "T z, raw float32 w",
       .map = "T(x * y + r[_J] + s + _i + _j + _in_ind.size()  // of all\n)",
       .reduce = "_type_reduce(a + b)",
       .post_map = "z = a / _out_ind.size() + s; w[_i] = float(z)",
       .identity = "1",
       .name = "everything"}};
  const Array x = on.array(DType::kFloat64, {40, 30, 20});
  const std::vector<int> order{2, 0, 1};
  kernel.over({0, 2}, true)(*on.stream, x, x.slice(1, 0, 1, 1), on.array(DType::kFloat64, {800}), 3,
                            on.array(DType::kFloat64, {1, 30, 1}), on.array(DType::kFloat32, {30}));
  kernel.over({1})(*on.stream, x.transpose(order), x.transpose(order),
                   on.array(DType::kFloat64, {800}), 3, on.array(DType::kFloat64, {20, 30}),
                   on.array(DType::kFloat32, {600}));
  on.compile_all();
}

TEST_CASE("Mathematics of every real type compiles for CUDA") {
  CudaCheck on;
  const ElementwiseKernel kernel{
      {.in = "T x",
       .out = "T y",
       .operation =
           "y = sin(x) + cos(x) + exp(x) + log1p(x) + sqrt(x) + rsqrt(x) + fabs(x) + floor(x) + "
           "pow(x, "
           "x) + "
           "atan2(x, x) + fma(x, x, x) + min(x, x) + max(x, x) + (isnan(x) ? T(1) : T(0)) + erf(x)",
       .name = "mathematics"}};
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16})
    kernel(*on.stream, on.array(dtype, {100}));
  const ElementwiseKernel complex{
      {.in = "T x",
       .out = "T y",
       .operation =
           "y = x * x / (x + T(1)) - conj(x) + exp(x) + polar(abs(x), arg(x)) + T(norm(x))",
       .name = "complex_numbers"}};
  for (const DType dtype : {DType::kComplex64, DType::kComplex128})
    complex(*on.stream, on.array(dtype, {100}));
  on.compile_all();
}

TEST_CASE("A JIT kernel's views compile for CUDA") {
  CudaCheck on;
  const JitKernel jit{R"(
template <class X, class Y, class S>
__global__ void scale(X x, Y y, S s) {
  for (long long i = kernelbatch::grid_index(); i < x.size(); i += kernelbatch::grid_size())
    y[i] = x[i] * s + N * y.shape()[0] + X::ndim;
})",
                      "scale",
                      {{{"N", std::int64_t{7}}, {"HALF", 0.5}, {"YES", true}}, {}}};
  try {
    jit(*on.stream, LaunchShape{}, on.array(DType::kFloat32, {4, 5}).transpose(),
        on.array(DType::kFloat32, {20}), 2.0f);
  } catch (const SpecError&) {
    // The recording kernel tells no parameter sizes; the source is all that is wanted.
  }
  on.compile_all();
}

}  // namespace
}  // namespace kernelbatch
