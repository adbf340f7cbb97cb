#include "core/device/host/host_prelude.hpp"

#include "host_headers.hpp"
#include "prelude_embedded.hpp"

namespace kernelbatch::host {

const Prelude& host_prelude() {
  static const Prelude kPrelude({
      .files = {{"kernelbatch/device.hpp", std::string(prelude::device_host)},
                {"kernelbatch/host_abi.hpp", std::string(prelude::host_abi)},
                {"kernelbatch/host_warp.hpp", std::string(prelude::host_warp)},
                {"kernelbatch/host_entry.hpp", std::string(prelude::host_entry)},
                {"kernelbatch/host_math.hpp", std::string(prelude::host_math)},
                {"kernelbatch/host_atomics.hpp", std::string(prelude::host_atomics)},
                {"kernelbatch/host_texture_abi.hpp", std::string(prelude::host_texture_abi)}},
      .parts = {{"kernelbatch/host_texture.hpp",
                 prelude::host_texture,
                 {"cudaTextureObject_t", "cudaSurfaceObject_t", "tex1D*", "tex2D*", "tex3D*",
                  "surf1D*", "surf2D*", "surf3D*"}}},
      .names = {{"uchar", "using uchar = unsigned char;"},
                {"ushort", "using ushort = unsigned short;"},
                {"uint", "using uint = unsigned int;"},
                {"ulong", "using ulong = unsigned long;"},
                {"int8_t", "using int8_t = signed char;"},
                {"int16_t", "using int16_t = short;"},
                {"int32_t", "using int32_t = int;"},
                {"uint8_t", "using uint8_t = unsigned char;"},
                {"uint16_t", "using uint16_t = unsigned short;"},
                {"uint32_t", "using uint32_t = unsigned int;"},
                {"int64_t", "using int64_t = long;"},
                {"uint64_t", "using uint64_t = unsigned long;"}},
      .headers = prelude::host_headers(),
      .has_other_headers = true,
  });
  return kPrelude;
}

}  // namespace kernelbatch::host
