// SharedArrays: memory that the variants of one case use one after the other.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/array/array.hpp"
#include "core/case/memory_budget.hpp"
#include "core/verify/check_kernels.hpp"

namespace kernelbatch {

/// Host memory that outputs are read into, and copies of the case's arrays on the device. Making
/// either anew for every variant would take longer than timing it.
class SharedArrays {
 public:
  /// `memory`: what the device's copies are counted against.
  SharedArrays(CheckKernels& checks, const MemoryBudget::Setting& memory);

  /// An array in host memory, with any contents; one that was given back where there is one.
  Array take(DType dtype, const Shape& shape);
  /// The caller has no view of it any more.
  void give_back(Array array);

  /// The same elements on the device, copied when first asked for, and again where a variant has
  /// written there; an array without memory where there is no room. `host` is contiguous, and stays
  /// where and as it is. Waits for the stream.
  Array on_device(const Array& host, Stream& stream);
  /// Gives the device's memory back and keeps none from then on: a variant had no room beside it.
  /// Returns whether there was any.
  bool drop_device_copies();

 private:
  Digest digest(const Array& array, Stream& stream);

  CheckKernels& checks_;
  std::vector<Array> spare_;
  struct Copies {
    explicit Copies(const MemoryBudget::Setting& memory) : budget(memory) {}
    MemoryBudget budget;
    struct Copy {
      Array array;
      Digest digest;
    };
    std::map<const std::byte*, Copy> by_host;
  };
  std::optional<Copies> copies_;
  PendingDigest pending_;
};

}  // namespace kernelbatch
