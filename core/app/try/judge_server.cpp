#include "core/app/try/judge_server.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "core/app/command.hpp"
#include "core/app/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/job/parse.hpp"
#include "core/run/compile_case.hpp"
#include "core/run/plan.hpp"

namespace kernelbatch::app {
namespace {

/// Identifies kernels that compute the same from the same inputs.
std::string problem_of(const TryOptions& options) {
  return join(std::vector<std::string>{join(options.inputs), join(options.outputs),
                                       join(options.want), join(options.values), options.reference},
              "\n");
}

/// The result of a kernel that could not be compiled.
TryAnswer not_compiled(const TryOptions& options, const std::string& reason) {
  ResultRecord record;
  record.variant = std::filesystem::path(options.files.back()).stem().string();
  record.status = Status::kCompileFailed;
  record.phase = Phase::kCompile;
  const std::size_t line = reason.find('\n');
  record.reason = reason.substr(0, line);
  if (line != std::string::npos) record.detail = reason.substr(line + 1);
  return {.exit_code = ExitCode::kCaseFailed, .results = {std::move(record)}};
}

/// Compiles the kernels of one job after another.
class TryCompiler {
 public:
  explicit TryCompiler(std::string device)
      : device_(std::move(device)), compiler_(worker_command()) {}

  /// Why a variant cannot be compiled; empty if all can.
  std::string compile(const TryOptions& options) {
    const TryJob made = make_try_job(options);
    const JobSpec job = parse_job(made.yaml, options.files.back());
    const Plan plan = make_plan(
        job, [](const std::string&) { return WorkloadInfo{}; }, 1);
    const PlannedCase& planned = plan.cases.front();
    std::string failure;
    compiler_.use_job(job);
    compiler_.compile({.case_id = planned.case_id,
                       .workload = planned.workload,
                       .device = device_,
                       .params = planned.params,
                       .variants = made.variants},
                      [&](const std::string&, const CompileOutcome& outcome) {
                        if (!outcome.is_skipped && failure.empty()) failure = outcome.reason;
                      });
    return failure;
  }

 private:
  std::string device_;
  CaseCompiler compiler_;
};

}  // namespace

JudgeServer::JudgeServer(Setting setting)
    : setting_(std::move(setting)),
      session_({.device = setting_.device, .interrupt = setting_.interrupt, .keeps_spare = true}) {
  for (int k = 0; k < setting_.compilers; ++k) compilers_.emplace_back([this] { compile_tasks(); });
  runner_ = std::thread([this] { run_tasks(); });
}

JudgeServer::~JudgeServer() {
  to_compile_.close();
  for (std::thread& each : compilers_) each.join();
  to_run_.close();
  runner_.join();
}

void JudgeServer::submit(JudgeRequest request, Reply reply) {
  Task task{std::move(request), std::move(reply)};
  task.request.options.is_timed = setting_.is_timed;
  if (task.request.error.empty()) return to_compile_.push(std::move(task));
  answer(task, failed_answer(SpecError(task.request.error)));
}

void JudgeServer::answer(const Task& task, const TryAnswer& answer, File file) const {
  JudgedJson json{{"id", task.request.id}};
  json.update(to_json(answer, setting_.device));
  std::error_code ignored;
  if (task.request.is_temporary && file == File::kRemove)
    std::filesystem::remove(task.request.options.files.back(), ignored);
  task.reply(json);
}

void JudgeServer::compile_tasks() {
  TryCompiler compiler(setting_.device.selector);
  while (auto task = to_compile_.pop()) {
    try {
      if (interrupting_signal() != 0) throw Error(ExitCode::kResumable, "stopped");
      const std::string failure = compiler.compile(task->request.options);
      if (failure.empty())
        to_run_.push(std::move(*task));
      else
        answer(*task, not_compiled(task->request.options, failure));
    } catch (const std::exception& error) {
      answer(*task, failed_answer(error));
    }
  }
}

TryAnswer JudgeServer::judge(const TryOptions& options) {
  TryOptions pair = options;
  Best& best = best_[problem_of(options)];
  if (options.is_timed && !best.file.empty()) {
    pair.files.insert(pair.files.begin(), best.file);
    pair.launches[best.file] = best.launch;
  }
  TryAnswer made = session_.answer(pair);
  // A result of the best kernel may become suspect: then it was not the best.
  if (pair.files.size() == 2 && made.results.size() == 2 &&
      made.results.front().status != Status::kOk && made.results.back().status == Status::kOk) {
    best = {};
    made = session_.answer(options);
  }
  const bool is_right = made.exit_code == ExitCode::kOk;
  if (options.is_timed && is_right && (best.file.empty() || made.verdict == "FASTER"))
    best = {options.files.back(), launch_of(options, options.files.back())};
  return made;
}

void JudgeServer::run_tasks() {
  while (auto task = to_run_.pop()) {
    try {
      const TryOptions& options = task->request.options;
      const TryAnswer made = judge(options);
      const bool is_best = best_[problem_of(options)].file == options.files.back();
      answer(*task, made, is_best ? File::kKeep : File::kRemove);
    } catch (const std::exception& error) {
      answer(*task, failed_answer(error));
    }
  }
}

}  // namespace kernelbatch::app
