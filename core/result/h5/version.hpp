// Which HDF5 library this process has.
#pragma once

#include <string>

namespace kernelbatch {

/// "1.10.8", of the library that is loaded.
std::string hdf5_version();

}  // namespace kernelbatch
