#include "core/run/compile_ahead.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <exception>

#include "core/base/error.hpp"
#include "core/base/memory.hpp"
#include "core/base/process.hpp"

namespace kernelbatch {
namespace {

/// Share of the available memory for the arrays of cases whose kernels are compiled.
constexpr double kMemoryShare = 0.25;

/// Each compiles a kernel in 50 to 150 ms, and a result takes 50 ms or more (H200).
constexpr int kMostProcesses = 8;

/// Cores that are left to the run's worker.
int kept_cores(int all) { return all > 8 ? 2 : 1; }

cpu_set_t usable() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) CPU_ZERO(&set);
  return set;
}

/// This thread and the processes that it starts leave the last cores to the run's worker.
void stay_off_the_timer() {
  cpu_set_t set = usable();
  int kept = kept_cores(CPU_COUNT(&set));
  for (std::size_t core = CPU_SETSIZE; core-- > 0 && kept > 0;)
    if (CPU_ISSET(core, &set)) {
      CPU_CLR(core, &set);
      --kept;
    }
  // Without effect if the system refuses: then kernels are compiled anywhere.
  if (CPU_COUNT(&set) > 0) ::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

int compile_processes() {
  const cpu_set_t set = usable();
  const int all = CPU_COUNT(&set);
  const int most = std::max(0, all - kept_cores(all));
  const auto wanted = environment(kCompilersVariable);
  if (!wanted) return most;
  int count = -1;
  const char* const end = wanted->data() + wanted->size();
  if (const auto read = std::from_chars(wanted->data(), end, count);
      read.ec != std::errc{} || read.ptr != end || count < 0)
    throw SpecError(fmt::format("{}='{}': expected a number from 0", kCompilersVariable, *wanted));
  return std::min(most, count);
}

CompileAhead::CompileAhead(WorkerCommand command, const JobSpec& job, std::string device,
                           int processes)
    : command_(std::move(command)),
      job_(job),
      selector_(std::move(device)),
      processes_(std::min(processes, kMostProcesses)),
      parts_(harness_parts(job.measure).size()),
      ended_(::eventfd(0, EFD_CLOEXEC)) {}

CompileAhead::~CompileAhead() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(ended_.get(), &one, sizeof one);
    changed_.notify_all();
  }
  for (std::thread& each : threads_) each.join();
}

void CompileAhead::use_device(const DeviceProperties& device, bool is_open) {
  const std::lock_guard lock(mutex_);
  // Not replaced: other threads read it.
  if (!device_) device_ = device;
  is_open_ = is_open_ || is_open;
  changed_.notify_all();
}

void CompileAhead::want(Wanted wanted) {
  const std::lock_guard lock(mutex_);
  const double most = kMemoryShare * static_cast<double>(available_memory());
  if (!ended_ || wanted.bytes > most) return;
  if (!known_.emplace(wanted.request.case_id, wanted.request.variants.front()).second) return;
  const auto at = std::ranges::upper_bound(waiting_, wanted.order, {}, &Wanted::order);
  waiting_.insert(at, std::move(wanted));
  const std::size_t tasks = parts_ + known_.size();
  while (threads_.size() < std::min(static_cast<std::size_t>(processes_), tasks))
    threads_.emplace_back(
        [this, number = static_cast<int>(threads_.size())] { compile_all(number); });
  changed_.notify_one();
}

void CompileAhead::begin(std::size_t order) {
  const std::lock_guard lock(mutex_);
  while (!waiting_.empty() && waiting_.front().order < order) {
    known_.erase({waiting_.front().request.case_id, waiting_.front().request.variants.front()});
    waiting_.pop_front();
  }
}

void CompileAhead::add_compile_time(ResultRecord& record) {
  const std::lock_guard lock(mutex_);
  const auto found = seconds_.find({record.case_id, record.variant});
  if (found == seconds_.end()) return;
  record.compile_time += found->second;
  seconds_.erase(found);
}

/// Waits for a task; nothing at the end.
std::optional<CompileAhead::Task> CompileAhead::take() {
  std::unique_lock lock(mutex_);
  const auto is_small_enough = [&] {
    const double most = kMemoryShare * static_cast<double>(available_memory());
    return bytes_ == 0 || bytes_ + waiting_.front().bytes <= most;
  };
  const auto has_task = [&] {
    return next_part_ < parts_ || (!waiting_.empty() && is_small_enough());
  };
  changed_.wait(lock, [&] { return is_ended_ || (device_ && has_task()); });
  if (is_ended_) return std::nullopt;
  if (next_part_ < parts_) return next_part_++;
  Wanted next = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ += next.bytes;
  return next;
}

void CompileAhead::compile(CaseCompiler& compiler, const Wanted& wanted) {
  double seconds = 0;
  try {
    compiler.compile(wanted.request, [&](const std::string&, const CompileOutcome& outcome) {
      for (const ProgramLog::Build& build : outcome.builds)
        if (!build.is_from_cache) seconds += build.seconds;
    });
  } catch (const std::exception&) {
    // The worker reports it.
  }
  const std::lock_guard lock(mutex_);
  bytes_ -= wanted.bytes;
  if (seconds > 0) seconds_[{wanted.request.case_id, wanted.request.variants.front()}] = seconds;
  changed_.notify_all();
}

void CompileAhead::compile_all(int number) {
  stay_off_the_timer();
  if (number > processes_ / 2) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_ended_ || is_open_; });
    if (is_ended_) return;
  }
  CaseCompiler compiler(command_, job_, ended_.get());
  // The worker reports errors.
  const auto attempt = [](const auto& work) {
    try {
      work();
    } catch (const std::exception&) {
    }
  };
  attempt([&] { compiler.start(); });
  while (const std::optional<Task> task = take()) {
    compiler.use_device(*device_);
    if (const auto* const part = std::get_if<std::size_t>(&*task))
      attempt([&] { compiler.compile_harness(selector_, *part); });
    else
      compile(compiler, std::get<Wanted>(*task));
  }
}

}  // namespace kernelbatch
