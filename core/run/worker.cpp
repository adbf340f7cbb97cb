#include "core/run/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/device/device_list.hpp"
#include "core/plugin/describe.hpp"
#include "core/run/case_loader.hpp"
#include "core/run/case_request.hpp"
#include "core/run/channel.hpp"
#include "core/run/environment_record.hpp"
#include "core/run/run_context.hpp"
#include "core/store/json.hpp"
#include "core/store/output.hpp"

namespace kernelbatch {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Status, phase and reason of an exception that a variant or its preparation threw.
void record_failure(const std::exception& error, const std::string& phase, ResultRecord& record) {
  record.status = Status::kFailed;
  record.phase = phase;
  record.reason = split(error.what(), '\n').front();
  record.verified = false;
  if (dynamic_cast<const OutOfMemoryError*>(&error) != nullptr) {
    record.status = Status::kOutOfMemory;
  } else if (dynamic_cast<const UnsupportedError*>(&error) != nullptr) {
    record.status = Status::kSkipped;
  } else if (const auto* compile = dynamic_cast<const CompileError*>(&error)) {
    record.status = Status::kCompileFailed;
    record.phase = "compile";
    record.detail = compile->log();
  } else if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    record.status = Status::kOutOfMemory;
    record.reason = "the host is out of memory";
  } else if (dynamic_cast<const RunError*>(&error) != nullptr) {
    record.status = Status::kCrashed;
  }
}

Tolerance with_changes(Tolerance tolerance, const ToleranceSpec& spec) {
  if (spec.mode) {
    if (*spec.mode == "exact") tolerance.mode = CompareMode::kExact;
    if (*spec.mode == "ulp") tolerance.mode = CompareMode::kUlp;
    if (*spec.mode == "allclose") tolerance.mode = CompareMode::kAllClose;
    if (*spec.mode == "reduction") tolerance.mode = CompareMode::kReduction;
  } else if (spec.rtol || spec.atol) {
    tolerance.mode = CompareMode::kAllClose;
  } else if (spec.max_ulp) {
    tolerance.mode = CompareMode::kUlp;
  }
  if (spec.rtol || spec.atol) {
    tolerance.rtol = spec.rtol.value_or(0);
    tolerance.atol = spec.atol.value_or(0);
  }
  if (spec.max_ulp) tolerance.max_ulp = *spec.max_ulp;
  return tolerance;
}

double memory_limit_bytes(const std::string& text, const DeviceProperties& device) {
  if (text.ends_with("%")) return parse_fraction(text) * static_cast<double>(device.memory);
  return static_cast<double>(parse_bytes(text));
}

/// What the variant gives, with the tolerances that the job asks for.
std::vector<OutputArray> outputs_with_changes(const CaseRequest& request, const Problem& problem,
                                              const std::string& variant) {
  std::vector<OutputArray> outputs = problem.outputs_of(variant);
  for (OutputArray& output : outputs) {
    output.tolerance = with_changes(output.tolerance, request.tolerance);
    for (const auto& [name, tolerance] : request.output_tolerances)
      if (name == output.name) output.tolerance = with_changes(output.tolerance, tolerance);
  }
  return outputs;
}

class Worker {
 public:
  explicit Worker(Channel& channel) : channel_(channel) {}

  void serve() {
    while (const auto frame = channel_.wait()) {
      const auto request = nlohmann::json::parse(*frame);
      const std::string op = request.at("op");
      try {
        if (op == "describe") {
          describe(request.at("plugin"));
        } else {
          run_case(case_request_from_json(request.at("case").get<std::string>()));
        }
      } catch (const std::exception& error) {
        fail(error);
      }
      if (is_sick_) return;
    }
  }

 private:
  void say(WorkerMessage message) { channel_.send(to_json(message)); }

  void fail(const std::exception& error) {
    ResultRecord record;
    record_failure(error, phase_, record);
    const auto* known = dynamic_cast<const Error*>(&error);
    WorkerMessage message;
    message.event = "failed";
    message.phase = phase_;
    message.text = error.what();
    message.status = to_text(record.status);
    message.exit_code =
        static_cast<int>(known != nullptr ? known->exit_code() : ExitCode::kCaseFailed);
    say(std::move(message));
  }

  void describe(const std::string& plugin) {
    WorkerMessage message;
    message.event = "described";
    message.text = to_json(loader_.workload(plugin).info());
    say(std::move(message));
  }

