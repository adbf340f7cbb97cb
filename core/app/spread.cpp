#include "core/app/spread.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include "core/app/interrupt.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/run/compile_ahead.hpp"

namespace kernelbatch::app {
namespace {

/// One process of the run, and its current line of output.
struct Part {
  pid_t process = -1;
  FileDescriptor output;
  std::string line;
  int exit_code = 0;
};

std::vector<std::string> command_of(const SpreadRun& run, std::size_t k) {
  std::vector<std::string> words{executable_path().string(), "run"};
  words.insert(words.end(), run.job.files.begin(), run.job.files.end());
  for (std::string& word : option_words(run.job)) words.push_back(std::move(word));
  words.insert(words.end(), run.flags.begin(), run.flags.end());
  for (const char* option : {"--jobs", "1", "--device"}) words.emplace_back(option);
  words.push_back(run.devices[k]);
  words.emplace_back("--shard");
  words.push_back(fmt::format("{}/{}", run.parts.index + k + 1, run.parts.count));
  if (!run.queue.empty()) words.insert(words.end(), {"--queue", run.queue});
  return words;
}

/// The parts share the cores for compilers.
Part start(const std::vector<std::string>& command, int compilers) {
  Pipe pipe = make_pipe();
  Part part;
  // Their tables would be partial: the whole one is printed at the end.
  part.process =
      spawn(command, {.descriptors = {{1, SpawnOptions::kNull}, {2, pipe.write_end.get()}},
                      .environment = {{kCompilersVariable, std::to_string(compilers)}}});
  part.output = std::move(pipe.read_end);
  return part;
}

/// Prints complete lines, prefixed by the part's number. Returns false at the end of its output.
bool pass_on(Part& part, std::size_t number) {
  char buffer[1 << 14];
  const ssize_t count = ::read(part.output.get(), buffer, sizeof buffer);
  if (count < 0 && errno == EINTR) return true;
  if (count > 0) part.line.append(buffer, static_cast<std::size_t>(count));
  if (count <= 0 && !part.line.empty()) part.line += '\n';
  for (std::size_t end; (end = part.line.find('\n')) != std::string::npos;) {
    fmt::print(stderr, "[{}] {}\n", number, part.line.substr(0, end));
    part.line.erase(0, end + 1);
  }
  return count > 0;
}

void wait_for(Part& part) {
  int status = 0;
  while (::waitpid(part.process, &status, 0) < 0 && errno == EINTR) {
  }
  part.exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitCode::kCaseFailed);
}

/// By the signal that this process got: the time limit's differs from that of a cancellation.
void stop_all(const std::vector<Part>& parts) {
  const int signal = interrupting_signal() == SIGTERM ? SIGTERM : SIGUSR1;
  for (const Part& part : parts)
    if (part.output) ::kill(part.process, signal);
}

}  // namespace

std::vector<std::string> devices_for(const std::string& jobs, const std::string& selector,
                                     const std::vector<std::string>& granted) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(jobs.data(), jobs.data() + jobs.size(), count);
  const bool is_auto = jobs == "auto";
  if (!is_auto && (error != std::errc{} || end != jobs.data() + jobs.size() || count == 0))
    throw SpecError(fmt::format("--jobs '{}': expected auto or a number from 1", jobs));
  const bool may_spread = selector.empty() || selector == "auto" || selector == "cuda";
  if ((is_auto && (!may_spread || granted.size() < 2)) || count == 1) return {selector};
  if (selector == "host" || (may_spread && selector != "cuda" && granted.empty()))
    return std::vector<std::string>(count, "host");
  if (!may_spread)
    throw SpecError(
        fmt::format("--jobs {}: device '{}' is one device; auto, cuda and host can be "
                    "several",
                    jobs, selector));
  if (is_auto) return granted;
  if (count > granted.size())
    throw SpecError(
        fmt::format("--jobs {}: {} GPU(s) or slices are granted, and two runs on one "
                    "would disturb each other's times",
                    jobs, granted.size()));
  return {granted.begin(), granted.begin() + static_cast<std::ptrdiff_t>(count)};
}

int run_spread(const SpreadRun& run) {
  std::vector<Part> parts;
  const int compilers = compile_processes() / static_cast<int>(run.devices.size());
  try {
    for (std::size_t k = 0; k < run.devices.size(); ++k) {
      fmt::print(stderr, "[{}] takes {}\n", k + 1, run.devices[k]);
      parts.push_back(start(command_of(run, k), compilers));
    }
  } catch (const RunError&) {
    stop_all(parts);
    for (Part& part : parts) wait_for(part);
    throw;
  }
  bool was_interrupted = false;
  while (std::ranges::any_of(parts, [](const Part& part) { return bool{part.output}; })) {
    std::vector<pollfd> polled;
    // Negative descriptors are ignored.
    for (const Part& part : parts)
      polled.push_back({part.output ? part.output.get() : -1, POLLIN, 0});
    polled.push_back({was_interrupted ? -1 : run.interrupt, POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    if ((polled.back().revents & POLLIN) != 0) {
      was_interrupted = true;
      stop_all(parts);
    }
    for (std::size_t k = 0; k < parts.size(); ++k)
      if ((polled[k].revents & (POLLIN | POLLHUP)) != 0 && !pass_on(parts[k], k + 1))
        parts[k].output.reset();
  }
  int code = 0;
  for (Part& part : parts) {
    wait_for(part);
    if (code == 0 || part.exit_code == static_cast<int>(ExitCode::kResumable))
      code = part.exit_code;
  }
  return code;
}

}  // namespace kernelbatch::app
