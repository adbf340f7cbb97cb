#include "core/job/slurm_jobs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/job/task_files.hpp"

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

/// std::nullopt if the program is missing or does not answer.
std::optional<std::string> answer_of(std::vector<std::string> command, const std::string& cluster) {
  if (!find_program(command[0])) return {};
  if (!cluster.empty()) command.insert(command.begin() + 1, "--clusters=" + cluster);
  try {
    const ProcessResult result = run_process(command);
    // The answer about a single job that Slurm has forgotten.
    if (result.output.find("Invalid job id") != std::string::npos) return "";
    if (result.succeeded()) return result.output;
  } catch (const RunError&) {
  }
  return {};
}

/// Value of " KEY=" in a line of scontrol, up to the next key; "" for "(null)".
std::string field_of(const std::string& line, const std::string& key) {
  const std::size_t at = (" " + line).find(" " + key + "=");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 1;
  std::size_t end = line.find('=', begin);
  if (end != std::string::npos) end = line.rfind(' ', end);
  const std::string value(trim(std::string_view(line).substr(begin, end - begin)));
  return value == "(null)" ? "" : value;
}

std::size_t number_of(const std::string& text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Tasks that Slurm has forgotten, from their files; none if the number of tasks is unknown.
void add_ended_tasks(std::vector<SlurmTask>& tasks, const SlurmSubmission& submission) {
  if (submission.tasks == 0) return;
  std::set<std::string, std::less<>> known;
  for (const SlurmTask& task : tasks) known.insert(task.id);
  for (const std::string& id : task_ids(submission))
    if (!known.contains(id)) tasks.push_back(ended_task(submission, id));
}

std::vector<SlurmTask> tasks_of(const SlurmSubmission& submission) {
  const std::string& id = submission.id;
  const auto ask = [&](std::vector<std::string> command) {
    return answer_of(std::move(command), submission.cluster);
  };
  const auto squeue = ask({"squeue", "--noheader", "--array", "--states=all", "--jobs=" + id,
                           "--format=%i|%T|%r|%M|%N|%u"});
  if (!squeue) return {};
  const auto scontrol = ask({"scontrol", "--oneliner", "show", "job", id});
  const auto sacct = ask({"sacct", "--noheader", "--parsable2", "--allocations", "--duplicates",
                          "--jobs=" + id, "--format=JobID,State,ExitCode,Elapsed,NodeList"});
  std::vector<SlurmTask> tasks =
      join_answers(parse_sacct(sacct.value_or("")), parse_squeue(*squeue),
                   parse_scontrol(scontrol.value_or("")));
  // Another cluster has other jobs of the same number.
  std::erase_if(tasks, [&](const SlurmTask& task) {
    return !task.user.empty() && !submission.user.empty() && task.user != submission.user;
  });
  add_ended_tasks(tasks, submission);
  for (SlurmTask& task : tasks) {
    if (task.user.empty()) task.user = submission.user;
    if (!task.has_ended_badly() || !task.error.empty()) continue;
    if (task.log.empty() && !submission.log_folder.empty())
      task.log = std::filesystem::path(submission.log_folder) / (task.id + ".log");
    task.error = last_error_of(task.log);
    // Without control groups Slurm calls such a task FAILED.
    if (state_of_error(task.error) == "OUT_OF_MEMORY") task.state = "OUT_OF_MEMORY";
  }
  return tasks;
}

}  // namespace

std::string SlurmTask::job() const { return id.substr(0, id.find('_')); }

bool SlurmTask::is_waiting() const { return state == "PENDING"; }

bool SlurmTask::is_active() const {
  constexpr std::array kActive{"PENDING",   "RUNNING",  "COMPLETING",   "CONFIGURING", "STAGE_OUT",
                               "SUSPENDED", "REQUEUED", "REQUEUE_HOLD", "RESIZING",    "SIGNALING"};
  return std::ranges::find(kActive, state) != kActive.end();
}

bool SlurmTask::has_ended_badly() const { return state != "COMPLETED" && !is_active(); }

std::vector<SlurmTask> parse_squeue(std::string_view answer) {
  std::vector<SlurmTask> tasks;
  for (const std::vector<std::string>& row : rows_of(answer, 6)) {
    const bool is_pending = row[1] == "PENDING";
    tasks.push_back({.id = row[0],
                     .state = row[1],
                     .reason = is_pending ? row[2] : "",
                     .elapsed = row[3],
                     .node = row[4],
                     .user = row[5]});
  }
  return tasks;
}

std::vector<SlurmTask> parse_scontrol(std::string_view answer) {
  std::vector<SlurmTask> tasks;
  for (const std::string& line : split(answer, '\n')) {
    const std::string array = field_of(line, "ArrayJobId"), place = field_of(line, "ArrayTaskId");
    std::string id = field_of(line, "JobId");
    if (id.empty() || place.find_first_of(",-%") != std::string::npos) continue;
    if (!array.empty()) id = array + "_" + place;
    const std::string user = field_of(line, "UserId");
    tasks.push_back({.id = std::move(id),
                     .state = field_of(line, "JobState"),
                     .exit_code = field_of(line, "ExitCode"),
                     .elapsed = field_of(line, "RunTime"),
                     .node = field_of(line, "NodeList"),
                     .user = user.substr(0, user.find('(')),
                     .restarts = number_of(field_of(line, "Restarts")),
                     .log = field_of(line, "StdOut")});
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
                   .exit_code = row[2],
                   .elapsed = row[3],
                   .node = row[4] == "None assigned" ? "" : row[4]};
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

std::vector<SlurmTask> join_answers(std::vector<SlurmTask> sacct, std::vector<SlurmTask> squeue,
                                    const std::vector<SlurmTask>& scontrol) {
  std::map<std::string, SlurmTask> by_id;
  for (SlurmTask& task : sacct) by_id[task.id] = std::move(task);
  std::map<std::string, const SlurmTask*> details;
  for (const SlurmTask& task : scontrol) details[task.id] = &task;
  // The controller's data are newer than those of accounting.
  for (SlurmTask& task : squeue) {
    SlurmTask& known = by_id[task.id];
    task.earlier = std::move(known.earlier);
    if (const auto detail = details.find(task.id); detail != details.end()) {
      task.restarts = detail->second->restarts;
      task.log = detail->second->log;
      if (!task.is_active()) task.exit_code = detail->second->exit_code;
    }
    // The attempt that has just ended is not among the earlier ones yet.
    const bool is_earlier = task.is_active() || task.earlier.size() < task.restarts;
    if (is_earlier && (known.has_ended_badly() || known.state == "REQUEUED"))
      task.earlier.push_back(known.state);
    std::erase(task.earlier, "");
    known = std::move(task);
  }
  std::vector<SlurmTask> tasks;
  for (auto& [id, task] : by_id) {
    task.restarts = std::max(task.restarts, task.earlier.size());
    tasks.push_back(std::move(task));
  }
  std::ranges::sort(tasks, {}, [](const SlurmTask& task) { return rank(task.id); });
  return tasks;
}

std::vector<SlurmTask> slurm_tasks(const std::vector<SlurmSubmission>& submissions) {
  std::vector<SlurmTask> tasks;
  for (const SlurmSubmission& submission : submissions)
    for (SlurmTask& task : tasks_of(submission)) tasks.push_back(std::move(task));
  std::ranges::sort(tasks, {}, [](const SlurmTask& task) { return rank(task.id); });
  return tasks;
}

}  // namespace kernelbatch
