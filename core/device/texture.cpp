#include "core/device/texture.hpp"

namespace kernelbatch {

TextureMemory::~TextureMemory() = default;
TextureObject::~TextureObject() = default;
TextureFactory::~TextureFactory() = default;

}  // namespace kernelbatch
