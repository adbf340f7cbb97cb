// Paths of the source tree and of the build folder for tests.
#pragma once

#include <string>

namespace kernelbatch::test {

/// The source tree: KERNELBATCH_TEST_SOURCE on another machine (tests/gpu/run), otherwise its
/// original path.
std::string source_folder();
/// The build folder: KERNELBATCH_TEST_BUILD on another machine, otherwise its original path.
std::string build_folder();

}  // namespace kernelbatch::test
