#include "core/app/slurm_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

/// Maximum number of recorded jobs queried: 8 arrays and the jobs that merge them.
constexpr std::size_t kAsked = 16;
/// Maximum number of tasks of a job that are listed.
constexpr std::size_t kNamedTasks = 20;

fs::path note_of(fs::path results) { return results += ".slurm"; }

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c == '_' ? ' ' : 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// "NODE_FAIL, PREEMPTED 2 times".
std::string counted(const std::vector<std::string>& states) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const std::string& state : states) {
    const auto known =
        std::ranges::find(counts, state, [](const auto& each) { return each.first; });
    if (known == counts.end())
      counts.emplace_back(state, 1);
    else
      ++known->second;
  }
  std::vector<std::string> texts;
  for (const auto& [state, count] : counts)
    texts.push_back(count == 1 ? state : fmt::format("{} {} times", state, count));
  return join(texts);
}

void print_task(const SlurmTask& task) {
  std::string text = task.state;
  if (!task.exit_code.empty() && task.exit_code != "0:0") text += " " + task.exit_code;
  if (!task.elapsed.empty()) text += " after " + task.elapsed;
  if (!task.node.empty()) text += " on " + task.node;
  if (!task.earlier.empty())
    text += fmt::format("; begun again {}: {}", plural(task.earlier.size(), "time"),
                        counted(task.earlier));
  fmt::print("    {}  {}\n", task.id, text);
}

}  // namespace

void note_submission(const fs::path& results, const std::string& job) {
  std::string text;
  if (std::ifstream before(note_of(results)); before)
    text.assign(std::istreambuf_iterator<char>(before), {});
  write_file_atomically(note_of(results), text + job + "\n");
}

std::vector<std::string> noted_submissions(const fs::path& results) {
  std::ifstream file(note_of(results));
  std::vector<std::string> ids;
  for (std::string id; file >> id;) ids.push_back(id);
  ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(std::min(ids.size(), kAsked)));
  return ids;
}

void print_slurm_tasks(const std::vector<SlurmTask>& tasks) {
  for (std::size_t begin = 0, end; begin < tasks.size(); begin = end) {
    const std::string job = tasks[begin].job();
    std::map<std::string, std::size_t> counts;
    std::vector<const SlurmTask*> named;
    for (end = begin; end < tasks.size() && tasks[end].job() == job; ++end) {
      const SlurmTask& task = tasks[end];
      ++counts[lower(task.state) + (task.reason.empty() ? "" : fmt::format(" ({})", task.reason))];
      if (task.has_ended_badly() || !task.earlier.empty()) named.push_back(&task);
    }
    std::vector<std::string> texts;
    for (const auto& [state, count] : counts) texts.push_back(fmt::format("{} {}", count, state));
    fmt::print("  Slurm {}  {}\n", job, join(texts));
    for (std::size_t k = 0; k < std::min(kNamedTasks, named.size()); ++k) print_task(*named[k]);
    if (named.size() > kNamedTasks)
      fmt::print("    and {} more (--json has all)\n", named.size() - kNamedTasks);
  }
}

nlohmann::ordered_json to_json(const std::vector<SlurmTask>& tasks) {
  auto list = nlohmann::ordered_json::array();
  for (const SlurmTask& task : tasks)
    list.push_back({{"id", task.id},
                    {"state", task.state},
                    {"reason", task.reason},
                    {"exit_code", task.exit_code},
                    {"elapsed", task.elapsed},
                    {"node", task.node},
                    {"restarts", task.earlier.size()},
                    {"earlier", task.earlier}});
  return list;
}

}  // namespace kernelbatch::app
