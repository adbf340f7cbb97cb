#include "core/case/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/memory.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/case/case_loader.hpp"
#include "core/case/case_request.hpp"
#include "core/case/case_run.hpp"
#include "core/case/channel.hpp"
#include "core/case/environment_record.hpp"
#include "core/case/worker_life.hpp"
#include "core/device/device_list.hpp"
#include "core/measure/calibration.hpp"
#include "core/result/json.hpp"
#include "core/workload/describe.hpp"

namespace kernelbatch {
namespace {

class Worker {
 public:
  explicit Worker(Channel& channel) : channel_(channel) {}

  void serve() {
    while (const auto frame = channel_.wait()) {
      const auto request = nlohmann::json::parse(frame->text);
      const std::string op = request.at("op");
      try {
        if (op == "describe") {
          describe(request.at("plugin"));
        } else if (op == "footprints") {
          tell_footprints(request.at("plugin"), request.at("cases"));
        } else if (op == "open") {
          open_only(request.at("device"));
        } else if (op == "go_on") {
          // A variant asked in this worker's name; this one is not waiting for it.
        } else {
          run_case(case_request_from_json(request.at("case").get<std::string>()));
        }
      } catch (const std::exception& error) {
        fail(error);
      }
      if (is_sick_) return;
      lacks_device_ = false;
    }
  }

 private:
  void say(WorkerMessage message) {
    std::vector<FileDescriptor> files;
    for (SpilledOutput& output : message.outputs) files.push_back(std::move(output.file));
    if (channel_.send(to_json(message), files)) return;
    // Closed by a variant, or its number is another file's by now; or the supervisor is gone.
    ::_exit(Channel::kLostExitCode);
  }

  void fail(const std::exception& error) {
    ResultRecord record;
    record_failure(error, phase_, record);
    WorkerMessage message;
    message.event = "failed";
    message.phase = phase_;
    message.text = error.what();
    message.status = to_text(record.status);
    // Whatever a plugin throws is its own failure; that there is no device is everybody's.
    message.exit_code =
        static_cast<int>(lacks_device_ ? ExitCode::kNoDevice : ExitCode::kCaseFailed);
    message.is_retryable = record.retryable;
    message.is_sick = is_sick_;
    say(std::move(message));
  }

  void open_only(const std::string& device) {
    open(device, false);
    WorkerMessage message;
    message.event = "opened";
    say(std::move(message));
  }

  void describe(const std::string& plugin) {
    WorkerMessage message;
    message.event = "described";
    message.text = to_json(loader_.workload(plugin).info());
    say(std::move(message));
  }

  /// Parameters may meet here that a filter of the job keeps apart: what fails is unknown.
  void tell_footprints(const std::string& plugin, const std::vector<std::string>& cases) {
    const Workload& workload = loader_.workload(plugin);
    std::vector<double> bytes;
    for (const std::string& values : cases) {
      try {
        bytes.push_back(
            workload.device_bytes(Params(values_from_json(values), workload.info().parameters)));
      } catch (const std::exception&) {
        bytes.push_back(0);
      }
      if (!std::isfinite(bytes.back())) bytes.back() = 0;
    }
    WorkerMessage message;
    message.event = "footprints";
    message.text = nlohmann::json(bytes).dump();
    say(std::move(message));
  }

  void open(const std::string& device, bool is_profile) {
    if (device_ && device == selector_) return;
    tools_.reset();
    device_.reset();
    lacks_device_ = true;
    device_ = open_device(choose_device(device));
    lacks_device_ = false;
    tools_ = std::make_unique<TimingTools>(
        *device_, is_profile ? TimingTools::Style::kPlain : TimingTools::Style::kShielded);
    selector_ = device;
    // Asked once: it means reading /proc and asking every library.
    cpu_ = device_text(list_devices().devices.back());
    environment_ = to_json(describe_environment(device_->properties(), {}).values);
  }

  /// Waits for the supervisor's leave before another variant's turn: it looks at the run's files
  /// then, so that what it finds is the last variant's doing and not one's that ran since.
  void phase(const std::string& variant, const std::string& name) {
    phase_ = name;
    const bool is_turn = !variant.empty() && variant != variant_;
    variant_ = variant;
    WorkerMessage message;
    message.event = is_turn ? "turn" : "phase";
    message.variant = variant;
    message.phase = name;
    say(std::move(message));
    if (is_turn && !channel_.wait()) ::_exit(Channel::kLostExitCode);
  }

