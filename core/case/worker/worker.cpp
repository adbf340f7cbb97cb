#include "core/case/worker/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/base/memory.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/base/text.hpp"
#include "core/case/case_loader.hpp"
#include "core/case/case_run.hpp"
#include "core/case/compile_run.hpp"
#include "core/case/evidence.hpp"
#include "core/case/failure.hpp"
#include "core/case/guard/channel.hpp"
#include "core/case/message.hpp"
#include "core/case/requested_case.hpp"
#include "core/case/worker/compiled_case.hpp"
#include "core/case/worker/confinement.hpp"
#include "core/case/worker/printed_text.hpp"
#include "core/case/worker/worker_device.hpp"
#include "core/case/worker/worker_life.hpp"
#include "core/device/access_checks.hpp"
#include "core/device/address_hint.hpp"
#include "core/device/device_list.hpp"
#include "core/inline/wanted_addresses.hpp"
#include "core/job/parse.hpp"
#include "core/measure/calibration.hpp"

namespace kernelbatch {
namespace {

class Worker {
 public:
  explicit Worker(Channel& channel) : channel_(channel) {}

  void serve() {
    while (const auto frame = channel_.wait()) {
      try {
        std::visit([this](const auto& request) { answer(request); },
                   request_from_frame(frame->text));
      } catch (const std::exception& error) {
        fail(error);
      }
      if (must_restart_worker_) return;
      lacks_device_ = false;
    }
  }

 private:
  void answer(const DescribeRequest& request) {
    send(Described{loader_.workload(request.plugin).info()});
  }

  /// Parameters may be combined here that a filter of the job excludes: failures count as unknown.
  void answer(const FootprintsRequest& request) {
    const Workload& workload = loader_.workload(request.plugin);
    CaseFootprints footprints;
    for (const NamedValues& values : request.cases) {
      double bytes = 0;
      try {
        bytes = workload.device_bytes(Params(values, workload.info().parameters));
      } catch (const std::exception&) {
      }
      footprints.bytes.push_back(std::isfinite(bytes) ? bytes : 0);
    }
    send(std::move(footprints));
  }

  void answer(const OpenRequest& request) {
    open(request.device, false, "", Report::kLater);
    send(Opened{device_.device().properties()});
  }

  void answer(const UseJob& job) {
    const int sms = job_.limits.sms;
    job_ = parse_job(job.source, job.path, job.overrides);
    addresses_ = wanted_addresses(job_);
    compiled_.forget();
    if (job_.limits.sms != sms || !addresses_.empty()) device_.close();
  }

  void answer(const GoOn&) {
    // Sent by a variant in this worker's name; this worker is not waiting for it.
  }

  void answer(const CaseRequest& request) { run_case(requested_case(request, job_)); }

  void answer(const CompileRequest& compile) {
    const RequestedCase wanted = requested_case(compile.request, job_);
    const WorkloadInfo& info = loader_.info(wanted);
    const Params params(wanted.request.params, info.parameters);
    const Problem& problem = compiled_.problem(loader_, wanted);
    Device& target = compile_device(wanted.request.device, compile.target);
    for (const std::string& name : wanted.request.variants)
      for (const VariantDeclaration& variant : info.variants) {
        if (variant.name != name) continue;
        send(PhaseChange{name, Phase::kCompile, false});
        send(Compiled{name, compile_variant(variant, problem, params, target)});
      }
    send(CaseDone{});
  }

  void answer(const CompileHarnessRequest& request) {
    Device& target = compile_device(request.device, request.target);
    harness_parts(job_.measure).at(request.part)(target);
    send(CaseDone{});
  }

  void send(Reply reply) {
    std::vector<FileDescriptor> files;
    if (auto* result = std::get_if<Result>(&reply))
      for (SpilledOutput& output : result->outputs) files.push_back(std::move(output.file));
    if (channel_.send(to_frame(reply), files)) return;
    // Closed by a variant, or its number was reused by another file; or the supervisor is gone.
    ::_exit(Channel::kLostExitCode);
  }

  void fail(const std::exception& error) {
    must_restart_worker_ = must_restart_worker_ || runs_one_case_;
    ResultRecord record;
    record_failure(error, phase_, record);
    Failed failed{.status = record.status,
                  .phase = phase_,
                  .reason = error.what(),
                  .is_retryable = record.retryable,
                  .must_restart_worker = must_restart_worker_};
    // Any exception of a plugin is its own failure; a missing device affects all.
    if (lacks_device_)
      failed.cause = FailureCause::kNoDevice;
    else if (dynamic_cast<const SpecError*>(&error) != nullptr)
      failed.cause = FailureCause::kBadSpec;
    send(std::move(failed));
  }

  /// A failure of `open` is that of the device: it affects all requests.
  template <class Open>
  std::unique_ptr<Device> opened(const Open& open) {
    lacks_device_ = true;
    std::unique_ptr<Device> device = open();
    lacks_device_ = false;
    return device;
  }

  enum class Report { kEarly, kLater };

