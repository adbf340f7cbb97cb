// The command `kernelbatch`.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <sstream>
#include <system_error>

#include "core/app/command.hpp"
#include "core/app/completion.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/case/worker.hpp"

namespace kernelbatch::app {

std::vector<std::string>& command_line() {
  static std::vector<std::string> arguments;
  return arguments;
}

std::vector<std::string> worker_command() { return {executable_path().string(), "__worker"}; }

namespace {

/// As a shell reports a command that a closed pipe ended.
constexpr int kNobodyReads = 128 + SIGPIPE;

int report(const std::exception& error, int code) {
  fmt::print(stderr, "kernelbatch: {}\n", visible(error.what()));
  return code;
}

/// The exit code where standard output takes no more, for this reason.
int report_output(int reason) {
  if (reason == EPIPE) return kNobodyReads;
  fmt::print(stderr, "kernelbatch: cannot write to standard output: {}\n", std::strerror(reason));
  return static_cast<int>(ExitCode::kStoreFailed);
}

/// What is printed is written for good only when it has left the buffer.
int finish_output(int code) { return std::fflush(stdout) == 0 ? code : report_output(errno); }

int run_command(int argc, char** argv) {
  CLI::App app{
      "Runs GPU kernels written in every style: verified, timed, stored.\n"
      "Exit codes: 0 good, 1 a verification failed, 2 bad job or usage, 3 a case crashed or "
      "timed out,\n4 no usable device, 5 compare gate, 6 results not written, 75 stopped, "
      "resumable.",
      "kernelbatch"};
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  app.fallthrough();
  app.formatter(help_formatter());
  app.add_option("--color", colour_choice(),
                 "auto (on terminals, unless NO_COLOR is set), always or never")
      ->envname("KERNELBATCH_COLOR")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  Action action;
  add_run(app, action);
  add_check(app, action);
  add_compile(app, action);
  add_cache(app, action);
  add_list(app, action);
  add_describe(app, action);
  add_devices(app, action);
  add_show(app, action);
  add_submit(app, action);
  add_status(app, action);
  add_merge(app, action);
  add_verify(app, action);
  add_compare(app, action);
  add_export(app, action);
  add_report(app, action);
  add_new_plugin(app, action);
  add_schema(app, action);
  add_completion(app, action);
  add_man(app, action);
  add_examples(app, {{"kernelbatch check jobs/quickstart.yaml", "what would it run?"},
                     {"kernelbatch run jobs/quickstart.yaml", ""},
                     {"kernelbatch show results/quickstart.h5", ""}});
  std::vector<std::string> known;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(each->get_name());
  if (argc > 1 && argv[1][0] != '-' && std::ranges::find(known, argv[1]) == known.end())
    throw SpecError(fmt::format("unknown subcommand '{}'{}", argv[1], suggestion(argv[1], known)));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    std::ostringstream help;
    const int code = app.exit(success, help);
    fmt::print("{}", help.str());
    return code;
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return static_cast<int>(ExitCode::kBadSpec);
  }
  return action();
}

}  // namespace
}  // namespace kernelbatch::app

int main(int argc, char** argv) {
  using namespace kernelbatch;
  open_standard_descriptors();
  // The supervisor starts workers this way; the channel is descriptor 3.
  if (argc == 2 && std::strcmp(argv[1], "__worker") == 0) return run_worker(3);
  // A write past the file size limit, or to a pipe that nobody reads, then fails with a reason
  // instead of ending the process in the middle of a run.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  app::adapt_output();
  // Completion asks this way, so it must be quick.
  if (argc == 3 && std::strcmp(argv[1], "__words") == 0) {
    fmt::print("{}", app::completion_words(argv[2]));
    return app::finish_output(0);
  }
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    fmt::print("{}\n", version_text());
    return app::finish_output(0);
  }
  for (int k = 0; k < argc; ++k) app::command_line().emplace_back(argv[k]);
  try {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("kernelbatch"));
    spdlog::set_pattern("%n: %v");
    return app::finish_output(app::run_command(argc, argv));
  } catch (const std::system_error& error) {
    // A full disk, or a pipe that nobody reads, where SIGPIPE is ignored.
    if (std::ferror(stdout) != 0) return app::report_output(error.code().value());
    return app::report(error, static_cast<int>(ExitCode::kCaseFailed));
  } catch (const Error& error) {
    return app::report(error, static_cast<int>(error.exit_code()));
  } catch (const std::exception& error) {
    return app::report(error, static_cast<int>(ExitCode::kCaseFailed));
  }
}
