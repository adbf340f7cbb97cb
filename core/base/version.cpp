#include "core/base/version.hpp"

#include <fmt/format.h>

#include "generated/build_facts.hpp"

namespace kernelbatch {

std::string version_text() {
  const std::string commit = KERNELBATCH_COMMIT;
  return commit.empty() ? "kernelbatch " KERNELBATCH_VERSION
                        : fmt::format("kernelbatch {} ({})", KERNELBATCH_VERSION, commit);
}

std::string compiler_text() { return KERNELBATCH_COMPILER; }

}  // namespace kernelbatch
