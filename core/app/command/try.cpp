// kernelbatch try: checks and compares kernel files.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/interrupt.hpp"
#include "core/app/try/session.hpp"
#include "core/app/try/try_options.hpp"
#include "core/base/error.hpp"

namespace kernelbatch::app {
namespace {

struct TryCommand {
  TryOptions request;
  bool prints_json = false, prints_lines = false, has_host_times = false;
};

void print_answer(const TryAnswer& answer, const TryDevice& device, const TryCommand& command) {
  if (command.prints_lines)
    fmt::print("{}\n", to_json(answer, device).dump());
  else
    fmt::print("{}", command.prints_json ? indented(to_json(answer, device)) : to_text(answer));
  std::fflush(stdout);
}

/// The pairs to be judged: the first file with each other one.
std::vector<TryOptions> pairs_of(const TryOptions& request) {
  if (request.files.size() <= 2) return {request};
  std::vector<TryOptions> pairs;
  for (std::size_t k = 1; k < request.files.size(); ++k) {
    pairs.push_back(request);
    pairs.back().files = {request.files.front(), request.files[k]};
  }
  return pairs;
}

int judge_files(const TryCommand& command) {
  TryOptions request = command.request;
  const TryDevice device = TryDevice::choose(request.device);
  if (!device.note.empty()) fmt::print(stderr, "kernelbatch: {}\n", device.note);
  request.is_timed = device.is_timed(command.has_host_times);
  const std::vector<TryOptions> pairs = pairs_of(request);
  TrySession session(
      {.device = device, .interrupt = catch_interrupts(), .keeps_spare = pairs.size() > 1});
  ExitCode code = ExitCode::kOk;
  for (const TryOptions& pair : pairs) {
    const TryAnswer answer = session.answer(pair);
    if (!answer.error.empty() && !command.prints_json && !command.prints_lines)
      throw Error(answer.exit_code, answer.error);
    print_answer(answer, device, command);
    if (answer.exit_code != ExitCode::kOk && code != ExitCode::kVerificationFailed)
      code = answer.exit_code;
  }
  if (request.is_timed && !device.is_gpu && !command.prints_json && !command.prints_lines)
    fmt::print("Times are of the host simulation, not of a GPU.\n");
  return static_cast<int>(code);
}

int try_files(const TryCommand& command) {
  if (command.prints_json || command.prints_lines) print_data();
  try {
    return judge_files(command);
  } catch (const Error& error) {
    if (!command.prints_json && !command.prints_lines) throw;
    print_answer(failed_answer(error), {}, command);
    return static_cast<int>(error.exit_code());
  }
}

}  // namespace

Command try_files_command() {
  auto options = std::make_shared<TryCommand>();
  Command command{
      .name = "try",
      .summary =
          "Check a kernel file against the expected output, or compare others with a first one: "
          "RIGHT, WRONG, SUSPECT, UNSAFE, FAILED; on a GPU FASTER, SLOWER, SAME, UNSURE"};
  command.add({{.names = {"CU"},
                .help = "Kernel files; the first of several is the reference unless one is given",
                .target = &options->request.files,
                .type = kAnyFile,
                .is_required = true}});
  command.add(try_options(options->request));
  command.add(
      {host_times_option(options->has_host_times),
       {.names = {"--json"}, .help = "JSON instead of text", .target = &options->prints_json},
       {.names = {"--jsonl"},
        .help = "One line of JSON for each pair",
        .target = &options->prints_lines}});
  command.examples = {
      {"kernelbatch try jobs/try/slope.cu jobs/try/slope_four.cu --in "
       "height=data/inputs/jacksboro_fault_dem.npy --out steepness",
       "is the second one correct, and faster?"}};
  command.action = [options] { return try_files(*options); };
  command.on_wrong_usage = [](const std::vector<std::string>& words, const std::string& problem) {
    TryCommand wanted;
    wanted.prints_json = std::ranges::find(words, "--json") != words.end();
    wanted.prints_lines = std::ranges::find(words, "--jsonl") != words.end();
    if (!wanted.prints_json && !wanted.prints_lines) return;
    print_data();
    print_answer(failed_answer(SpecError(problem)), {}, wanted);
  };
  return command;
}

}  // namespace kernelbatch::app
