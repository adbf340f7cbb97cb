#include "core/device/tools.hpp"

#include <algorithm>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

Finding permission_of(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "params") << text;
  return counter_permission(folder / "params");
}

TEST_CASE("The permission for performance counters is read from the driver's parameters") {
  CHECK(permission_of("ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 0\nOther: 1\n").is_good);
  const Finding refused = permission_of("RmProfilingAdminOnly: 1\n");
  CHECK_FALSE(refused.is_good);
  CHECK_THAT(refused.text, Contains("only root") && Contains("RmProfilingAdminOnly: 1"));
  // A longer name with this prefix does not count.
  CHECK_THAT(permission_of("RmProfilingAdminOnlyX: 1\n").text,
             Contains("has no RmProfilingAdminOnly"));
  CHECK_THAT(counter_permission("/nowhere/params").text, Contains("there is no /nowhere/params"));
}

TEST_CASE("Each tool of this machine is reported once, in one line") {
  const std::vector<Finding> findings = describe_tools();
  std::vector<std::string> names;
  for (const Finding& finding : findings) {
    CAPTURE(finding.name);
    CHECK(std::ranges::find(names, finding.name) == names.end());
    names.push_back(finding.name);
    CHECK_FALSE(finding.text.empty());
    CHECK(finding.text.find('\n') == std::string::npos);
  }
  for (const char* name : {"driver", "counters", "host compiler"})
    CHECK(std::ranges::find(names, name) != names.end());
}

}  // namespace
}  // namespace kernelbatch
