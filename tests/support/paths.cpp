// The only file of the tests that is compiled with paths of this machine: all others compile the
// same in every build folder, so that a compiler cache can be shared by all presets.
#include "tests/support/paths.hpp"

#include "core/base/process.hpp"

namespace kernelbatch::test {

std::string source_folder() {
  return environment("KERNELBATCH_TEST_SOURCE").value_or(KERNELBATCH_SOURCE_DIR);
}

std::string build_folder() {
  return environment("KERNELBATCH_TEST_BUILD").value_or(KERNELBATCH_BINARY_DIR);
}

}  // namespace kernelbatch::test
