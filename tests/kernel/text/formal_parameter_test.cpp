// Parameters of a kernel, as parsed from its text.
#include "core/kernel/text/signature.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using Kind = FormalParameter::Kind;

/// The one parameter of `extern "C" __global__ void f(<text>) {}` after `before`.
FormalParameter parameter_of(const std::string& text, const std::string& before = "") {
  const auto list =
      find_parameters(before + "\nextern \"C\" __global__ void f(" + text + ") {}", "f");
  REQUIRE(list);
  REQUIRE(list->size() == 1);
  return list->front();
}

void check_type(const std::string& text, Kind kind, DType dtype) {
  INFO(text);
  const FormalParameter parameter = parameter_of(text);
  CHECK(parameter.kind == kind);
  REQUIRE(parameter.dtype);
  CHECK(*parameter.dtype == dtype);
}

TEST_CASE("Scalar types are recognized in all spellings") {
  const auto scalar = [](const std::string& text, DType dtype) {
    check_type(text, Kind::kScalar, dtype);
    check_type("const " + text, Kind::kScalar, dtype);
  };
  scalar("bool b", DType::kBool);
  scalar("char c", DType::kInt8);
  scalar("signed char c", DType::kInt8);
  scalar("unsigned char c", DType::kUInt8);
  scalar("short s", DType::kInt16);
  scalar("unsigned short int s", DType::kUInt16);
  scalar("int n", DType::kInt32);
  scalar("unsigned n", DType::kUInt32);
  scalar("unsigned int n", DType::kUInt32);
  scalar("int unsigned", DType::kUInt32);
  scalar("long n", DType::kInt64);
  scalar("long long", DType::kInt64);
  scalar("unsigned long long n", DType::kUInt64);
  scalar("size_t n", DType::kUInt64);
  scalar("std::size_t n", DType::kUInt64);
  scalar("::cuda::std::int32_t n", DType::kInt32);
  scalar("uint16_t", DType::kUInt16);
  scalar("float factor = 1.0f", DType::kFloat32);
  scalar("double d", DType::kFloat64);
  scalar("kernelbatch::float16 h", DType::kFloat16);
  scalar("__nv_bfloat16 h", DType::kBFloat16);
  scalar("complex<float> z", DType::kComplex64);
  scalar("thrust::complex<double> z", DType::kComplex128);
  scalar("cuDoubleComplex z", DType::kComplex128);
}

TEST_CASE("Pointers have the type of their elements") {
  check_type("const float* __restrict__ x", Kind::kPointer, DType::kFloat32);
  check_type("float const *x", Kind::kPointer, DType::kFloat32);
  check_type("double *const __restrict__ x", Kind::kPointer, DType::kFloat64);
  check_type("int x[]", Kind::kPointer, DType::kInt32);
  check_type("unsigned char x[16]", Kind::kPointer, DType::kUInt8);
  check_type("const /* comment */ long long * // more\n x", Kind::kPointer, DType::kInt64);
  CHECK(parameter_of("void* p").kind == Kind::kPointer);
  CHECK_FALSE(parameter_of("void* p").dtype);
  CHECK_FALSE(parameter_of("float** p").dtype);
  CHECK_FALSE(parameter_of("const float4* p").dtype);
  CHECK(parameter_of("char* p").takes(DType::kInt8));
  CHECK(parameter_of("char* p").takes(DType::kUInt8));
  CHECK_FALSE(parameter_of("signed char* p").takes(DType::kUInt8));
}

TEST_CASE("Unknown types are checked only by size") {
  CHECK(parameter_of("Thing t").kind == Kind::kUnknown);
  CHECK(parameter_of("struct Thing t").kind == Kind::kUnknown);
  CHECK(parameter_of("real x", "typedef double real;").kind == Kind::kUnknown);
  CHECK(parameter_of("half x", "typedef float half;").kind == Kind::kUnknown);
  CHECK(parameter_of("half x", "using half = double;").kind == Kind::kUnknown);
  CHECK(parameter_of("complex<float> z", "template <class T> struct complex {};").kind ==
        Kind::kUnknown);
  CHECK(parameter_of("float x", "#define float double").kind == Kind::kUnknown);
  CHECK(parameter_of("long double x").kind == Kind::kUnknown);
  const FormalParameter pointer = parameter_of("half* x", "struct half { int a; };");
  CHECK(pointer.kind == Kind::kPointer);
  CHECK_FALSE(pointer.dtype);
}

