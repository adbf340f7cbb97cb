// Cases claimed from a queue: histories of claims, deaths and restarts, and the time until the last
// process ends. Time is simulated.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "core/base/claims.hpp"
#include "core/run/partition.hpp"
#include "core/run/queue/lots.hpp"
#include "core/run/queue/work_queue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Processes that share the cases of one job.
class SimulatedQueue {
 public:
  SimulatedQueue(std::vector<double> costs, std::vector<double> speeds)
      : costs_(std::move(costs)), stored_(costs_.size(), 0) {
    for (const double speed : speeds) devices_.push_back({.speed = speed});
  }

  double now() const noexcept { return now_s_; }
  const std::vector<int>& stored() const noexcept { return stored_; }
  std::size_t devices() const noexcept { return devices_.size(); }
  bool is_running(std::size_t k) const noexcept { return devices_[k].queue != nullptr; }

  /// Starts a process, or starts it again.
  void start(std::size_t k) {
    Device& device = devices_[k];
    device.process = ++processes_;
    const JobShard own{k, devices_.size()};
    device.claims = std::make_unique<Claims>(folder_ / "claims", std::to_string(k), life(k));
    device.queue = std::make_unique<WorkQueue>(*device.claims, own, part(k),
                                               [this](std::size_t index) { return part(index); });
    take(device);
  }

  /// Ends a process without a trace, like a lost node.
  void kill(std::size_t k) {
    const fs::path life = folder_ / "claims" / (std::to_string(k) + ".alive");
    fs::copy_file(life, folder_ / "kept");
    const auto touched = fs::last_write_time(life);
    stop(k);
    fs::rename(folder_ / "kept", life);
    fs::last_write_time(life, touched);
  }
  /// Ends a process between two cases.
  void stop(std::size_t k) {
    Device& device = devices_[k];
    device.work.reset();
    device.queue.reset();
    device.claims.reset();
    device.end_s = kNever;
  }

  /// Advances to the end of the next case. Returns false if no process runs.
  bool step() {
    const auto next = std::ranges::min_element(devices_, {}, &Device::end_s);
    if (next->end_s == kNever) return false;
    advance(next->end_s - now_s_);
    ++stored_[next->work->cases[next->at].number];
    if (++next->at == next->work->cases.size()) {
      next->queue->finish(*next->work);
      take(*next);
    } else {
      begin_case(*next);
    }
    return true;
  }

  void advance(double seconds) {
    now_s_ += seconds;
    for (std::size_t k = 0; k < devices_.size(); ++k)
      if (is_running(k)) touch(folder_ / "claims" / (std::to_string(k) + ".alive"));
  }

 private:
  struct Device {
    double speed = 1;
    int process = 0;
    std::unique_ptr<Claims> claims = nullptr;
    std::unique_ptr<WorkQueue> queue = nullptr;
    std::optional<WorkQueue::Work> work = {};
    std::size_t at = 0;     ///< case in the lot
    double end_s = kNever;  ///< of that case
  };

  bool touch(const fs::path& path) const {
    std::error_code error;
    fs::last_write_time(path, began_ + std::chrono::seconds(std::llround(now_s_)), error);
    return !error;
  }
  ClaimantLife life(std::size_t k) {
    return {fmt::format("elsewhere:0:{}:{}", k, devices_[k].process),
            [this](const fs::path& path) { return touch(path); }};
  }
  WorkQueue::Cases part(std::size_t index) const {
    WorkQueue::Cases cases;
    for (const OwnCase& own : own_cases(costs_, {index, devices_.size()}))
      cases.push_back({.case_id = fmt::format("c{}", own.number),
                       .number = own.number,
                       .params = {},
                       .rank = own.rank,
                       .cost = own.cost});
    return cases;
  }

  void take(Device& device) {
    device.work = device.queue->next();
    device.at = 0;
    if (device.work)
      begin_case(device);
    else
      stop(static_cast<std::size_t>(&device - devices_.data()));
  }
  /// Stored cases take no time.
  void begin_case(Device& device) {
    while (device.at < device.work->cases.size()) {
      const PlannedCase& planned = device.work->cases[device.at];
      device.end_s = now_s_ + planned.cost / device.speed;
      if (stored_[planned.number] == 0) return;
      ++device.at;
    }
    device.queue->finish(*device.work);
    take(device);
  }

  test::TemporaryFolder folder_;
  fs::file_time_type began_ = fs::file_time_type::clock::now();
  std::vector<double> costs_;
  std::vector<int> stored_;
  std::vector<Device> devices_;
  double now_s_ = 0;
  int processes_ = 0;
};

