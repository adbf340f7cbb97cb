#include "core/run/worker_client.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace {

/// Time limit for loading a plugin and reading its declarations.
constexpr double kDescribeSeconds = 60;

}  // namespace

WorkerClient::WorkerClient(WorkerCommand command, int interrupt)
    : command_(std::move(command)), wrapped_(command_), interrupt_(interrupt) {}

void WorkerClient::start_under(std::vector<std::string> prefix, Variables environment) {
  reset();
  wrapped_ = command_;
  wrapped_.arguments.insert(wrapped_.arguments.begin(), prefix.begin(), prefix.end());
  wrapped_.environment.insert(wrapped_.environment.end(), environment.begin(), environment.end());
}

void WorkerClient::use_job(const JobSpec& job) {
  // A confined worker cannot open another job's files.
  if (!purpose_.empty()) reset();
  job_ = UseJob{job.path.string(), job.source, job.overrides};
  // A worker that did not receive the job is useless.
  if (worker_ && !worker_->send(to_frame(*job_))) reset();
}

bool WorkerClient::start_new() {
  worker_ = next_worker();
  return !job_ || worker_->send(to_frame(*job_));
}

void WorkerClient::start() {
  if (!worker_ && !start_new()) reset();
}

void WorkerClient::start_spare() {
  if (!keeps_spare_ || spare_) return;
  spare_ = std::make_unique<WorkerProcess>(wrapped_);
  if (!spare_device_.empty()) spare_->send(to_frame(OpenRequest{spare_device_}));
}

std::unique_ptr<WorkerProcess> WorkerClient::next_worker() {
  std::unique_ptr<WorkerProcess> next = std::move(spare_);
  if (next && spare_device_.empty()) return next;
  Reply reply;
  Patience patience(kDescribeSeconds);
  if (next && next->receive(patience, interrupt_, reply) == WorkerProcess::Outcome::kMessage &&
      std::holds_alternative<Opened>(reply))
    return next;
  return std::make_unique<WorkerProcess>(wrapped_);
}

/// A confined worker loads no plugins, opens no other device and no other workload's files; one
/// that runs plugins may have threads, which cannot be confined.
void WorkerClient::choose_worker_for(const Request& request) {
  std::string purpose;
  // On a GPU kernels are not confined.
  const auto* const wanted = std::get_if<CaseRequest>(&request);
  if (wanted != nullptr && wanted->plugin.empty() && wanted->device == "host")
    purpose = fmt::format("workload {}", wanted->workload);
  if (purpose != purpose_) reset();
  purpose_ = purpose;
}

void WorkerClient::send(const Request& request) {
  choose_worker_for(request);
  // Unrequested messages belong to no request.
  if (worker_ && worker_->has_unread()) reset();
  // A worker that ended between two requests is replaced.
  if (worker_ && worker_->send(to_frame(request))) return;
  // If the second worker cannot be reached either, receive() reports it.
  for (int tries = 0; tries < 2; ++tries)
    if (start_new() && worker_->send(to_frame(request))) break;
  start_spare();
}

WorkerProcess::Outcome WorkerClient::receive(Patience& patience, Reply& reply) {
  return worker_->receive(patience, interrupt_, reply);
}

template <class Answer>
Answer WorkerClient::ask(const Request& request, const std::string& plugin) {
  const std::string file = std::filesystem::path(plugin).filename();
  send(request);
  Reply reply;
  Patience patience(kDescribeSeconds);
  std::string reason;
  switch (receive(patience, reply)) {
    case WorkerProcess::Outcome::kMessage:
      if (auto* answer = std::get_if<Answer>(&reply)) return std::move(*answer);
      if (const auto* failed = std::get_if<Failed>(&reply)) throw SpecError(failed->reason);
      reason = fmt::format("{}: sends an answer to another request", file);
      break;
    case WorkerProcess::Outcome::kDied:
      reason = fmt::format("{}: crashes while it is loaded: {}", file, worker_->end());
      break;
    case WorkerProcess::Outcome::kTimedOut:
      reason = fmt::format("{}: does not finish loading within {} s", file, kDescribeSeconds);
      break;
    case WorkerProcess::Outcome::kInterrupted:
      reset();
      throw Error(ExitCode::kResumable, "stopped before the first case");
  }
  reset();
  throw SpecError(reason);
}

WorkloadInfo WorkerClient::describe(const std::string& plugin) {
  return ask<Described>(DescribeRequest{plugin}, plugin).info;
}

std::vector<double> WorkerClient::footprints(const std::string& plugin,
                                             const std::vector<NamedValues>& cases) {
  std::vector<double> bytes = ask<CaseFootprints>(FootprintsRequest{plugin, cases}, plugin).bytes;
  if (bytes.size() == cases.size()) return bytes;
  reset();
  throw SpecError(plugin + ": sends an answer for other cases");
}

bool WorkerClient::can_open(const std::string& device) {
  reset();
  try {
    ask<Opened>(OpenRequest{device}, device);
    return true;
  } catch (const SpecError&) {
    return false;
  }
}

}  // namespace kernelbatch
