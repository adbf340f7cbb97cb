// kernelbatch check-results: checks stored results against their digests.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/app/command.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/result/inspect.hpp"

namespace kernelbatch::app {
namespace {

int check_files(const std::vector<std::string>& paths) {
  std::int64_t files = 0, damaged = 0, arrays = 0, without_digest = 0;
  for (const std::string& path : paths)
    inspect_results(path, [&](const InspectedFile& inspected) {
      ++files;
      arrays += inspected.arrays;
      if (!inspected.has_digest) ++without_digest;
      if (inspected.problem.empty()) return;
      ++damaged;
      fmt::print("damaged: {}: {}\n", inspected.path.string(), inspected.problem);
    });
  fmt::print("{}, {}: {}\n", plural(static_cast<std::uint64_t>(files), "file"),
             plural(static_cast<std::uint64_t>(arrays), "array"),
             damaged == 0
                 ? "all whole"
                 : fmt::format("{} damaged",
                               damaged == 1
                                   ? "1 file is"
                                   : plural(static_cast<std::uint64_t>(damaged), "file") + " are"));
  if (without_digest > 0)
    fmt::print("{} of schema 1, which has digests of arrays only\n",
               without_digest == 1
                   ? "1 file is"
                   : plural(static_cast<std::uint64_t>(without_digest), "file") + " are");
  return static_cast<int>(damaged == 0 ? ExitCode::kOk : ExitCode::kVerificationFailed);
}

}  // namespace

Command check_results_command() {
  auto paths = std::make_shared<std::vector<std::string>>();
  Command command{.name = "check-results",
                  .former_name = "verify",
                  .summary =
                      "Check result files, shards and their arrays against the stored digests.\n"
                      "Exits with 1 if one is damaged, and lists it"};
  command.add({{.names = {"FILE"},
                .help = "Result files, or folders of shards",
                .target = paths.get(),
                .type = kResultFile,
                .is_required = true}});
  command.examples = {{"kernelbatch check-results results/quickstart.h5", ""}};
  command.action = [paths] { return check_files(*paths); };
  return command;
}

}  // namespace kernelbatch::app
