#include "core/base/failpoint.hpp"

#ifdef KERNELBATCH_FAILPOINTS

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

struct Failpoint {
  std::string name, action;
  int left = 0;  ///< remaining passes
};

Failpoint wanted() {
  const char* text = std::getenv("KERNELBATCH_FAILPOINT");
  if (text == nullptr) return {};
  const std::vector<std::string> words = split(text, ':');
  if (words.size() == 2 && words[0] == "list") return {words[1], "list", 0};
  if (words.size() == 3) return {words[0], words[2], std::atoi(words[1].c_str())};
  return {};
}

}  // namespace

void reach_failpoint(const char* name) {
  static Failpoint point = wanted();
  if (point.action == "list") {
    const int file = ::open(point.name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const std::string line = std::string(name) + "\n";
    [[maybe_unused]] const auto written = ::write(file, line.data(), line.size());
    ::close(file);
    return;
  }
  if (point.name != name || --point.left != 0) return;
  if (point.action == "kill") ::raise(SIGKILL);
  throw StoreError(fmt::format("failpoint '{}': no space left on device", name));
}

}  // namespace kernelbatch

#endif
