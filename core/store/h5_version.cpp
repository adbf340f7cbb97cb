#include <fmt/format.h>
#include <hdf5.h>

#include "core/store/hdf5_version.hpp"

namespace kernelbatch {

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace kernelbatch
