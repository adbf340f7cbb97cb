// matmul by cuBLAS, opened at run time.
#include "core/workload/vendor_library.hpp"
#include "plugins/matmul/matmul.hpp"

namespace kernelbatch::workloads::matmul {
namespace {

template <class T>
using Gemm = int(void*, int, int, int, int, int, const T*, const void*, int, const void*, int,
                 const T*, void*, int);
using GemmEx = int(void*, int, int, int, int, int, const void*, const void*, int, int, const void*,
                   int, int, const void*, void*, int, int, int, int);

class Blas {
 public:
  Blas(const Device& device, Stream& stream)
      : library_(device, "cuBLAS", {"libcublas.so.13", "libcublas.so.12"}) {
    library_.require(library_.find<int(void**)>("cublasCreate_v2")(&handle_), "cublasCreate");
    library_.require(
        library_.find<int(void*, void*)>("cublasSetStream_v2")(handle_, stream.native()),
        "cublasSetStream");
    // CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION: partial sums are added in float32.
    library_.require(library_.find<int(void*, int)>("cublasSetMathMode")(handle_, 16),
                     "cublasSetMathMode");
  }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  ~Blas() { library_.find<int(void*)>("cublasDestroy_v2")(handle_); }

  // cuBLAS is column-major, so it sees the transposed matrices, and (AB)' = B'A'.
  template <class T>
  void multiply(const Matmul& in, const Array& a, const Array& b, const Array& c) const {
    const int m = static_cast<int>(in.m()), n = static_cast<int>(in.n()),
              k = static_cast<int>(in.k());
    if constexpr (ReducedFloat<T>) {
      constexpr int kType = std::is_same_v<T, Float16> ? 2 : 14;  // CUDA_R_16F, CUDA_R_16BF
      constexpr int kComputeFloat32 = 68, kDefault = -1;
      const float one = 1, zero = 0;
      library_.require(library_.find<GemmEx>("cublasGemmEx")(
                           handle_, 0, 0, n, m, k, &one, b.data(), kType, n, a.data(), kType, k,
                           &zero, c.data(), kType, n, kComputeFloat32, kDefault),
                       "gemmEx");
    } else {
      constexpr bool kIsSingle = sizeof(T) == sizeof(float);
      auto* const gemm = library_.find<Gemm<T>>(kIsSingle ? "cublasSgemm_v2" : "cublasDgemm_v2");
      const T one = 1, zero = 0;
      library_.require(
          gemm(handle_, 0, 0, n, m, k, &one, b.data(), n, a.data(), k, &zero, c.data(), n), "gemm");
    }
  }

 private:
  VendorLibrary library_;
  void* handle_ = nullptr;
};

}  // namespace

static Work library(const Matmul& in, Run& run) {
  auto blas = std::make_unique<Blas>(run.device(), run.stream());
  const auto a = run.to_device(in.a);
  const auto b = run.to_device(in.b);
  const auto c = run.output("c");

  return dispatch_matmul(c.dtype(), [&](auto zero) -> Work {
    using T = decltype(zero);
    return [=, &in, blas = std::move(blas)](Stream&) { blas->multiply<T>(in, a, b, c); };
  });
}
static const Variant kLibrary{"library", VariantKind::kLibrary, "cuBLAS", library};

}  // namespace kernelbatch::workloads::matmul
