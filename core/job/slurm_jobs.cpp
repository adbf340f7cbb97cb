#include "core/job/slurm_jobs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// Lines with this number of fields; others are not part of an answer.
std::vector<std::vector<std::string>> rows_of(std::string_view answer, std::size_t fields) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : split(answer, '\n')) {
    std::vector<std::string> row = split(trim(line), '|');
    if (row.size() == fields) rows.push_back(std::move(row));
  }
  return rows;
}

/// The state's word, of "CANCELLED by 1000" or "NODE_FAIL+".
std::string first_word(const std::string& state) {
  return state.substr(0, state.find_first_of(" +"));
}

/// By job, then by task, as numbers: shorter ones are smaller.
auto rank(const std::string& id) {
  const std::size_t at = std::min(id.find('_'), id.size());
  const std::string task = id.substr(std::min(at + 1, id.size()));
  return std::tuple(at, id.substr(0, at), task.size(), task);
}

std::string answer_of(const std::vector<std::string>& command) {
  if (!find_program(command[0])) return "";
  try {
    const ProcessResult result = run_process(command);
    return result.succeeded() ? result.output : "";
  } catch (const RunError&) {
    return "";
  }
}

}  // namespace

std::string SlurmTask::job() const { return id.substr(0, id.find('_')); }

bool SlurmTask::is_waiting() const { return state == "PENDING"; }

bool SlurmTask::has_ended_badly() const {
  constexpr std::array kWell{"PENDING",     "RUNNING",   "COMPLETED", "COMPLETING",
                             "CONFIGURING", "SUSPENDED", "REQUEUED",  "RESIZING"};
  return std::ranges::find(kWell, state) == kWell.end();
}

std::vector<SlurmTask> parse_squeue(std::string_view answer) {
  std::vector<SlurmTask> tasks;
  for (const std::vector<std::string>& row : rows_of(answer, 5)) {
    const bool is_pending = row[1] == "PENDING";
    tasks.push_back({.id = row[0],
                     .state = row[1],
                     .reason = is_pending ? row[2] : "",
                     .exit_code = "",
                     .elapsed = row[3],
                     .node = row[4],
                     .earlier = {}});
  }
  return tasks;
}

std::vector<SlurmTask> parse_sacct(std::string_view answer) {
  std::vector<SlurmTask> tasks;
  std::map<std::string, std::size_t> place;
  for (const std::vector<std::string>& row : rows_of(answer, 5)) {
    if (row[0].find('[') != std::string::npos) continue;
    SlurmTask task{.id = row[0],
                   .state = first_word(row[1]),
                   .reason = "",
                   .exit_code = row[2],
                   .elapsed = row[3],
                   .node = row[4] == "None assigned" ? "" : row[4],
                   .earlier = {}};
    const auto [known, is_new] = place.emplace(task.id, tasks.size());
    if (is_new) {
      tasks.push_back(std::move(task));
      continue;
    }
    SlurmTask& before = tasks[known->second];
    task.earlier = std::move(before.earlier);
    task.earlier.push_back(std::move(before.state));
    before = std::move(task);
  }
  return tasks;
}

std::vector<SlurmTask> slurm_tasks(const std::vector<std::string>& jobs) {
  if (jobs.empty()) return {};
  const std::string ids = join(jobs, ",");
  std::map<std::string, SlurmTask> by_id;
  for (SlurmTask& task :
       parse_sacct(answer_of({"sacct", "--noheader", "--parsable2", "--allocations", "--duplicates",
                              "--jobs", ids, "--format", "JobID,State,ExitCode,Elapsed,NodeList"})))
    by_id[task.id] = std::move(task);
  // The controller's data are newer.
  for (SlurmTask& task : parse_squeue(answer_of(
           {"squeue", "--noheader", "--array", "--jobs", ids, "--format", "%i|%T|%r|%M|%N"}))) {
    SlurmTask& known = by_id[task.id];
    task.earlier = std::move(known.earlier);
    // The attempt that has just ended is not among the earlier ones yet.
    if (known.has_ended_badly() || known.state == "REQUEUED") task.earlier.push_back(known.state);
    std::erase(task.earlier, "");
    known = std::move(task);
  }
  std::vector<SlurmTask> tasks;
  for (auto& [id, task] : by_id) tasks.push_back(std::move(task));
  std::ranges::sort(tasks, {}, [](const SlurmTask& task) { return rank(task.id); });
  return tasks;
}

}  // namespace kernelbatch