  /// Ceilings and noise of the device. That they cannot be had fails no case.
  void calibrate_device(const CaseRequest& request) {
    phase("", "calibrate");
    CaseRecord record;
    try {
      record.calibration.push_back(calibrate(*tools_, request.measure));
    } catch (const std::exception&) {
      DeviceCalibration unknown;
      unknown.device = device_text(device_->properties());
      record.calibration.push_back(unknown);
    }
    WorkerMessage message;
    message.event = "calibrated";
    message.text = to_json(record);
    say(std::move(message));
  }

  LoadedProblem make_problem(const CaseRequest& request, const WorkloadInfo& info);
  void run_case(const CaseRequest& request);

  Channel& channel_;
  CaseLoader loader_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<TimingTools> tools_;  // after the device, which it uses
  std::string selector_, phase_, variant_, cpu_, environment_;
  bool is_sick_ = false, lacks_device_ = false;
};

LoadedProblem Worker::make_problem(const CaseRequest& request, const WorkloadInfo& info) {
  const DeviceProperties& properties = device_->properties();
  const double limit = memory_limit_bytes(request.memory_limit, properties);
  const bool may_stay_on_host =
      std::ranges::any_of(info.variants, [&](const VariantDeclaration& variant) {
        return may_stream(variant.kind) &&
               std::ranges::find(request.variants, variant.name) != request.variants.end();
      });
  const auto require_memory = [&](double bytes) {
    // Then each variant finds out for itself what fits on the device; the host holds everything.
    if (may_stay_on_host) {
      if (const auto available = static_cast<double>(available_memory()); bytes > available)
        throw OutOfHostMemoryError(
            fmt::format("the case needs at least {} of the host's memory; {} are available",
                        format_bytes(static_cast<std::uint64_t>(bytes)),
                        format_bytes(static_cast<std::uint64_t>(available))));
      return;
    }
    if (bytes > std::min(limit, static_cast<double>(device_->free_memory())))
      throw OutOfMemoryError(
          fmt::format("the case needs at least {} on {}; {} are free and limits.memory is {}",
                      format_bytes(static_cast<std::uint64_t>(bytes)), device_text(properties),
                      format_bytes(device_->free_memory()), request.memory_limit));
  };
  LoadedProblem loaded = loader_.problem(request, require_memory);
  for (const VariantDeclaration& variant : info.variants) {
    double output_bytes = 0;
    for (const OutputArray& output : loaded.problem->outputs_of(variant.name))
      output_bytes += static_cast<double>(element_count(output.shape)) *
                      static_cast<double>(size_of(output.dtype));
    require_memory(output_bytes);
  }
  return loaded;
}

void Worker::run_case(const CaseRequest& request) {
  phase("", "load");
  const WorkloadInfo& info = loader_.info(request);
  open(request.device, request.is_profile);
  if (request.calibrates) calibrate_device(request);
  phase("", "inputs");
  const LoadedProblem loaded = make_problem(request, info);
  CaseRun run({.device = *device_,
               .tools = *tools_,
               .cpu = cpu_,
               .say = [this](WorkerMessage message) { say(std::move(message)); },
               .on_phase = [this](const std::string& variant,
                                  const std::string& name) { phase(variant, name); }},
              request, info, loaded);
  try {
    run.run();
  } catch (...) {
    is_sick_ = run.is_sick() || run.must_renew();
    throw;
  }
  is_sick_ = run.is_sick();
  if (is_sick_) return;
  is_sick_ = run.must_renew();
  WorkerMessage done;
  done.event = "case_done";
  done.text = environment_;
  done.is_sick = is_sick_;
  say(std::move(done));
}

}  // namespace

int run_worker(int socket) {
  end_with_supervisor(socket);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // A reference's idle threads must not take cores from what is timed next. Read by OpenMP when the
  // first plugin brings it along.
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  // Nor do its children hold the channel open when it dies.
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  Channel channel{FileDescriptor{socket}};
  Worker worker(channel);
  worker.serve();
  return 0;
}

}  // namespace kernelbatch
