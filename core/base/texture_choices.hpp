// Storage and sampling of a texture.
#pragma once

#include <cstdint>

#include "core/base/choice.hpp"

namespace kernelbatch {

/// A CUDA array, whose layout is device specific, or linear memory.
enum class TextureStorage : std::uint8_t { kArray, kLinear };
template <>
struct Names<TextureStorage> {
  static constexpr Named<TextureStorage> rows[] = {{TextureStorage::kArray, "array"},
                                                   {TextureStorage::kLinear, "linear"}};
};

/// Values beyond the edge. kWrap and kMirror need normalized coordinates.
enum class TextureAddress : std::uint8_t { kWrap, kClamp, kMirror, kBorder };
template <>
struct Names<TextureAddress> {
  static constexpr Named<TextureAddress> rows[] = {{TextureAddress::kWrap, "wrap"},
                                                   {TextureAddress::kClamp, "clamp"},
                                                   {TextureAddress::kMirror, "mirror"},
                                                   {TextureAddress::kBorder, "border"}};
};

enum class TextureFilter : std::uint8_t { kPoint, kLinear };
template <>
struct Names<TextureFilter> {
  static constexpr Named<TextureFilter> rows[] = {{TextureFilter::kPoint, "point"},
                                                  {TextureFilter::kLinear, "linear"}};
};

/// kNormalizedFloat: integers of 8 and 16 bits are returned as 0…1 or -1…1.
enum class TextureRead : std::uint8_t { kElement, kNormalizedFloat };
template <>
struct Names<TextureRead> {
  static constexpr Named<TextureRead> rows[] = {
      {TextureRead::kElement, "element"}, {TextureRead::kNormalizedFloat, "normalized_float"}};
};

}  // namespace kernelbatch
