// ExchangedTextures: texture memory filled by a variant's preparations, for two sets of inputs.
#pragma once

#include <memory>
#include <vector>

#include "core/array/array.hpp"
#include "core/device/texture.hpp"

namespace kernelbatch {

/// Texture memory has a device-specific layout, so it is exchanged by copies.
class ExchangedTextures {
 public:
  using List = std::vector<std::shared_ptr<TextureMemory>>;

  void set_first(List first) { first_ = std::move(first); }
  /// Returns false if the second preparation has filled memory of other forms.
  bool pair_with(const List& second, Device& device);
  /// True if there is nothing to exchange.
  bool empty() const noexcept { return pairs_.empty(); }
  /// Exchanges the contents of each pair. Waits for the stream.
  void exchange(Stream& stream) const;

 private:
  struct Pair {
    std::shared_ptr<TextureMemory> here, other;
    Array first, second;  ///< buffers for the exchange
  };
  List first_;
  std::vector<Pair> pairs_;
};

}  // namespace kernelbatch
