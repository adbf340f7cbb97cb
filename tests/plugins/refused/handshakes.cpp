// Plugins whose handshake must be refused; REFUSED_<WHAT> chooses one.
#include "core/workload/workload.hpp"

namespace {

/// Must not be reached: a refused plugin's C++ never runs.
[[maybe_unused]] void* create_nothing() { return nullptr; }

}  // namespace

extern "C" __attribute__((visibility("default"))) const kernelbatch_plugin* kernelbatch_plugin_v1();

extern "C" const kernelbatch_plugin* kernelbatch_plugin_v1() {
#if defined(REFUSED_NULL_HANDSHAKE)
  return nullptr;
#else
  static constexpr kernelbatch_plugin kPlugin {
#if defined(REFUSED_WRONG_MAGIC)
    0xdeadbeefu,
#else
    KERNELBATCH_PLUGIN_MAGIC,
#endif
#if defined(REFUSED_WRONG_ABI)
        KERNELBATCH_PLUGIN_ABI + 41,
#else
        KERNELBATCH_PLUGIN_ABI,
#endif
#if defined(REFUSED_WRONG_SIZE)
        16,
#else
        sizeof(kernelbatch_plugin),
#endif
        0,
#if defined(REFUSED_WRONG_TAG)
        "gcc1/c++98/00000000",
#else
        KERNELBATCH_BUILD_TAG,
#endif
        "refused", create_nothing
  };
  return &kPlugin;
#endif
}
