#include "core/device/tools.hpp"

#include <fstream>

#include "core/base/text.hpp"

namespace kernelbatch {

Finding counter_permission(const std::filesystem::path& params) {
  Finding finding{"counters", false, "unknown: there is no " + params.string()};
  std::ifstream file(params);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.substr(0, colon) != "RmProfilingAdminOnly") continue;
    finding.is_good = trim(line.substr(colon + 1)) == "0";
    finding.text = finding.is_good ? "everybody may read them (RmProfilingAdminOnly: 0)"
                                   : "only root may read them (RmProfilingAdminOnly: " +
                                         std::string(trim(line.substr(colon + 1))) +
                                         "): ncu needs the administrator's leave, times do not";
    return finding;
  }
  if (file.eof() && std::filesystem::exists(params))
    finding.text = params.string() + " has no RmProfilingAdminOnly";
  return finding;
}

}  // namespace kernelbatch
