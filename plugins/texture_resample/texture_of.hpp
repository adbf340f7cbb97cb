// The grid of texture_resample as a texture object.
#pragma once

#include "core/kernel/texture.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace texture_resample {

/// Clamped at the edges, filtered as the problem says. Keeps its memory.
kernelbatch::Texture texture_of(const TextureResample& in, kernelbatch::Run& run);

}  // namespace texture_resample