  Device& device(const std::string& selector) {
    if (!device_ || selector != selector_) {
      device_.reset();
      device_ = open_device(choose_device(selector));
      selector_ = selector;
    }
    return *device_;
  }

  void phase(const std::string& variant, const std::string& name) {
    phase_ = name;
    WorkerMessage message;
    message.event = "phase";
    message.variant = variant;
    message.phase = name;
    say(std::move(message));
  }

  void run_case(const CaseRequest& request);
  void run_variant(const CaseRequest& request, const VariantDeclaration& variant,
                   const Problem& problem, const Params& params, OutputArrays& want);
  void send_result(const CaseRequest& request, ResultRecord record, const OutputArrays& got);
  ResultRecord begin_record(const CaseRequest& request, const WorkloadInfo& info,
                            const VariantDeclaration& variant) const;

  Channel& channel_;
  CaseLoader loader_;
  std::unique_ptr<Device> device_;
  std::string selector_, phase_;
  const WorkloadInfo* info_ = nullptr;
  bool is_sick_ = false;
};

ResultRecord Worker::begin_record(const CaseRequest& request, const WorkloadInfo& info,
                                  const VariantDeclaration& variant) const {
  ResultRecord record;
  record.case_id = request.case_id;
  record.workload = info.name;
  record.workload_version = info.version;
  record.variant = variant.name;
  record.kind = to_text(variant.kind);
  record.params = request.params;
  record.attempt = request.attempt;
  record.start_ns = now_ns();
  record.status = Status::kOk;
  const bool on_cpu = variant.kind == VariantKind::kReference;
  record.device = device_text(on_cpu ? list_devices().devices.back() : device_->properties());
  return record;
}

/// Outputs that are to be stored go to files of their own, which the supervisor puts into the
/// shard: they survive this process.
void Worker::send_result(const CaseRequest& request, ResultRecord record, const OutputArrays& got) {
  WorkerMessage message;
  message.event = "result";
  message.variant = record.variant;
  const bool keeps = request.arrays == "all" || request.arrays == "sample" ||
                     (request.arrays == "failing" && record.status == Status::kVerificationFailed);
  for (OutputRecord& output : record.outputs) output.stride = 0;
  for (const auto& [name, array] : got) {
    if (!keeps || request.spill_folder.empty()) continue;
    constexpr std::size_t kLargestKept = std::size_t{256} << 20;
    constexpr std::int64_t kSampledElements = 1 << 16;
    SpilledOutput spilled;
    spilled.output = name;
    if (array.bytes() > kLargestKept || request.arrays == "sample")
      spilled.stride = std::max<std::int64_t>(1, array.size() / kSampledElements);
    for (OutputRecord& output : record.outputs) {
      if (output.name != name) continue;
      output.stride = spilled.stride;
      if (spilled.stride > 1) add_statistics(output, {array.data(), array.bytes()});
    }
    spilled.file = (std::filesystem::path(request.spill_folder) /
                    fmt::format("{}.{}.{}.raw", request.case_id, record.variant, name))
                       .string();
    // A merge by somebody else removes folders that are empty.
    make_writable_folder(request.spill_folder);
    errno = 0;
    std::ofstream file(spilled.file, std::ios::binary);
    if (spilled.stride == 1) {
      file.write(reinterpret_cast<const char*>(array.data()),
                 static_cast<std::streamsize>(array.bytes()));
    } else {
      const auto item = static_cast<std::int64_t>(size_of(array.dtype()));
      for (std::int64_t k = 0; k < array.size(); k += spilled.stride)
        file.write(reinterpret_cast<const char*>(array.data() + k * item), item);
    }
    if (!file.flush())
      throw StoreError(fmt::format("cannot write '{}': {}", spilled.file,
                                   errno != 0 ? std::strerror(errno) : "the disk may be full"));
    message.outputs.push_back(std::move(spilled));
  }
  message.text = to_json(record);
  // After a failure on a GPU its context may be poisoned: a fresh process gets a fresh one.
  is_sick_ = record.status == Status::kCrashed && device_->properties().kind == DeviceKind::kCuda;
  message.is_sick = is_sick_;
  say(std::move(message));
}

