// WorkerClient: the worker of a run, started on demand and restarted after it ended.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/worker_process.hpp"

namespace kernelbatch {

class WorkerClient {
 public:
  /// `command` starts a worker on descriptor 3. `interrupt`: a descriptor that becomes readable
  /// when the run must stop; -1 = none.
  WorkerClient(WorkerCommand command, int interrupt);

  /// Sets the job of the requests; it is sent to every worker first.
  void use_job(const JobSpec& job);

  /// Starts a worker if there is none.
  void start();
  /// Sends a request, starting a worker if there is none. Throws RunError if none can be started.
  void send(const Request& request);
  WorkerProcess::Outcome receive(Patience& patience, Reply& reply);

  explicit operator bool() const noexcept { return worker_ != nullptr; }
  /// The running worker. Precondition: there is one.
  WorkerProcess& worker() { return *worker_; }
  /// Ends the worker.
  void reset() noexcept { worker_.reset(); }
  /// Like reset(), for a worker that is about to exit by itself.
  void finish(double seconds) noexcept {
    if (worker_) worker_->await_end(seconds);
    reset();
  }
  /// Ends the worker. Later ones are started by `prefix` followed by the command, with these
  /// variables added. An empty prefix restores the default.
  void start_under(std::vector<std::string> prefix, Variables environment);

  /// From here on a further worker waits, at first for the first request. It has opened `device`
  /// unless that is empty.
  void keep_spare(std::string device) {
    keeps_spare_ = true;
    spare_device_ = std::move(device);
    start_spare();
  }

  /// A plugin's declarations, queried in a worker, so that a plugin that crashes while loading does
  /// no harm. Throws SpecError.
  WorkloadInfo describe(const std::string& plugin);
  /// Device bytes needed by cases of a plugin, 0 if unknown. Throws SpecError.
  std::vector<double> footprints(const std::string& plugin, const std::vector<NamedValues>& cases);
  /// True if a fresh worker can open the device.
  bool can_open(const std::string& device);

 private:
  /// Starts a worker and sends it the job. Returns false if it cannot be sent.
  bool start_new();
  void start_spare();
  /// The spare worker, or a new one.
  std::unique_ptr<WorkerProcess> next_worker();
  void choose_worker_for(const Request& request);
  template <class Answer>
  Answer ask(const Request& request, const std::string& plugin);

  WorkerCommand command_, wrapped_;
  int interrupt_;
  std::string purpose_;  ///< of the requests that the worker has served
  std::optional<UseJob> job_;
  std::unique_ptr<WorkerProcess> worker_, spare_;
  bool keeps_spare_ = false;
  std::string spare_device_;
};

}  // namespace kernelbatch
