// JudgeServer: judges requests as they come: compilers on all cores, one worker that runs kernels.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/app/try/request.hpp"
#include "core/app/try/session.hpp"

namespace kernelbatch::app {

/// Elements in order; pop() waits for one.
template <class T>
class WaitingQueue {
 public:
  void push(T element) {
    const std::lock_guard lock(mutex_);
    elements_.push_back(std::move(element));
    changed_.notify_one();
  }
  /// Nothing once the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_closed_ || !elements_.empty(); });
    if (elements_.empty()) return std::nullopt;
    T first = std::move(elements_.front());
    elements_.pop_front();
    return first;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> elements_;
  bool is_closed_ = false;
};

/// Several processes compile kernels into the kernel cache, from which one worker loads and runs
/// them. On a GPU each right kernel is timed alternately with the fastest one so far of the same
/// problem. Replies come in order of completion, from the server's threads.
class JudgeServer {
 public:
  using Reply = std::function<void(const JudgedJson& reply)>;
  struct Setting {
    TryDevice device;
    int compilers = 1;
    int interrupt = -1;
    bool is_timed = true;
  };
  explicit JudgeServer(Setting setting);
  /// Answers all requests first.
  ~JudgeServer();
  JudgeServer(const JudgeServer&) = delete;
  JudgeServer& operator=(const JudgeServer&) = delete;

  /// `reply` is called once, with the request's id.
  void submit(JudgeRequest request, Reply reply);

 private:
  struct Task {
    JudgeRequest request;
    Reply reply;
  };
  void compile_tasks();
  void run_tasks();
  enum class File : bool { kRemove, kKeep };
  void answer(const Task& task, const TryAnswer& answer, File file = File::kRemove) const;
  TryAnswer judge(const TryOptions& options);

  Setting setting_;
  TrySession session_;
  WaitingQueue<Task> to_compile_, to_run_;
  /// The fastest kernel of each problem.
  struct Best {
    std::string file;
    TryLaunch launch;
  };
  std::map<std::string, Best> best_;
  std::vector<std::thread> compilers_;
  std::thread runner_;
};

}  // namespace kernelbatch::app