/// Random costs in seconds, of a few sizes or of many.
std::vector<double> random_costs(std::mt19937_64& random) {
  std::vector<double> costs(1 + random() % 40);
  const bool are_alike = random() % 2 == 0;
  for (double& cost : costs) cost = are_alike ? 60 : static_cast<double>(1 + random() % 600);
  return costs;
}

/// One history: processes start late, are killed at any time or stopped, and some start again.
void check_history(std::uint64_t seed) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const std::vector<double> costs = random_costs(random);
  std::vector<double> speeds(1 + random() % 6);
  for (double& speed : speeds) speed = random() % 3 == 0 ? 0.3 : 1;
  SimulatedQueue queue(costs, speeds);
  for (int events = 0; events < 40; ++events) {
    const std::size_t k = random() % queue.devices();
    switch (random() % 8) {
      case 0:
      case 1:
        if (!queue.is_running(k)) queue.start(k);
        break;
      case 2:
        if (queue.is_running(k)) queue.kill(k);
        break;
      case 3:
        if (queue.is_running(k)) queue.stop(k);
        break;
      case 4:
        queue.advance(static_cast<double>(random() % 5));
        break;
      default:
        queue.step();
    }
  }
  while (queue.step()) {
  }
  // A restart or a later run finds what dead processes have left.
  queue.advance(Claims::kSilence_s);
  queue.start(random() % queue.devices());
  while (queue.step()) {
  }
  const auto once = [](int count) { return count == 1; };
  CHECK(std::ranges::all_of(queue.stored(), once));
}

TEST_CASE("No history of claims, deaths and restarts loses a case or stores one twice") {
  // Hundreds of thousands of small files.
  std::optional<test::EnvironmentVariable> in_memory;
  if (fs::is_directory("/dev/shm")) in_memory.emplace("TMPDIR", "/dev/shm");
  const std::uint64_t histories = std::getenv("KERNELBATCH_TEST_QUICK") != nullptr ? 100 : 1000;
  for (std::uint64_t seed = 1; seed <= histories; ++seed) check_history(seed);
}

/// The time until the last process ends, over the shortest possible time.
double makespan(const std::vector<double>& costs, const std::vector<double>& speeds) {
  SimulatedQueue queue(costs, speeds);
  for (std::size_t k = 0; k < speeds.size(); ++k) queue.start(k);
  while (queue.step()) {
  }
  CHECK(std::ranges::all_of(queue.stored(), [](int count) { return count == 1; }));
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  const double rate = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  return queue.now() / std::max(total / rate, *std::ranges::max_element(costs));
}

TEST_CASE("Devices of unequal speeds end within 10 % of the optimum") {
  const std::vector<double> speeds{1, 1, 1, 0.3};
  std::mt19937_64 random(20260701);
  std::map<std::string, std::vector<double>> jobs;
  jobs["100 equal cases"] = std::vector<double>(100, 10);
  jobs["1000 equal cases"] = std::vector<double>(1000, 1);
  for (int k = 1; k <= 200; ++k) jobs["linear sizes"].push_back(k);
  for (int k = 0; k < 320; ++k) jobs["powers of two"].push_back(std::exp2(k % 16));
  for (int k = 0; k < 300; ++k)
    jobs["random costs"].push_back(1 + static_cast<double>(random() % 1000));
  double worst = 0;
  for (const auto& [name, costs] : jobs) {
    const double found = makespan(costs, speeds);
    worst = std::max(worst, found);
    INFO(name << ": " << found);
    CHECK(found <= 1.1);
    if (std::getenv("KERNELBATCH_TEST_PRINT") != nullptr)
      fmt::print("{}: {:.3f} of the optimum\n", name, found);
  }
}

TEST_CASE("Lots shrink to single cases, and keep the order") {
  CHECK(lots_of({}).empty());
  CHECK(lots_of(std::vector<double>(6, 1)) == std::vector<std::size_t>(6, 1));
  const std::vector<double> equal(100, 1);
  const std::vector<std::size_t> lots = lots_of(equal);
  CHECK(std::accumulate(lots.begin(), lots.end(), std::size_t{0}) == 100);
  CHECK(lots.front() == 12);
  CHECK(lots.back() == 1);
  CHECK(lots.size() < 40);
  // An expensive case is a lot of its own.
  CHECK(lots_of(std::vector<double>{100, 1, 1, 1}).front() == 1);
}

}  // namespace
}  // namespace kernelbatch
