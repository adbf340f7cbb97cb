// The GPU vendor's libraries, opened when a variant needs them.
#pragma once

#include <initializer_list>
#include <string>

#include "core/base/shared_library.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// cuBLAS, cuSPARSE and their like. Stays loaded until the process ends.
class VendorLibrary {
 public:
  /// Opens the first available file of `file_names`. Throws UnsupportedError with the reason if the
  /// device is not a GPU or none of them can be opened.
  VendorLibrary(const Device& device, std::string name,
                std::initializer_list<const char*> file_names);

  /// A function of the library: `find<int(void*)>("cublasDestroy_v2")`. Throws UnsupportedError if
  /// it does not exist.
  template <class Function>
  Function* find(const char* symbol) const {
    return reinterpret_cast<Function*>(address_of(symbol));
  }
  /// Throws RunError unless a call returned 0.
  void require(int status, const char* call) const;

 private:
  void* address_of(const char* symbol) const;

  std::string name_;
  SharedLibrary library_;
};

}  // namespace kernelbatch
