// The grid of texture_resample as a texture object.
#pragma once

#include "core/kernel/texture/texture.hpp"
#include "plugins/texture_resample/texture_resample.hpp"

namespace kernelbatch::workloads::texture_resample {

/// Clamped at the edges, filtered as required by the problem. Owns its memory.
Texture texture_of(const TextureResample& in, Run& run);

}  // namespace kernelbatch::workloads::texture_resample
