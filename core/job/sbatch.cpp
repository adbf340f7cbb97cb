#include "core/job/sbatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/job/keys/slurm_keys.hpp"
#include "core/job/sbatch_body.hpp"
#include "core/job/slurm.hpp"
#include "core/job/yaml.hpp"
#include "core/job/yaml_node.hpp"

namespace kernelbatch {
namespace {

/// Seconds before the limit at which Slurm signals the script: a fallback, since kernelbatch
/// queries the limit itself. Slurm checks every 30 s; of a short job at most a quarter is lost.
int signal_seconds(double time_s) { return std::clamp(static_cast<int>(time_s / 4), 1, 60); }

constexpr std::size_t kMostTasks = 1000;
constexpr double kTaskSeconds = 600;

std::string one_line(const Scalar& value, const std::string& key) {
  if (value.text.find_first_of("\n\r") != std::string::npos)
    fail_at(value.place, fmt::format("slurm.{}: a script cannot contain a line break", key));
  return value.text;
}

/// A line break would start a command of the script.
std::string directive(const std::string& text) {
  if (text.find_first_of("\n\r") != std::string::npos)
    throw SpecError(fmt::format("a script cannot contain a line break: '{}'", text));
  return "#SBATCH " + text + "\n";
}

/// A word of a directive as sbatch reads it: in single quotes, in which a backslash still escapes
/// the next character; '#' would start a comment.
std::string sbatch_quoted(const std::string& word) {
  std::string escaped;
  for (const char c : word) escaped += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return shell_quoted(escaped);
}

/// Escapes a log's name, in which sbatch replaces %j and the like.
std::string without_patterns(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '%' ? std::string("%%") : std::string(1, c);
  return text;
}

/// `--comment=my run` is one word with one value, as for a key; several words are kept as written.
std::string extra_directive(const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool is_one = text.starts_with("--") && equals != std::string::npos &&
                      text.find_first_of(" \t'\"\\") > equals &&
                      text.find(" --", equals) == std::string::npos &&
                      text.find_first_of("'\"\\", equals) == std::string::npos;
  return is_one ? text.substr(0, equals + 1) + sbatch_quoted(text.substr(equals + 1)) : text;
}

/// slurm.job_name, else the job's.
std::string job_name_of(const Submission& submission, const SlurmSpec& slurm) {
  const Scalar* name = find_value(slurm, "job_name");
  return name == nullptr ? submission.job_name : one_line(*name, "job_name");
}

/// Text for comments, which end with their line.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

/// Empty for an option without a value that is `false`.
std::string key_directive(const Key& key, const Scalar& value) {
  const std::string option = sbatch_option_of(key.name);
  switch (key.rule.kind) {
    case Rule::Kind::kBoolean:
    case Rule::Kind::kBooleanOrText:
      if (const auto is_on = try_parse_boolean(value.text); is_on)
        return *is_on ? directive(option) : "";
      break;
    case Rule::Kind::kSeconds:
      return directive(option + "=" + to_slurm_time(parse_seconds(value.text)));
    case Rule::Kind::kCount:
      return directive(fmt::format("{}={}", option, parse_integer(value.text)));
    default:
      break;
  }
  return directive(option + "=" + sbatch_quoted(one_line(value, std::string(key.name))));
}

/// The site's directives: partition, account and so on, from the job.
std::string site_directives(const SlurmSpec& slurm, const std::vector<std::string>& left_out) {
  std::string text;
  for (const auto& [key, value] : slurm.values) {
    if (std::ranges::find(left_out, key) != left_out.end()) continue;
    text += key_directive(*find_slurm_key(key), value);
  }
  for (const Scalar& extra : slurm.extra)
    text += directive(extra_directive(one_line(extra, "extra")));
  return text;
}

/// The directives of a job that is no array.
std::string merge_job_directives(const SlurmSpec& slurm) {
  std::string text;
  if (const Scalar* time = find_value(slurm, "time"))
    text += directive("--time=" + to_slurm_time(parse_seconds(time->text)));
  return text + site_directives(slurm, {"time", "array", "requeue", "modules", "job_name"});
}

std::string module_lines(const SlurmSpec& slurm) {
  const Scalar* modules = find_value(slurm, "modules");
  if (modules == nullptr) return "";
  std::vector<std::string> names;
  if (modules->text.starts_with('['))
    for (const YamlNode& node : parse_yaml(modules->text, "slurm.modules").children)
      names.push_back(node.text);
  else
    names = split(one_line(*modules, "modules"), ' ');
  std::string line = "module load";
  for (const std::string& name : names) line += " " + shell_quoted(name);
  return line + "\n";
}

std::string run_directives(const Submission& submission, const SlurmSpec& slurm, bool is_requeued) {
  const bool is_array = submission.tasks > 1;
  std::string text = directive("--job-name=" + sbatch_quoted(job_name_of(submission, slurm)));
  if (is_array)
    text += directive(fmt::format("--array=0-{}{}", submission.tasks - 1,
                                  submission.throttle.empty() ? "" : "%" + submission.throttle));
  const Scalar* time = find_value(slurm, "time");
  if (time != nullptr) text += key_directive(*find_slurm_key("time"), *time);
  text += directive(is_requeued ? "--requeue" : "--no-requeue");
  // Otherwise a requeued job would overwrite its log.
  text += directive("--open-mode=append");
  if (find_value(slurm, "signal") == nullptr)
    text += directive(fmt::format(
        "--signal=B:USR1@{}", signal_seconds(time == nullptr ? 1e9 : parse_seconds(time->text))));
  if (find_value(slurm, "output") == nullptr)
    text += directive("--output=" + sbatch_quoted(without_patterns(submission.log_folder) +
                                                  (is_array ? "/%A_%a.log" : "/%j.log")));
  return text + site_directives(slurm, {"time", "array", "requeue", "modules", "job_name"});
}

/// sbatch refuses more tasks, or waits for room in the queue.
void require_room(const Scalar& array, std::size_t tasks, const SlurmSite& site) {
  const auto most = site.most_tasks();
  if (tasks <= 1 || !most || tasks <= *most) return;
  fail_at(array.place,
          fmt::format("slurm.array '{}': this cluster takes {} now (MaxArraySize {}, MaxJobCount "
                      "{} of which {} are used): write `array: {}` or `auto`",
                      array.text, plural(*most, "task"), site.max_array_size, site.max_jobs,
                      site.jobs, *most));
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string quoted_command(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quoted(word));
  return join(quoted, " ");
}

std::string run_script(const Submission& submission, const SlurmSpec& slurm) {
  const Scalar* requeue = find_value(slurm, "requeue");
  const bool is_requeued = requeue == nullptr || requeue->text != "false";
  std::string text = fmt::format(
      "#!/bin/bash\n"
      "# Written by {} for {}: {} in {}.\n"
      "# May be edited and given to sbatch again: finished results are never run twice.\n",
      submission.program, on_one_line(submission.job_file), plural(submission.cases, "case"),
      plural(submission.tasks, "task"));
  text += run_directives(submission, slurm, is_requeued) + "\n";
  text += module_lines(slurm);
  return text + run_body(submission, is_requeued, slurm.merge_job.empty());
}

std::string merge_script(const Submission& submission, const SlurmSpec& slurm) {
  std::string text =
      fmt::format("#!/bin/bash\n# Written by {}: joins the results of {}'s tasks into one file.\n",
                  submission.program, on_one_line(submission.job_name));
  text += directive("--job-name=" + sbatch_quoted(job_name_of(submission, slurm) + "-merge"));
  text += directive("--output=" +
                    sbatch_quoted(without_patterns(submission.log_folder) + "/merge-%j.log"));
  text += directive("--ntasks=1");
  // Settings that apply to any job of this user; GPUs and tasks are the array's.
  SlurmSpec site = slurm.merge_job.empty() ? SlurmSpec{} : slurm.merge_job.front();
  for (const auto& value : slurm.values)
    for (const char* key : {"partition", "account", "qos", "reservation", "constraint", "time",
                            "mail_type", "mail_user"})
      if (value.first == key && find_value(site, key) == nullptr) site.values.push_back(value);
  text += merge_job_directives(site) + "\n" + module_lines(slurm);
  return text + merge_commands(submission) + "\n";
}

ArraySize array_size(const SlurmSpec& slurm, std::size_t cases, std::size_t results,
                     double seconds_per_result, const SlurmSite& site) {
  const Scalar* array = find_value(slurm, "array");
  const std::vector<std::string> parts = split(array == nullptr ? "auto" : array->text, '%');
  const auto number = [&](const std::string& digits) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value == 0)
      fail_at(array->place,
              fmt::format("slurm.array '{}': expected auto, a number of tasks, or either with "
                          "%N for N at a time",
                          array->text));
    return value;
  };
  ArraySize size;
  if (parts.size() > 1) size.throttle = std::to_string(number(parts.size() == 2 ? parts[1] : ""));
  if (parts[0] != "auto") {
    size.tasks = number(parts[0]);
    if (size.tasks > std::max<std::size_t>(cases, 1)) size.tasks = std::max<std::size_t>(cases, 1);
    require_room(*array, size.tasks, site);
    return size;
  }
  const Scalar* time = find_value(slurm, "time");
  const double task_s = time == nullptr ? kTaskSeconds : parse_seconds(time->text) / 2;
  const double wanted = std::ceil(static_cast<double>(results) * seconds_per_result / task_s);
  size.tasks = std::clamp<std::size_t>(static_cast<std::size_t>(std::min(wanted, 1e6)), 1,
                                       std::min({std::max<std::size_t>(cases, 1), kMostTasks,
                                                 site.most_tasks().value_or(kMostTasks)}));
  return size;
}

}  // namespace kernelbatch
