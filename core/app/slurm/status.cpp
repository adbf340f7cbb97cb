#include "core/app/slurm/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "core/base/text.hpp"
#include "core/job/slurm_advice.hpp"

namespace kernelbatch::app {
namespace {

/// Maximum number of tasks of a job that are listed.
constexpr std::size_t kNamedTasks = 20;

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

std::string task_text(const SlurmTask& task) {
  std::string text = fmt::format("    {}  {}", task.id, task.state);
  if (!task.exit_code.empty() && task.exit_code != "0:0") text += " " + task.exit_code;
  if (!task.elapsed.empty()) text += " after " + task.elapsed;
  if (!task.node.empty()) text += " on " + task.node;
  if (task.restarts > 0) text += "; begun again " + plural(task.restarts, "time");
  if (!task.earlier.empty()) text += ": " + counted(task.earlier);
  text += "\n";
  if (!task.error.empty()) text += fmt::format("      {}\n", visible_line(task.error));
  return text;
}

/// One job: tasks from `begin` to `end`.
std::string job_text(std::span<const SlurmTask> tasks) {
  std::map<std::string, std::size_t> counts;
  std::vector<const SlurmTask*> named;
  std::set<std::string> advised;  // states and reasons
  for (const SlurmTask& task : tasks) {
    ++counts[lower(task.state) + (task.reason.empty() ? "" : fmt::format(" ({})", task.reason))];
    if (task.has_ended_badly() || task.restarts > 0) named.push_back(&task);
  }
  std::vector<std::string> texts;
  for (const auto& [state, count] : counts) texts.push_back(fmt::format("{} {}", count, state));
  std::string text = fmt::format("  Slurm {}  {}", tasks.front().job(), join(texts));
  if (!tasks.front().user.empty()) text += fmt::format("; user {}", tasks.front().user);
  text += "\n";
  for (std::size_t k = 0; k < std::min(kNamedTasks, named.size()); ++k)
    text += task_text(*named[k]);
  if (named.size() > kNamedTasks)
    text += fmt::format("    and {} more (--json has all)\n", named.size() - kNamedTasks);
  for (const SlurmTask& task : tasks) {
    const std::string advice = advice_for(task);
    if (!advice.empty() && advised.insert(advice.substr(0, advice.find(": "))).second)
      text += fmt::format("    {}\n", advice);
  }
  return text;
}

}  // namespace

std::string slurm_text(const std::vector<SlurmTask>& tasks) {
  std::string text;
  for (std::size_t begin = 0, end; begin < tasks.size(); begin = end) {
    for (end = begin; end < tasks.size() && tasks[end].job() == tasks[begin].job();) ++end;
    text += job_text(std::span(tasks).subspan(begin, end - begin));
  }
  return text;
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
                    {"user", task.user},
                    {"error", task.error},
                    {"advice", advice_for(task)},
                    {"restarts", task.restarts},
                    {"earlier", task.earlier}});
  return list;
}

}  // namespace kernelbatch::app