void Worker::run_variant(const CaseRequest& request, const VariantDeclaration& variant,
                         const Problem& problem, const Params& params, OutputArrays& want) {
  const std::vector<OutputArray> outputs = outputs_with_changes(request, problem, variant.name);
  const bool is_reference = variant.name == request.reference;
  const bool is_wanted = std::find(request.variants.begin(), request.variants.end(),
                                   variant.name) != request.variants.end();
  ResultRecord record = begin_record(request, *info_, variant);
  const Cost cost = problem.cost_of(variant.name);
  record.bytes_read = cost.bytes_read;
  record.bytes_written = cost.bytes_written;
  record.flops = cost.flops;
  phase(variant.name, "launch");
  RunSetting setting{
      .params = params,
      .outputs = outputs,
      .measure = request.measure,
      .repeat = request.repeat,
      .want = is_reference ? nullptr : &want,
      .is_timed = is_wanted,
      .memory_limit = memory_limit_bytes(request.memory_limit, device_->properties()),
      .on_phase = [&](const std::string& name) { phase(variant.name, name); }};
  OutputArrays got;
  {
    const bool on_cpu = variant.kind == VariantKind::kReference;
    RunContext context(on_cpu ? nullptr : device_.get(), setting, record);
    try {
      variant.function(problem, context);
      if (!context.was_measured()) throw std::logic_error("the variant never called run.measure");
      got = context.take_outputs();
    } catch (const std::exception& error) {
      record_failure(error, phase_, record);
    } catch (...) {
      record_failure(std::runtime_error("the variant threw something that is no std::exception"),
                     phase_, record);
    }
  }
  record.end_ns = now_ns();
  if (is_reference) {
    if (record.status != Status::kOk && !is_wanted)
      throw RunError(fmt::format("the reference '{}' failed: {}", variant.name, record.reason));
    want = got;
  }
  if (is_wanted) send_result(request, record, got);
}

void Worker::run_case(const CaseRequest& request) {
  phase("", "load");
  info_ = &loader_.info(request);
  const Params params(request.params);
  Device& target = device(request.device);

  phase("", "inputs");
  const double limit = memory_limit_bytes(request.memory_limit, target.properties());
  const auto require_memory = [&](double bytes) {
    if (bytes > std::min(limit, static_cast<double>(target.free_memory())))
      throw OutOfMemoryError(fmt::format(
          "the case needs at least {} on {}; {} are free and limits.memory is {}",
          format_bytes(static_cast<std::uint64_t>(bytes)), device_text(target.properties()),
          format_bytes(target.free_memory()), request.memory_limit));
  };
  const std::unique_ptr<Problem> problem = loader_.problem(request, require_memory);
  for (const VariantDeclaration& variant : info_->variants) {
    double output_bytes = 0;
    for (const OutputArray& output : problem->outputs_of(variant.name))
      output_bytes += static_cast<double>(element_count(output.shape)) *
                      static_cast<double>(size_of(output.dtype));
    require_memory(output_bytes);
  }

  // The reference comes first: without it nothing can be verified, and so nothing is timed.
  OutputArrays want;
  const bool has_reference = !request.reference.empty();
  const auto named = [&](const std::string& name) {
    return std::ranges::find(info_->variants, name, &VariantDeclaration::name);
  };
  if (has_reference) {
    if (named(request.reference) == info_->variants.end())
      throw SpecError(fmt::format("'{}' has no variant '{}' to verify against", info_->name,
                                  request.reference));
    run_variant(request, *named(request.reference), *problem, params, want);
  }
  for (const std::string& name : request.variants) {
    if (is_sick_) return;
    if (name == request.reference || named(name) == info_->variants.end()) continue;
    if (has_reference && want.empty()) {
      ResultRecord record = begin_record(request, *info_, *named(name));
      record.status = Status::kFailed;
      record.phase = "verify";
      record.reason =
          fmt::format("the reference '{}' failed, so nothing can be verified", request.reference);
      send_result(request, record, {});
    } else {
      run_variant(request, *named(name), *problem, params, want);
    }
  }
  WorkerMessage done;
  done.event = "case_done";
  done.text = to_json(describe_environment(target.properties(), {}).values);
  say(std::move(done));
}

}  // namespace

int run_worker(int socket) {
  // A worker never outlives its supervisor, however that ends.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_IGN);
  // Nor do its children hold the channel open when it dies.
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  Channel channel{FileDescriptor{socket}};
  Worker worker(channel);
  worker.serve();
  return 0;
}

}  // namespace kernelbatch
