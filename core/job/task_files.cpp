#include "core/job/task_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

constexpr std::streamoff kEndOfLog = 65536;

bool reports_error(std::string_view line) {
  if (line.find("Slurm ends this job") != std::string_view::npos) return false;
  if (line.starts_with("kernelbatch: ")) return true;
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"error:", "Error:", "Killed", "Segmentation fault"},
      [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

}  // namespace

std::string last_error_line(std::string_view log) {
  std::vector<std::string> lines = split(log, '\n');
  const auto found = std::find_if(lines.rbegin(), lines.rend(), reports_error);
  return found == lines.rend() ? "" : std::string(trim(*found));
}

std::string last_error_of(const fs::path& log) {
  std::error_code none;
  if (log.empty() || !fs::is_regular_file(log, none)) return "";
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  if (!file) return "";
  file.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(file.tellg()) - kEndOfLog));
  std::ostringstream text;
  text << file.rdbuf();
  return last_error_line(text.str());
}

std::string state_of_error(std::string_view error_line) {
  struct Message {
    std::string_view text, state;
  };
  constexpr Message kMessages[] = {{"DUE TO TIME LIMIT", "TIMEOUT"},
                                   {"DUE TO NODE FAILURE", "NODE_FAIL"},
                                   {"DUE TO PREEMPTION", "PREEMPTED"},
                                   {"CANCELLED AT", "CANCELLED"},
                                   {"oom-kill", "OUT_OF_MEMORY"},
                                   {"oom_kill", "OUT_OF_MEMORY"},
                                   {"Exceeded job memory limit", "OUT_OF_MEMORY"},
                                   {"exceeded memory limit", "OUT_OF_MEMORY"}};
  if (!error_line.starts_with("slurmstepd")) return "";
  for (const Message& each : kMessages)
    if (error_line.find(each.text) != std::string_view::npos) return std::string(each.state);
  return "";
}

SlurmTask ended_task(const SlurmSubmission& submission, const std::string& id) {
  const fs::path folder = submission.log_folder;
  SlurmTask task{.id = id, .state = "UNKNOWN", .user = submission.user};
  std::ifstream file(folder / (id + ".exit"));
  std::size_t runs = 0;
  int restarts = 0, status = 0, last = -1;
  for (; file >> restarts >> status; last = status) ++runs;
  if (runs > 1) task.restarts = runs - 1;
  if (last >= 0) {
    task.state = last == 0 ? "COMPLETED" : "FAILED";
    task.exit_code = fmt::format("{}:0", last);
  }
  if (last == 0) return task;
  task.log = folder / (id + ".log");
  task.error = last_error_of(task.log);
  if (std::string state = state_of_error(task.error); !state.empty()) task.state = std::move(state);
  return task;
}

std::vector<std::string> task_ids(const SlurmSubmission& submission) {
  if (submission.tasks <= 1) return {submission.id};
  std::vector<std::string> ids;
  for (std::size_t k = 0; k < submission.tasks; ++k)
    ids.push_back(fmt::format("{}_{}", submission.id, k));
  return ids;
}

}  // namespace kernelbatch
