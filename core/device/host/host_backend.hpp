// The host CPU as a backend.
#pragma once

#include "core/device/backend.hpp"

namespace kernelbatch::host {

extern const Backend kBackend;

}  // namespace kernelbatch::host
