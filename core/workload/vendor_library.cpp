#include "core/workload/vendor_library.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

SharedLibrary open_first(const Device& device, const std::string& name,
                         std::initializer_list<const char*> file_names) {
  if (!device.properties().has_cuda_libraries)
    throw UnsupportedError(fmt::format("needs cuda: {}", name));
  std::string reasons;
  for (const char* const file : file_names) {
    std::string reason;
    std::optional<SharedLibrary> library =
        SharedLibrary::try_open(file, SharedLibrary::Lifetime::kProcess, &reason);
    if (library) return std::move(*library);
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  throw UnsupportedError(fmt::format("{} cannot be opened: {}", name, reasons));
}

}  // namespace

VendorLibrary::VendorLibrary(const Device& device, std::string name,
                             std::initializer_list<const char*> file_names)
    : name_(std::move(name)), library_(open_first(device, name_, file_names)) {}

void VendorLibrary::require(int status, const char* call) const {
  if (status != 0) throw RunError(fmt::format("{}: {} failed with status {}", name_, call, status));
}

void* VendorLibrary::address_of(const char* symbol) const {
  void* const address = library_.find(symbol);
  if (address == nullptr) throw UnsupportedError(fmt::format("{} has no {}", name_, symbol));
  return address;
}

}  // namespace kernelbatch
