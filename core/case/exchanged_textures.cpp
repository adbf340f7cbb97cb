#include "core/case/exchanged_textures.hpp"

#include <cstddef>
#include <utility>

namespace kernelbatch {

bool ExchangedTextures::pair_with(const List& second, Device& device) {
  if (second.size() != first_.size()) return false;
  std::vector<Pair> pairs;
  for (std::size_t k = 0; k < first_.size(); ++k) {
    const TextureMemory &here = *first_[k], &other = *second[k];
    if (!(here.format() == other.format() && here.extent() == other.extent())) return false;
    const auto room = [&] {
      return Array::on_device(device, DType::kUInt8, {static_cast<std::int64_t>(here.bytes())});
    };
    pairs.push_back({first_[k], second[k], room(), room()});
  }
  pairs_ = std::move(pairs);
  return true;
}

void ExchangedTextures::exchange(Stream& stream) const {
  for (const Pair& each : pairs_) {
    each.here->copy_to(each.first.data(), Copy::kOnDevice, stream);
    each.other->copy_to(each.second.data(), Copy::kOnDevice, stream);
    each.here->copy_from(each.second.data(), Copy::kOnDevice, stream);
    each.other->copy_from(each.first.data(), Copy::kOnDevice, stream);
  }
  stream.synchronize();
}

}  // namespace kernelbatch
