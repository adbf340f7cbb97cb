// kernelbatch try: checks and compares one or two kernel files.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/interrupt.hpp"
#include "core/app/slurm/allocation.hpp"
#include "core/app/try_job.hpp"
#include "core/base/error.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/base/text.hpp"
#include "core/job/parse.hpp"
#include "core/report/compare.hpp"
#include "core/report/failures.hpp"
#include "core/report/judged_json.hpp"
#include "core/report/table.hpp"
#include "core/run/plan.hpp"
#include "core/run/supervisor.hpp"

namespace kernelbatch::app {
namespace {

class Silent final : public RunObserver {
 public:
  void on_start(std::size_t, std::size_t) override {}
  void on_changes(std::size_t, const std::vector<std::string>&) override {}
  void on_variant(const PlannedCase&, const std::string&, Phase) override {}
  void on_result(const ResultRecord&, std::size_t, std::size_t) override {}
};

/// RIGHT, WRONG, SUSPECT, UNSAFE or FAILED.
std::string_view word_of(const ResultRecord& record) {
  switch (record.status) {
    case Status::kOk:
      return "RIGHT";
    case Status::kVerificationFailed:
      return "WRONG";
    case Status::kSuspect:
      return "SUSPECT";
    case Status::kUnsafe:
      return "UNSAFE";
    default:
      return "FAILED";
  }
}

struct Answer {
  std::string verdict;  ///< of the last file, relative to the first one if that is timed too
  std::vector<const ResultRecord*> results;  ///< in the order of the files
  Judgement judgement{};                     ///< if both are right
};

Answer answer_of(const ResultFile& file, const TryJob& job) {
  Answer answer;
  for (const std::string& variant : job.variants) {
    const auto found = std::ranges::find(file.results, variant, &ResultRecord::variant);
    if (found == file.results.end())
      throw RunError(fmt::format("there is no result of '{}'", variant));
    answer.results.push_back(&*found);
  }
  answer.verdict = word_of(*answer.results.back());
  const bool are_right = std::ranges::all_of(
      answer.results, [](const ResultRecord* each) { return each->status == Status::kOk; });
  if (!are_right || job.variants.size() == 1) return answer;
  const ComparedResults compared =
      compare_results({&file, 1}, {&file, 1},
                      {.variant_a = job.variants.front(), .variant_b = job.variants.back()});
  if (compared.pairs.empty()) return answer;
  answer.judgement = compared.pairs.front().judgement;
  answer.verdict = name_of(answer.judgement.verdict);
  return answer;
}

std::string text_of(const Answer& answer) {
  std::string text;
  for (const ResultRecord* record : answer.results)
    text += record->status == Status::kOk
                ? fmt::format("{}: right, {} ({} to {})\n", record->variant,
                              format_seconds(record->cold.median),
                              format_seconds(record->cold.ci95_low),
                              format_seconds(record->cold.ci95_high))
                : failure_text(*record, text_format());
  text += answer.verdict;
  if (answer.judgement.verdict != Verdict::kAbsent)
    text += fmt::format(": {} takes {:.3f} of {}'s time ({:.3f} to {:.3f})",
                        answer.results.back()->variant, answer.judgement.ratio,
                        answer.results.front()->variant, answer.judgement.ratio_low,
                        answer.judgement.ratio_high);
  if (!answer.judgement.note.empty()) text += "; " + answer.judgement.note;
  return text + "\n";
}

std::string json_of(const Answer& answer) {
  JudgedJson json;
  json["verdict"] = answer.verdict;
  for (const ResultRecord* record : answer.results) {
    JudgedJson one{{"name", record->variant},
                   {"status", std::string(to_text(record->status))},
                   {"reason", record->reason},
                   {"detail", record->detail},
                   {"device", record->device}};
    if (record->status == Status::kOk)
      one.update({{"median", record->cold.median},
                  {"low", record->cold.ci95_low},
                  {"high", record->cold.ci95_high}});
    json["files"].push_back(std::move(one));
  }
  if (!answer.judgement.note.empty()) json["note"] = answer.judgement.note;
  if (answer.judgement.verdict != Verdict::kAbsent)
    json["ratio"] = {{"median", answer.judgement.ratio},
                     {"low", answer.judgement.ratio_low},
                     {"high", answer.judgement.ratio_high}};
  return indented(json);
}

int try_files(const TryOptions& options) {
  const int interrupt = catch_interrupts();
  const ScratchFolder scratch;
  const TryJob made = make_try_job(options, (scratch.path() / "try.h5").string());
  const JobSpec job = parse_job(made.yaml, scratch.path() / "try.yaml");
  const auto describe = [](const std::string& plugin) -> WorkloadInfo {
    throw SpecError(fmt::format("'{}' is not a kernel in a job", plugin));
  };
  const Plan plan = make_plan(job, describe, 1);
  const DeviceChoice device = device_in(slurm_allocation(environment), job.device.text);
  if (!device.note.empty()) fmt::print(stderr, "kernelbatch: {}\n", device.note);
  Supervisor supervisor({.worker_command = worker_command(),
                         .arguments = {},
                         .device = device.selector,
                         .interrupt = interrupt});
  Silent silent;
  const RunSummary summary = supervisor.run(job, plan, silent);
  if (summary.was_interrupted) return static_cast<int>(summary.exit_code());
  const ResultFile file = read_results(summary.file);
  const Answer answer = answer_of(file, made);
  if (options.prints_json) print_data();
  fmt::print("{}", options.prints_json ? json_of(answer) : text_of(answer));
  if (!device.is_gpu && !options.prints_json)
    fmt::print("Times are of the host simulation, not of a GPU.\n");
  return static_cast<int>(summary.exit_code());
}

std::vector<Option> file_options(TryOptions& options) {
  return {{.names = {"CU"},
           .help = "One or two files; the first of two is the reference unless --want is given",
           .target = &options.files,
           .type = kAnyFile,
           .is_required = true},
          {.names = {"--in"},
           .help = "Input arrays, by the names of their parameters: x.npy, or x=file.npy",
           .target = &options.inputs,
           .takes_one_word = true},
          {.names = {"--out"},
           .help = "Outputs: y, with the first input's shape, or y=1000, y=10x20",
           .target = &options.outputs,
           .takes_one_word = true,
           .is_required = true},
          {.names = {"--want"},
           .help = "Expected outputs: y.npy, or y=file.npy",
           .target = &options.want,
           .takes_one_word = true},
          {.names = {"--set"},
           .help = "Numbers: n=1000; n, size, count, len, length, num are the first input's size",
           .target = &options.values,
           .takes_one_word = true}};
}

std::vector<Option> launch_options(TryOptions& options) {
  return {
      {.names = {"--entry"},
       .help = "Name of the kernel, if a file has several",
       .target = &options.entries,
       .takes_one_word = true},
      {.names = {"--grid"},
       .help = "Blocks: `ceil(x.size / 256)`, `64,64`; default: a thread for each element of the "
               "first output",
       .target = &options.grid},
      {.names = {"--block"},
       .help = "Threads per block: 256, `16,16`",
       .target = &options.block,
       .default_text = options.block},
      {.names = {"--rtol"}, .help = "Relative tolerance", .target = &options.rtol},
      {.names = {"--atol"}, .help = "Absolute tolerance", .target = &options.atol},
      {.names = {"--device"},
       .help = "auto, cuda, cuda:N or host",
       .target = &options.device,
       .type = kDevice,
       .default_text = options.device,
       .environment = "KERNELBATCH_DEVICE"},
      {.names = {"--json"}, .help = "JSON instead of text", .target = &options.prints_json}};
}

}  // namespace

Command try_files_command() {
  auto options = std::make_shared<TryOptions>();
  Command command{
      .name = "try",
      .summary =
          "Check a kernel file against the expected output, or compare two: RIGHT, WRONG, "
          "SUSPECT, FAILED; FASTER, SLOWER, SAME, UNSURE"};
  command.add(file_options(*options));
  command.add(launch_options(*options));
  command.examples = {
      {"kernelbatch try jobs/try/slope.cu jobs/try/slope_four.cu --in "
       "height=data/inputs/jacksboro_fault_dem.npy --out steepness",
       "is the second one correct, and faster?"}};
  command.action = [options] { return try_files(*options); };
  return command;
}

}  // namespace kernelbatch::app
