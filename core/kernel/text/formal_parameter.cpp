#include "core/kernel/text/formal_parameter.hpp"

#include <algorithm>

namespace kernelbatch {

bool FormalParameter::takes(DType given) const noexcept {
  if (!dtype || *dtype == given) return true;
  return is_plain_char && given == DType::kUInt8;
}

std::optional<std::size_t> FormalParameter::bytes() const {
  constexpr std::size_t kWord = 8;
  switch (kind) {
    case Kind::kUnknown:
    case Kind::kDeduced:
      break;
    case Kind::kScalar:
      return size_of(*dtype);
    case Kind::kView:
      if (rank < 0) break;
      return (2 + 2 * static_cast<std::size_t>(std::max(rank, 1))) * kWord;
    case Kind::kMdspan: {
      auto indices = static_cast<std::size_t>(std::count(fixed.begin(), fixed.end(), -1));
      if (layout == Layout::kStride) indices += fixed.size();
      return kWord + (indices * index_bytes + kWord - 1) / kWord * kWord;
    }
    case Kind::kPointer:
    case Kind::kTexture:
    case Kind::kSurface:
      return kWord;
  }
  return std::nullopt;
}

}  // namespace kernelbatch
