// Plugins that fail while they are loaded; REFUSED_<WHAT> chooses how.
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "core/workload/workload.hpp"
#include "tests/support/segfault.hpp"

namespace {

#if defined(REFUSED_SEGFAULTS_AT_LOAD) || defined(REFUSED_EXITS_AT_LOAD) || \
    defined(REFUSED_HANGS_AT_LOAD)
/// Runs inside dlopen.
struct AtLoad {
  AtLoad() {
#if defined(REFUSED_SEGFAULTS_AT_LOAD)
    kernelbatch::test::follow_null_pointer();
#elif defined(REFUSED_HANGS_AT_LOAD)
    for (;;) ::pause();
#else
    std::_Exit(0);
#endif
  }
};
const AtLoad at_load;
#endif

class Refused final : public kernelbatch::Workload {
 public:
  Refused() {
#if defined(REFUSED_THROWS_AT_CREATE)
    throw std::runtime_error("no licence for this machine");
#endif
  }
  const kernelbatch::WorkloadInfo& info() const override { return info_; }
  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params&,
                                                     kernelbatch::Inputs&) const override {
    return nullptr;
  }

 private:
  kernelbatch::WorkloadInfo info_{.name = "somebody_else",
                                  .version = "1",
                                  .summary = "",
                                  .parameters = {},
                                  .inputs = {},
                                  .outputs = {},
                                  .variants = {}};
};

}  // namespace

KERNELBATCH_PLUGIN(Refused, "other_name");
