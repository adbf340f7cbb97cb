// WorkerClient: the worker of a run, started when it is needed and again when it is gone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/worker_process.hpp"

namespace kernelbatch {

class WorkerClient {
 public:
  /// `command` starts a worker on descriptor 3. `interrupt`: a descriptor that can be read when the
  /// run is to stop; -1 = none.
  WorkerClient(WorkerCommand command, int interrupt);

  /// The job that requests are about, told to every worker first.
  void use_job(const JobSpec& job);

  /// Sends a request, to a new worker where there is none. Throws RunError if none can be started.
  void send(const Request& request);
  WorkerProcess::Outcome receive(Patience& patience, Reply& reply);

  explicit operator bool() const noexcept { return worker_ != nullptr; }
  /// The worker that runs. Must not be called where there is none.
  WorkerProcess& worker() { return *worker_; }
  /// Ends the worker.
  void reset() noexcept { worker_.reset(); }
  /// The same, where it is about to end by itself.
  void finish(double seconds) noexcept {
    if (worker_) worker_->await_end(seconds);
    reset();
  }
  /// Ends the worker; later ones are started by `prefix` and then the command, with these
  /// variables, too. An empty prefix: as before.
  void start_under(std::vector<std::string> prefix, Variables environment);

  /// What a plugin declares: a plugin that crashes while it is loaded takes nothing else along.
  /// Throws SpecError.
  WorkloadInfo describe(const std::string& plugin);
  /// Bytes that cases of a plugin need on their device, 0 if it does not say. Throws SpecError.
  std::vector<double> footprints(const std::string& plugin, const std::vector<NamedValues>& cases);
  /// Whether a worker that has loaded nothing opens the device.
  bool can_open(const std::string& device);

 private:
  /// Starts a worker. Returns whether it could be told.
  bool send_to_new(const Request& request);
  template <class Answer>
  Answer ask(const Request& request, const std::string& plugin);

  WorkerCommand command_, wrapped_;
  int interrupt_;
  std::optional<UseJob> job_;
  std::unique_ptr<WorkerProcess> worker_;
};

}  // namespace kernelbatch
