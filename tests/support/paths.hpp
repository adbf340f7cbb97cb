// Where the tests find the source tree and what was built from it.
#pragma once

#include <string>

namespace kernelbatch::test {

/// The source tree: KERNELBATCH_TEST_SOURCE on another machine (tests/gpu/run), else where it was.
std::string source_folder();
/// Where the build lies: KERNELBATCH_TEST_BUILD on another machine, else where it was made.
std::string build_folder();

}  // namespace kernelbatch::test
