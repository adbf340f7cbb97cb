// kernelbatch tune: searches a job's parameters, or replays a search on recorded times.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/app/command.hpp"
#include "core/app/terminal.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/search/score.hpp"

namespace kernelbatch::app {
namespace {

struct TuneCommand {
  std::vector<std::string> files;
  std::string search = std::string(name_of(SearchStrategy::kAuto));
  int repeats = 100, seed = 1;
  bool prints_json = false;
};

struct Replayed {
  std::string name;
  RandomBaseline baseline;
  std::size_t size = 0;
  ReplayScore score;
};

/// Number of tries in nine of ten repeats.
std::string tries_text(const Replayed& replayed) {
  const auto& tries = replayed.score.tries_to_five_percent;
  const std::size_t nine = tries[(tries.size() * 9 + 9) / 10 - 1];
  return nine >= replayed.size ? "not before the end" : fmt::format("{} tries", nine);
}

void print_curve(const Replayed& replayed) {
  const ReplayScore& score = replayed.score;
  fmt::print(
      "{}: {} configurations, best {}, median {}; random search comes near in {} ({} tries)\n",
      replayed.name, replayed.size, format_seconds(replayed.baseline.best()),
      format_seconds(replayed.baseline.median()), format_seconds(score.cutoff),
      replayed.baseline.cutoff());
  fmt::print("  {:>10} {:>8} {:>12} {:>12} {:>8}\n", "time", "tries", "random", "found", "score");
  constexpr std::size_t kRows = 10;
  for (std::size_t row = 1; row <= kRows; ++row) {
    const auto& point = score.curve[row * score.curve.size() / kRows - 1];
    fmt::print("  {:>10} {:>8.0f} {:>12} {:>12} {:>8.3f}\n", format_seconds(point.time),
               point.tries, format_seconds(point.baseline), format_seconds(point.found),
               point.score);
  }
  fmt::print("  within 5 % of the best in nine of ten repeats: {}; overhead {} a try\n\n",
             tries_text(replayed), format_seconds(score.overhead));
}

void print_score(const TuneCommand& command, double score, const std::string& of) {
  fmt::print("P = {:.3f} ({}, {}, {} repeats)\n", score, of, command.search, command.repeats);
}

nlohmann::ordered_json json_of(const Replayed& replayed) {
  const ReplayScore& score = replayed.score;
  nlohmann::ordered_json curve = nlohmann::ordered_json::array();
  for (const auto& point : score.curve)
    curve.push_back({{"time", point.time},
                     {"tries", point.tries},
                     {"random", point.baseline},
                     {"found", point.found},
                     {"score", point.score}});
  return {{"space", replayed.name},
          {"configurations", replayed.size},
          {"best", replayed.baseline.best()},
          {"median", replayed.baseline.median()},
          {"cutoff", score.cutoff},
          {"cutoff_tries", replayed.baseline.cutoff()},
          {"score", score.score},
          {"overhead", score.overhead},
          {"tries_to_five_percent", score.tries_to_five_percent},
          {"curve", std::move(curve)}};
}

int replay_files(const TuneCommand& command) {
  ReplayOptions options;
  options.strategy = parse_choice<SearchStrategy>(command.search).value();
  options.repeats = command.repeats;
  options.seed = static_cast<std::uint64_t>(command.seed);
  // Reads all files first, so that an unreadable one is reported before a long replay.
  std::vector<RecordedSpace> spaces;
  for (const std::string& file : command.files) spaces.push_back(RecordedSpace::read(file));
  double sum = 0;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (command.prints_json) print_data();
  for (const RecordedSpace& space : spaces) {
    const RandomBaseline baseline(space.tries());
    const Replayed replayed{space.name(), baseline, space.size(), replay(space, baseline, options)};
    sum += replayed.score.score;
    if (command.prints_json) {
      all.push_back(json_of(replayed));
      continue;
    }
    print_curve(replayed);
    print_score(command, replayed.score.score, replayed.name);
    if (spaces.size() > 1) fmt::print("\n");
  }
  if (command.prints_json) {
    fmt::print("{}\n", all.dump(1));
    return static_cast<int>(ExitCode::kOk);
  }
  if (spaces.size() > 1)
    print_score(command, sum / static_cast<double>(spaces.size()),
                fmt::format("mean of {} spaces", spaces.size()));
  return static_cast<int>(ExitCode::kOk);
}

constexpr const char* kTuneSummary =
    "Search the parameters under `tune:` in a job for the fastest combination.\n"
    "With --replay: run a search on recorded times instead of a GPU and score it. The score P is 0 "
    "for random search and 1 if the best configuration is found at once, averaged over the time "
    "in which random search covers 95 % of the way from the median to the best. Cost of a try: "
    "recorded compile and run time, plus search overhead";

}  // namespace

Command tune_command() {
  auto options = std::make_shared<TuneCommand>();
  Command command{.name = "tune", .summary = kTuneSummary};
  const Action run = add_run_options(command, true);
  for (Option& option : command.options)
    if (option.is_argument()) option.is_required = false;
  command.add({{.names = {"--replay"},
                .help = "Recorded times: cache files of Kernel Tuner, or T4 results, plain or gzip",
                .target = &options->files},
               {.names = {"--search"},
                .help = "Search strategy of --replay",
                .target = &options->search,
                .choices = names_of<SearchStrategy>(),
                .needs = "--replay"},
               {.names = {"--repeats"},
                .help = "Number of replayed searches, each with another seed",
                .target = &options->repeats,
                .needs = "--replay",
                .is_positive = true},
               {.names = {"--seed"},
                .help = "Seed of the first replayed search",
                .target = &options->seed,
                .needs = "--replay"},
               {.names = {"--json"},
                .help = "JSON instead of text, with --replay",
                .target = &options->prints_json,
                .needs = "--replay"}});
  command.examples = {{"kernelbatch tune jobs/tune.yaml", "search, verify and time"},
                      {"kernelbatch tune --replay data/tuning/pnpoly_rtx3090.json.gz --repeats 5",
                       "score a search strategy"}};
  command.action = [options, run] {
    return options->files.empty() ? run() : replay_files(*options);
  };
  return command;
}

}  // namespace kernelbatch::app
