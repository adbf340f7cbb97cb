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

/// True if a key of scontrol follows: "JobState=", "NtasksPerN:B:S:C=".
bool begins_with_key(std::string_view text) {
  const std::size_t end = text.find('=');
  const auto is_letter = [](char c) {
    return ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z') || c == ':' || c == '/';
  };
  return end != std::string_view::npos && end > 0 && 'A' <= text[0] && text[0] <= 'Z' &&
         std::ranges::all_of(text.substr(0, end), is_letter);
}

/// Value of " KEY=" in a line of scontrol, up to the next key; "" for "(null)".
std::string field_of(const std::string& line, const std::string& key) {
  const std::size_t at = (" " + line).find(" " + key + "=");
  if (at == std::string::npos) return "";
  const std::string_view rest = std::string_view(line).substr(at + key.size() + 1);
  std::size_t end = rest.find(' ');
  while (end != std::string_view::npos && !begins_with_key(rest.substr(end + 1)))
    end = rest.find(' ', end + 1);
  const std::string value(trim(rest.substr(0, end)));
  return value == "(null)" ? "" : value;
}

std::size_t number_of(const std::string& text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Tasks of these submissions to one cluster, from its programs.
std::vector<SlurmTask> ask_cluster(const std::string& cluster,
                                   const std::vector<SlurmSubmission>& submissions) {
  std::vector<std::string> ids;
  for (const SlurmSubmission& submission : submissions) ids.push_back(submission.id);
  const std::string jobs = "--jobs=" + join(ids, ",");
  const auto squeue = answer_of(
      {"squeue", "--noheader", "--array", "--states=all", jobs, "--format=%i|%T|%r|%M|%N|%u"},
      cluster);
  if (!squeue) return {};
  std::vector<SlurmTask> queued = parse_squeue(*squeue);
  std::set<std::string> known;
  for (const SlurmTask& task : queued) known.insert(task.job());
  std::string details;
  for (const std::string& id : known)
    details += answer_of({"scontrol", "--oneliner", "show", "job", id}, cluster).value_or("");
  const auto sacct =
      answer_of({"sacct", "--noheader", "--parsable2", "--allocations", "--duplicates", jobs,
                 "--format=JobID,State,ExitCode,Elapsed,NodeList"},
                cluster);
  std::vector<SlurmTask> tasks =
      join_answers(parse_sacct(sacct.value_or("")), std::move(queued), parse_scontrol(details));
  for (const SlurmSubmission& submission : submissions) {
    // Another cluster has other jobs of the same number.
    std::erase_if(tasks, [&](const SlurmTask& task) {
      return task.job() == submission.id && !task.user.empty() && !submission.user.empty() &&
             task.user != submission.user;
    });
    add_unlisted_tasks(tasks, submission);
  }
  return tasks;
}

/// The user, and the last error of a task that has ended badly.
void add_details(SlurmTask& task, const SlurmSubmission& submission) {
  if (task.user.empty()) task.user = submission.user;
  if (!task.has_ended_badly() || !task.error.empty()) return;
  if (task.log.empty() && !submission.log_folder.empty())
    task.log = std::filesystem::path(submission.log_folder) / (task.id + ".log");
  LogEnd end = end_of_log_file(task.log);
  task.error = std::move(end.error);
  // Without control groups Slurm calls such a task FAILED.
  if (end.state == "OUT_OF_MEMORY") task.state = std::move(end.state);
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

void add_unlisted_tasks(std::vector<SlurmTask>& tasks, const SlurmSubmission& submission) {
  if (submission.tasks == 0) return;
  std::set<std::string, std::less<>> known;
  std::optional<SlurmTask> array;
  for (const SlurmTask& task : tasks) {
    known.insert(task.id);
    if (submission.tasks > 1 && task.id == submission.id) array = task;
  }
  if (array) std::erase_if(tasks, [&](const SlurmTask& task) { return task.id == array->id; });
  for (const std::string& id : task_ids(submission)) {
    if (known.contains(id)) continue;
    tasks.push_back(array ? *array : ended_task(submission, id));
    tasks.back().id = id;
  }
}

std::vector<SlurmTask> slurm_tasks(const std::vector<SlurmSubmission>& submissions) {
  std::map<std::string, std::vector<SlurmSubmission>> by_cluster;
  for (const SlurmSubmission& submission : submissions)
    by_cluster[submission.cluster].push_back(submission);
  std::vector<SlurmTask> all;
  for (const auto& [cluster, own] : by_cluster)
    for (SlurmTask& task : ask_cluster(cluster, own)) {
      const auto submission = std::ranges::find(own, task.job(), &SlurmSubmission::id);
      if (submission != own.end()) add_details(task, *submission);
      all.push_back(std::move(task));
    }
  std::ranges::sort(all, {}, [](const SlurmTask& task) { return rank(task.id); });
  return all;
}

}  // namespace kernelbatch
