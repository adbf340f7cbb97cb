#include "core/base/run_delay.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace kernelbatch {

std::optional<std::uint64_t> waited_ns(std::string_view schedstat) {
  const std::size_t first = schedstat.find(' ');
  if (first == schedstat.npos) return std::nullopt;
  const char* const begin = schedstat.data() + first + 1;
  const char* const end = schedstat.data() + schedstat.size();
  std::uint64_t value = 0;
  const auto read = std::from_chars(begin, end, value);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != ' ') return std::nullopt;
  return value;
}

double RunDelay::take() {
  namespace fs = std::filesystem;
  std::map<pid_t, std::uint64_t> now_ns;
  std::uint64_t longest = 0;
  std::error_code error;
  fs::directory_iterator threads("/proc/" + std::to_string(process_) + "/task", error);
  for (; !error && threads != fs::directory_iterator(); threads.increment(error)) {
    std::string text;
    std::getline(std::ifstream(threads->path() / "schedstat"), text);
    const auto waited = waited_ns(text);
    if (!waited) continue;
    const auto thread = static_cast<pid_t>(std::stol(threads->path().filename().string()));
    const auto known = known_ns_.find(thread);
    const std::uint64_t before = known == known_ns_.end() ? 0 : known->second;
    now_ns[thread] = *waited;
    if (*waited > before) longest = std::max(longest, *waited - before);
  }
  known_ns_ = std::move(now_ns);
  return 1e-9 * static_cast<double>(longest);
}

}  // namespace kernelbatch
