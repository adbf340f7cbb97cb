// The command `kernelbatch`.
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>

#include "core/app/command.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/run/compile_worker.hpp"
#include "core/run/environment_record.hpp"
#include "core/run/worker.hpp"

namespace kernelbatch::app {

std::vector<std::string>& command_line() {
  static std::vector<std::string> arguments;
  return arguments;
}

std::vector<std::string> worker_command() { return {executable_path().string(), "__worker"}; }

std::vector<std::string> compile_worker_command() {
  return {executable_path().string(), "__compile"};
}

namespace {

/// --color, until it is known what it means for standard output.
std::string& colour_choice() {
  static std::string choice = "auto";
  return choice;
}

}  // namespace

TextFormat text_format() {
  winsize size{};
  const bool is_terminal = ::isatty(1) != 0;
  TextFormat format;
  if (is_terminal && ::ioctl(1, TIOCGWINSZ, &size) == 0) format.width = size.ws_col;
  format.has_colour = colour_choice() == "always" ||
                      (colour_choice() == "auto" && is_terminal && !environment("NO_COLOR") &&
                       environment("TERM").value_or("") != "dumb");
  return format;
}

namespace {

int report(const std::exception& error, int code) {
  fmt::print(stderr, "kernelbatch: {}\n", error.what());
  return code;
}

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
  add_compare(app, action);
  add_export(app, action);
  add_report(app, action);
  add_new_plugin(app, action);
  add_schema(app, action);
  std::vector<std::string> known;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(each->get_name());
  if (argc > 1 && argv[1][0] != '-' && std::ranges::find(known, argv[1]) == known.end())
    throw SpecError(fmt::format("unknown subcommand '{}'{}", argv[1], suggestion(argv[1], known)));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
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
  // The supervisor starts workers this way; the channel is descriptor 3.
  if (argc == 2 && std::strcmp(argv[1], "__worker") == 0) return run_worker(3);
  if (argc == 2 && std::strcmp(argv[1], "__compile") == 0) return run_compile_worker(3);
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    fmt::print("{}\n", version_text());
    return 0;
  }
  // A write past the file size limit then fails with a reason instead of ending the process.
  std::signal(SIGXFSZ, SIG_IGN);
  for (int k = 0; k < argc; ++k) app::command_line().emplace_back(argv[k]);
  try {
    spdlog::set_default_logger(spdlog::stderr_logger_mt("kernelbatch"));
    spdlog::set_pattern("%n: %v");
    return app::run_command(argc, argv);
  } catch (const Error& error) {
    return app::report(error, static_cast<int>(error.exit_code()));
  } catch (const std::exception& error) {
    return app::report(error, static_cast<int>(ExitCode::kCaseFailed));
  }
}
