#include "core/device/host/worker_pool.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/device/host/block_group.hpp"
#include "core/device/host/checks/checker.hpp"
#include "core/device/host/child_launches.hpp"

namespace kernelbatch::host {
namespace {

ThreadOrder thread_order() {
  return environment("KERNELBATCH_HOST_THREAD_ORDER") == "reverse" ? ThreadOrder::kReverse
                                                                   : ThreadOrder::kForward;
}

}  // namespace

class WorkerPool::State {
 public:
  State(int threads, Checker* checker) : checker_(checker) {
    if (checker_ != nullptr) threads = 1;
    for (int k = 1; k < threads; ++k)
      threads_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
  }

  void run(Entry entry, void* const* arguments, const LaunchShape& shape) {
    run_grid(entry, arguments, shape);
    // Grandchildren run after them.
    for (std::vector<ChildLaunch> children = children_.take(); !children.empty();
         children = children_.take())
      for (const ChildLaunch& child : children) {
        void* memory = child.closure().memory;
        if (checker_ != nullptr) {
          checker_->begin_launch("a kernel that a kernel launched");
          checker_->ignore(&memory, sizeof memory);
          checker_->ignore(memory, child.closure().bytes);
        }
        run_grid(child.call(), &memory, child.shape());
      }
  }

 private:
  void run_grid(Entry entry, void* const* arguments, const LaunchShape& shape) {
    const unsigned cluster = static_cast<unsigned>(shape.cluster.count());
    const bool is_spread = shape.cooperative && shape.grid.count() > 1;
    if (cluster > 1 || is_spread)
      run_together(entry, arguments, shape);
    else
      run_blocks(entry, arguments, shape);
    if (failure_) {
      children_.take();
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  }

  /// Blocks that wait for each other have one CPU thread each: those of the grid, or of one cluster
  /// after the other.
  void run_together(Entry entry, void* const* arguments, const LaunchShape& shape) {
    const auto cluster_size = static_cast<unsigned>(shape.cluster.count());
    const auto blocks = static_cast<unsigned>(shape.grid.count());
    const unsigned at_once = shape.cooperative ? blocks : cluster_size;
    BlockGroup grid(at_once);
    std::deque<BlockGroup> clusters;
    if (cluster_size > 1)
      for (unsigned k = 0; k < at_once / cluster_size; ++k) clusters.emplace_back(cluster_size);
    const ThreadOrder order = thread_order();
    failure_ = nullptr;
    std::vector<std::jthread> threads;
    for (unsigned k = 0; k < at_once; ++k)
      threads.emplace_back([&, k] {
        BlockRunner runner;
        try {
          for (unsigned number = k; number < blocks; number += at_once)
            runner.run(entry, arguments, shape, block_in_cluster(shape, number), order,
                       {.cluster = clusters.empty() ? nullptr : &clusters[k / cluster_size],
                        .grid = shape.cooperative ? &grid : nullptr,
                        .cluster_rank = k % cluster_size,
                        .grid_rank = k,
                        .children = &children_,
                        .checker = checker_});
        } catch (...) {
          // Blocks that begin the next set would otherwise wait for this thread.
          for (BlockGroup& each : clusters) each.abandon();
          grid.abandon();
          const std::lock_guard lock(mutex_);
          if (!failure_) failure_ = std::current_exception();
        }
      });
    threads.clear();
  }

  /// Blocks numbered cluster by cluster.
  static Dim3 block_in_cluster(const LaunchShape& shape, unsigned number) {
    const Dim3 &of = shape.cluster, clusters{shape.grid.x / of.x, shape.grid.y / of.y, 1};
    const auto size = static_cast<unsigned>(of.count());
    const unsigned cluster = number / size, rank = number % size;
    return {cluster % clusters.x * of.x + rank % of.x,
            cluster / clusters.x % clusters.y * of.y + rank / of.x % of.y,
            cluster / clusters.x / clusters.y * of.z + rank / of.x / of.y};
  }

  void run_blocks(Entry entry, void* const* arguments, const LaunchShape& shape) {
    entry_ = entry;
    arguments_ = arguments;
    shape_ = shape;
    order_ = thread_order();
    count_ = shape.grid.count();
    next_ = 0;
    failure_ = nullptr;
    const bool shared = count_ > 1 && !threads_.empty();
    if (shared) {
      const std::lock_guard lock(mutex_);
      busy_ = threads_.size();
      ++launch_;
      wake_.notify_all();
    }
    work(own_);
    if (shared) {
      std::unique_lock lock(mutex_);
      done_.wait(lock, [this] { return busy_ == 0; });
    }
  }

  void serve(const std::stop_token& stop) {
    BlockRunner runner;
    std::uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        if (!wake_.wait(lock, stop, [&] { return launch_ != seen; })) return;
        seen = launch_;
      }
      work(runner);
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  void work(BlockRunner& runner) {
    for (;;) {
      const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
      if (number >= count_) return;
      const Dim3 block{static_cast<std::uint32_t>(number % shape_.grid.x),
                       static_cast<std::uint32_t>(number / shape_.grid.x % shape_.grid.y),
                       static_cast<std::uint32_t>(number / shape_.grid.x / shape_.grid.y)};
      try {
        runner.run(entry_, arguments_, shape_, block, order_,
                   {.children = &children_, .checker = checker_});
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_ = count_;
      }
    }
  }

  Checker* checker_ = nullptr;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable done_;
  std::uint64_t launch_ = 0;
  std::size_t busy_ = 0;
  std::exception_ptr failure_;

  Entry entry_ = nullptr;
  void* const* arguments_ = nullptr;
  LaunchShape shape_;
  ThreadOrder order_ = ThreadOrder::kForward;
  std::uint64_t count_ = 0;
  std::atomic<std::uint64_t> next_{0};
  ChildLaunches children_;
  BlockRunner own_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

WorkerPool::WorkerPool(int threads, Checker* checker)
    : state_(std::make_unique<State>(threads, checker)) {}
WorkerPool::~WorkerPool() = default;
void WorkerPool::run(Entry entry, void* const* arguments, const LaunchShape& shape) {
  state_->run(entry, arguments, shape);
}

int usable_cores() {
  if (const auto wanted = environment("KERNELBATCH_THREADS")) {
    const int threads = std::atoi(wanted->c_str());
    if (threads < 1)
      throw SpecError(fmt::format("KERNELBATCH_THREADS='{}' is not a number of threads", *wanted));
    return threads;
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
  return 1;
}

}  // namespace kernelbatch::host
