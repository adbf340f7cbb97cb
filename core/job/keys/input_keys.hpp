// The keys of `inputs:`: one table for each source.
#pragma once

#include <span>

#include "core/job/choices.hpp"
#include "core/job/keys/key.hpp"

namespace kernelbatch {

/// A source and its keys. The first one names the source and is required.
struct InputSource {
  InputKind kind;
  std::span<const Key> keys;
};

std::span<const InputSource> input_sources();

}  // namespace kernelbatch
