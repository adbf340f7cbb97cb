// Libraries of the GPU's maker, opened when a variant wants them.
#pragma once

#include <initializer_list>
#include <string>

#include "core/base/shared_library.hpp"
#include "core/device/device.hpp"

namespace kernelbatch {

/// cuBLAS, cuSPARSE and their like. Stays loaded until the process ends.
class VendorLibrary {
 public:
  /// Opens the first of `file_names` that is there. Throws UnsupportedError with the reason where
  /// the device is no GPU or none of them can be opened.
  VendorLibrary(const Device& device, std::string name,
                std::initializer_list<const char*> file_names);

  /// A function of it: `find<int(void*)>("cublasDestroy_v2")`. Throws UnsupportedError where it is
  /// not there.
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
