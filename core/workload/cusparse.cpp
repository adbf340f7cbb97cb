#include "core/workload/cusparse.hpp"

#include <cstdint>
#include <memory>

#include "core/workload/vendor_library.hpp"

namespace kernelbatch {
namespace {

// Constants of cusparse.h and library_types.h, which may be missing.
constexpr int kNonTranspose = 0, kIndex32 = 2, kBaseZero = 0, kReal32 = 0, kReal64 = 1;
constexpr int kDefaultAlgorithm = 0;

using Create = int(void**);
using Destroy = int(void*);
using SetStream = int(void*, void*);
using CreateCsr = int(void**, std::int64_t, std::int64_t, std::int64_t, void*, void*, void*, int,
                      int, int, int);
using CreateVector = int(void**, std::int64_t, void*, int);
using BufferSize = int(void*, int, const void*, void*, void*, const void*, void*, int, int,
                       std::size_t*);
using Multiply = int(void*, int, const void*, void*, void*, const void*, void*, int, int, void*);

/// One product, ready to be queued.
class Product {
 public:
  Product(Run& run, const CsrMatrix& matrix, const Array& x, const Array& y)
      : library_(run.device(), "cuSPARSE", {"libcusparse.so.12", "libcusparse.so.13"}),
        indptr_(run.to_device(matrix.indptr)),
        indices_(run.to_device(matrix.indices)),
        data_(run.to_device(matrix.data)),
        x_(x),
        y_(y),
        type_(data_.dtype() == DType::kFloat32 ? kReal32 : kReal64),
        multiply_(library_.find<Multiply>("cusparseSpMV")) {
    check(library_.find<Create>("cusparseCreate")(&handle_), "cusparseCreate");
    check(library_.find<SetStream>("cusparseSetStream")(handle_, run.stream().native()),
          "cusparseSetStream");
    check(library_.find<CreateCsr>("cusparseCreateCsr")(
              &matrix_, matrix.rows, matrix.columns, data_.size(), indptr_.data(), indices_.data(),
              data_.data(), kIndex32, kIndex32, kBaseZero, type_),
          "cusparseCreateCsr");
    const auto create_vector = library_.find<CreateVector>("cusparseCreateDnVec");
    check(create_vector(&x_vector_, x_.size(), x_.data(), type_), "cusparseCreateDnVec");
    check(create_vector(&y_vector_, y_.size(), y_.data(), type_), "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check(library_.find<BufferSize>("cusparseSpMV_bufferSize")(
              handle_, kNonTranspose, one(), matrix_, x_vector_, zero(), y_vector_, type_,
              kDefaultAlgorithm, &bytes),
          "cusparseSpMV_bufferSize");
    buffer_ = run.scratch(DType::kUInt8, {static_cast<std::int64_t>(bytes)});
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() {
    library_.find<Destroy>("cusparseDestroyDnVec")(y_vector_);
    library_.find<Destroy>("cusparseDestroyDnVec")(x_vector_);
    library_.find<Destroy>("cusparseDestroySpMat")(matrix_);
    library_.find<Destroy>("cusparseDestroy")(handle_);
  }

  void queue() const {
    check(multiply_(handle_, kNonTranspose, one(), matrix_, x_vector_, zero(), y_vector_, type_,
                    kDefaultAlgorithm, buffer_.data()),
          "cusparseSpMV");
  }

 private:
  void check(int status, const char* call) const { library_.require(status, call); }
  const void* one() const {
    return type_ == kReal32 ? static_cast<const void*>(&one32_) : static_cast<const void*>(&one64_);
  }
  const void* zero() const {
    return type_ == kReal32 ? static_cast<const void*>(&zero32_)
                            : static_cast<const void*>(&zero64_);
  }

  VendorLibrary library_;
  Array indptr_, indices_, data_, x_, y_, buffer_;
  int type_;
  Multiply* multiply_;
  void *handle_ = nullptr, *matrix_ = nullptr, *x_vector_ = nullptr, *y_vector_ = nullptr;
  float one32_ = 1, zero32_ = 0;
  double one64_ = 1, zero64_ = 0;
};

}  // namespace

Work cusparse_product(Run& run, const CsrMatrix& matrix, const Array& x, const Array& y) {
  return [product = std::make_unique<Product>(run, matrix, x, y)](Stream&) { product->queue(); };
}

}  // namespace kernelbatch
