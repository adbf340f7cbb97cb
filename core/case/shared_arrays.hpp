// SharedArrays: memory that the variants of one case reuse.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/array/array.hpp"
#include "core/case/memory_budget.hpp"
#include "core/verify/check_kernels.hpp"

namespace kernelbatch {

/// Host memory for reading outputs, and copies of the case's arrays on the device. Creating either
/// for every variant would take longer than timing it.
class SharedArrays {
 public:
  /// `memory`: the budget for copies on the device.
  SharedArrays(CheckKernels& checks, const MemoryBudget::Setting& memory);

  /// An array in host memory with arbitrary contents; reuses a returned one if available.
  Array take(DType dtype, const Shape& shape);
  /// Returns an array to the pool; it is wiped if hides_memory(). The caller must not use it any
  /// more.
  void give_back(Array array);

  /// The same elements on the device. They are copied on first use, and again if a variant has
  /// written to the copy. An array without memory if there is no room. `host` is contiguous and
  /// must not change or move. Waits for the stream.
  Array on_device(const Array& host, Stream& stream);
  /// Frees the copies on the device and keeps none from then on: a variant had not enough memory.
  /// Returns true if there were any.
  bool drop_device_copies();

 private:
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