TEST_CASE("Views, mdspans, textures and surfaces are recognized") {
  const FormalParameter view = parameter_of("kernelbatch::array_view<const float, 2, true> x");
  CHECK(view.kind == Kind::kView);
  CHECK(view.dtype == DType::kFloat32);
  CHECK(view.rank == 2);
  CHECK(view.wants_contiguous);
  CHECK(view.bytes() == 48);
  CHECK_FALSE(parameter_of("array_view<int, 1> x").wants_contiguous);

  const FormalParameter span =
      parameter_of("cuda::std::mdspan<float, cuda::std::dextents<int, 3>> x");
  CHECK(span.kind == Kind::kMdspan);
  CHECK(span.rank == 3);
  CHECK(span.layout == FormalParameter::Layout::kRight);
  CHECK(span.bytes() == 24);
  const FormalParameter mixed = parameter_of(
      "cuda::std::mdspan<const double, cuda::std::extents<long long, 3, cuda::std::dynamic_extent>,"
      " cuda::std::layout_stride> x");
  CHECK(mixed.kind == Kind::kMdspan);
  CHECK(mixed.fixed == std::vector<std::int64_t>{3, -1});
  CHECK(mixed.bytes() == 8 + 8 + 16);
  CHECK(parameter_of("cuda::std::mdspan<float, cuda::std::extents<int, 1'000, 2>> x").kind !=
        Kind::kUnknown);
  CHECK(parameter_of("cuda::std::mdspan<float, MyExtents> x").kind == Kind::kUnknown);

  CHECK(parameter_of("cudaTextureObject_t t").kind == Kind::kTexture);
  CHECK(parameter_of("cudaSurfaceObject_t s").kind == Kind::kSurface);
}

TEST_CASE("A parameter is spelled as written by the user") {
  CHECK(parameter_of("const  float*x2").text == "const float* x2");
  CHECK(parameter_of("const float *\n __restrict__ x").text == "const float* __restrict__ x");
  CHECK(parameter_of("kernelbatch::array_view<const float,2,true> x").text ==
        "kernelbatch::array_view<const float, 2, true> x");
  CHECK(parameter_of("int n = 3").text == "int n");
}

TEST_CASE("The function is found among others, in any context") {
  const std::string source = R"(
#include <cuda_fp16.h>
// __global__ void scale(double wrong);
__device__ float helper(float x) { return x; }
template <class T, int N> __global__ void fx(T* x, const T a, int (&b)[N]);
extern "C" {
__global__ void __launch_bounds__(256, 2) first(float* x) { if (x) { *x = helper(1); } }
static __global__ __attribute__((used)) void second(double* y, int n) {}
}
template <typename T>
__launch_bounds__(128) __global__ void third(T* x, T a) {}
__global__ void nothing(void) {}
)";
  CHECK(find_parameters(source, "first")->size() == 1);
  CHECK(find_parameters(source, "second")->at(0).dtype == DType::kFloat64);
  CHECK(find_parameters(source, "nothing")->empty());
  CHECK_FALSE(find_parameters(source, "scale"));
  CHECK_FALSE(find_parameters(source, "helper"));
  CHECK(kernel_names(source) == std::vector<std::string>{"first", "second", "nothing"});
}

TEST_CASE("A template's arguments are substituted") {
  const std::string source =
      "namespace ns { template <typename T, class U = int, int N = 4> __global__ void fx3(const T* "
      "x, "
      "U n, T a) {} }";
  const auto list = find_parameters(source, "ns::fx3<complex<float>, unsigned long long, 8>");
  REQUIRE(list);
  CHECK(list->at(0).dtype == DType::kComplex64);
  CHECK(list->at(1).dtype == DType::kUInt64);
  CHECK(list->at(2).dtype == DType::kComplex64);
  const auto defaulted = find_parameters(source, "ns::fx3<double>");
  CHECK(defaulted->at(0).dtype == DType::kFloat64);
  CHECK(defaulted->at(1).kind == Kind::kUnknown);
  const auto pointer = find_parameters(source, "ns::fx3<float, const float*>");
  CHECK(pointer->at(1).kind == Kind::kPointer);
  CHECK(pointer->at(1).dtype == DType::kFloat32);
}

TEST_CASE("A function declared twice with different parameters is ignored") {
  CHECK_FALSE(find_parameters(
      "#if A\n__global__ void f(float* x) {}\n#else\n__global__ void f(double* x) {}\n#endif",
      "f"));
  CHECK(find_parameters("__global__ void f(float* x);\n__global__ void f(float* x) {}", "f"));
}

TEST_CASE("A rank out of range is ignored") {
  for (const char* rank : {"33", "-1", "1000000000000"}) {
    CHECK(parameter_of("kernelbatch::array_view<float, " + std::string(rank) + "> x").kind ==
          Kind::kUnknown);
    CHECK(parameter_of("cuda::std::mdspan<float, cuda::std::dextents<int, " + std::string(rank) +
                       ">> x")
              .kind == Kind::kUnknown);
  }
  CHECK(parameter_of("kernelbatch::array_view<float, 32> x").rank == 32);
}

}  // namespace
}  // namespace kernelbatch