  void open(const std::string& selector, bool is_profile, const std::string& checks,
            Report report) {
    if (device_.is_open(selector, checks)) return;
    device_.close();
    device_.use(opened([&] {
                  DeviceChoice choice = choose_device(selector);
                  const AddressReservation reservation(addresses_);
                  choice.units = job_.limits.sms;
                  // Kernels can be compiled for a GPU while its context is created.
                  if (report == Report::kEarly && choice.is_gpu && choice.units == 0)
                    send(Opened{properties_of(choice), false});
                  return checks.empty() ? open_device(choice)
                                        : open_checked_device(choice, parse_checks(checks));
                }),
                selector, is_profile, checks);
  }

  Device& compile_device(const std::string& target, const DeviceProperties& known) {
    if (!target_.is_open(target))
      target_.use(opened([&] { return open_compile_only(compile_target(target, known)); }), target);
    return target_.device();
  }

  /// Waits for the supervisor's answer before another variant's turn: the supervisor then checks
  /// the run's files, so that it can attribute changes to the last variant.
  void enter(const std::string& variant, Phase phase) {
    phase_ = phase;
    const bool is_turn = !variant.empty() && variant != variant_;
    variant_ = variant;
    mark_output(variant, phase);
    send(PhaseChange{variant, phase, is_turn});
    if (is_turn && !channel_.wait()) ::_exit(Channel::kLostExitCode);
  }

  /// Printed text from here on belongs to this phase.
  static void mark_output(const std::string& variant, Phase phase) {
    std::fputs(phase_mark(variant, phase).c_str(), stdout);
    std::fflush(stdout);
  }

  /// Measures ceilings and noise of the device. A failure does not fail the case.
  void calibrate_device(const MeasureSpec& measure) {
    enter("", Phase::kCalibrate);
    Calibrated calibrated;
    calibrated.calibration.device = device_text(device_.device().properties());
    try {
      calibrated.calibration = calibrate(device_.tools(), measure);
    } catch (const std::exception&) {  // what it could not measure stays unknown
    }
    send(std::move(calibrated));
  }

  void run_case(const RequestedCase& wanted);

  Channel& channel_;
  CaseLoader loader_;
  ReferenceMemo references_;
  WorkerDevice device_;
  CompileTarget target_;
  CompiledCase compiled_;
  JobSpec job_;
  std::vector<AddressRange> addresses_;
  std::string variant_;
  Phase phase_ = Phase::kLoad;
  bool must_restart_worker_ = false, lacks_device_ = false;
  bool runs_one_case_ = false;  ///< its files were read before it was confined
};

void Worker::run_case(const RequestedCase& wanted) {
  enter("", Phase::kLoad);
  const WorkloadInfo& info = loader_.info(wanted);
  if (needs_sandbox(wanted) && !is_confined()) {
    enter("", Phase::kInputs);
    // Threads that run already would not be confined.
    device_.close();
    runs_one_case_ = reads_files(wanted);
    confine_for(wanted, loader_);
    enter("", Phase::kLoad);
  }
  open(wanted.request.device, wanted.request.is_profile, wanted.request.sanitize, Report::kEarly);
  Device& device = device_.device();
  send(Opened{device.properties()});
  if (wanted.request.calibrates) calibrate_device(wanted.measure);
  const bool has_counters =
      device.properties().is_gpu && wanted.measure.counters == EvidenceChoice::kAuto;
  const bool has_evidence =
      !wanted.request.is_repeat && (has_counters || wanted.measure.twins == EvidenceChoice::kAuto);
  const double usual =
      wanted.request.evidence_s > 0 ? wanted.request.evidence_s : kUsualEvidenceSeconds;
  enter("", Phase::kInputs);
  const LoadedProblem loaded = load_problem(loader_, wanted, info, device);
  CaseRun run(
      {.device = device,
       .tools = device_.tools(),
       .checks = device_.checks(),
       .load_again =
           [&](std::uint64_t shift) {
             return loader_.problem(
                 wanted, [](double) {}, shift);
           },
       .references = references_,
       .cpu = device_.cpu(),
       .evidence_s = has_evidence ? usual : 0,
       .send =
           [this](Reply reply) {
             if (auto* const result = std::get_if<Result>(&reply))
               result->environment = device_.environment();
             send(std::move(reply));
           },
       .on_phase = [this](const std::string& variant, Phase phase) { enter(variant, phase); }},
      wanted, info, loaded);
  try {
    run.run();
  } catch (...) {
    must_restart_worker_ = run.must_restart_worker() || run.must_renew();
    throw;
  }
  must_restart_worker_ = run.must_restart_worker();
  if (must_restart_worker_) return;
  // An external tool reports its findings when the process ends.
  AccessChecks* const checks = device.access_checks();
  must_restart_worker_ =
      run.must_renew() || runs_one_case_ || (checks != nullptr && checks->is_outside());
  send(CaseDone{must_restart_worker_});
}

}  // namespace

int run_worker(int socket) {
  end_with_supervisor(socket);
  keep_freed_memory();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Line buffering: text printed by a kernel survives a crash of the process.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  // Its children must not keep the channel open when it dies.
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  Channel channel{FileDescriptor{socket}};
  // Before a plugin is loaded, which could otherwise read the key.
  if (!channel.take_key()) return 0;
  Worker worker(channel);
  worker.serve();
  return 0;
}

}  // namespace kernelbatch
