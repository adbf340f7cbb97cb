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

/// The first line of a run in a job with a time limit.
bool begins_run(std::string_view line) {
  return line.find("kernelbatch: Slurm ends this job") != std::string_view::npos;
}

bool reports_error(std::string_view line) {
  constexpr std::string_view kWords[] = {"error:", "Error:", "Killed", "Segmentation fault"};
  return line.starts_with("kernelbatch: ") ||
         std::ranges::any_of(kWords, [&](std::string_view word) {
           return line.find(word) != std::string_view::npos;
         });
}

std::string_view state_of(std::string_view line) {
  struct Message {
    std::string_view text, state;
  };
  constexpr Message kMessages[] = {{"DUE TO TIME LIMIT", "TIMEOUT"},
                                   {"DUE TO NODE FAILURE", "NODE_FAIL"},
                                   {"DUE TO PREEMPTION", "PREEMPTED"},
                                   {"Exceeded job memory limit", "OUT_OF_MEMORY"},
                                   {"exceeded memory limit", "OUT_OF_MEMORY"},
                                   {"oom-kill", "OUT_OF_MEMORY"},
                                   {"oom_kill", "OUT_OF_MEMORY"},
                                   {"CANCELLED AT", "CANCELLED"}};
  if (!line.starts_with("slurmstepd")) return "";
  for (const Message& each : kMessages)
    if (line.find(each.text) != std::string_view::npos) return each.state;
  return "";
}

}  // namespace

LogEnd end_of_log(std::string_view log) {
  LogEnd end;
  const std::vector<std::string> lines = split(log, '\n');
  for (auto line = lines.rbegin(); line != lines.rend() && !begins_run(*line); ++line) {
    if (end.error.empty() && reports_error(*line)) end.error = trim(*line);
    // Slurm reports a job that uses too much memory as cancelled, too.
    if (const std::string_view state = state_of(*line);
        end.state.empty() || state == "OUT_OF_MEMORY")
      end.state = state;
  }
  return end;
}

LogEnd end_of_log_file(const fs::path& log) {
  std::error_code none;
  if (log.empty() || !fs::is_regular_file(log, none)) return {};
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  if (!file) return {};
  file.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(file.tellg()) - kEndOfLog));
  std::ostringstream text;
  text << file.rdbuf();
  return end_of_log(text.str());
}

SlurmTask ended_task(const SlurmSubmission& submission, const std::string& id) {
  const fs::path folder = submission.log_folder;
  SlurmTask task{.id = id, .state = "UNKNOWN", .user = submission.user};
  std::ifstream file(folder / (id + ".exit"));
  std::size_t restarts = 0;
  int status = 0, last = -1;
  for (; file >> restarts >> status; last = status) task.restarts = restarts;
  if (last >= 0) {
    task.state = last == 0 ? "COMPLETED" : "FAILED";
    task.exit_code = fmt::format("{}:0", last);
  }
  if (last == 0) return task;
  task.log = folder / (id + ".log");
  LogEnd end = end_of_log_file(task.log);
  task.error = std::move(end.error);
  if (!end.state.empty()) task.state = std::move(end.state);
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
