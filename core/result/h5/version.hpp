// Version of the HDF5 library in this process.
#pragma once

#include <string>

namespace kernelbatch {

/// "1.10.8", of the loaded library.
std::string hdf5_version();

}  // namespace kernelbatch
