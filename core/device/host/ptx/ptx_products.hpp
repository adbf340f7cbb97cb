// Registers that may hold products of warp groups before a wait.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/device/host/ptx/ptx_code.hpp"

namespace kernelbatch::host {

/// Results of a function's wgmma.mma_async, and registers that get them by `mov` before the wait,
/// as compilers write them between inline statements.
class PtxProducts {
 public:
  PtxProducts() = default;
  explicit PtxProducts(const PtxBody& body);

  std::size_t count() const noexcept { return numbers_.size(); }
  /// -1 for other registers. Those of nested blocks have no number: their results come at once.
  int number(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? -1 : found->second;
  }

 private:
  std::map<std::string, int, std::less<>> numbers_;
};

}  // namespace kernelbatch::host
