// The command `kernelbatch`.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

#include "core/app/command.hpp"
#include "core/app/command_line.hpp"
#include "core/app/completion.hpp"
#include "core/base/error_list.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/case/worker/worker.hpp"

namespace kernelbatch::app {

WorkerCommand worker_command(Variables environment) {
  // A reference's idle threads must not take cores from timed work.
  if (std::getenv("OMP_WAIT_POLICY") == nullptr)
    environment.emplace_back("OMP_WAIT_POLICY", "passive");
  return {{executable_path().string(), "__worker"}, std::move(environment)};
}

namespace {

/// Exit code that a shell reports for a command ended by a closed pipe.
constexpr int kNobodyReads = 128 + SIGPIPE;

int report(const std::exception& error, int code) {
  const auto print = [](const std::exception& one) {
    fmt::print(stderr, "kernelbatch: {}\n", visible(one.what()));
  };
  if (const auto* several = dynamic_cast<const SpecErrors*>(&error)) {
    std::ranges::for_each(several->all(), print);
    fmt::print(stderr, "kernelbatch: {}\n", plural(several->all().size(), "error"));
  } else {
    print(error);
  }
  return code;
}

/// Exit code for a failure of standard output.
int report_output(int reason) {
  if (reason == EPIPE) return kNobodyReads;
  fmt::print(stderr, "kernelbatch: cannot write to standard output: {}\n", std::strerror(reason));
  return static_cast<int>(ExitCode::kStoreFailed);
}

/// Output is written only when it has left the buffer.
int finish_output(int code) { return std::fflush(stdout) == 0 ? code : report_output(errno); }

}  // namespace
}  // namespace kernelbatch::app

int main(int argc, char** argv) {
  using namespace kernelbatch;
  open_standard_descriptors();
  // The supervisor starts workers this way; the channel is descriptor 3.
  if (argc == 2 && std::strcmp(argv[1], "__worker") == 0) return run_worker(3);
  // A write past the file size limit, or to a closed pipe, then fails with an error instead of
  // killing the process during a run.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  app::adapt_output();
  // Used by completion, so it must be quick.
  if (argc == 3 && std::strcmp(argv[1], "__words") == 0) {
    fmt::print("{}", app::completion_words(argv[2]));
    return app::finish_output(0);
  }
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    fmt::print("{}\n", version_text());
    return app::finish_output(0);
  }
  try {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("kernelbatch"));
    spdlog::set_pattern("%n: %v");
    return app::finish_output(app::run_command_line(app::command_table(), argc, argv));
  } catch (const std::system_error& error) {
    // A full disk, or a closed pipe if SIGPIPE is ignored.
    if (std::ferror(stdout) != 0) return app::report_output(error.code().value());
    return app::report(error, static_cast<int>(ExitCode::kCaseFailed));
  } catch (const Error& error) {
    return app::report(error, static_cast<int>(error.exit_code()));
  } catch (const std::exception& error) {
    return app::report(error, static_cast<int>(ExitCode::kCaseFailed));
  }
}
