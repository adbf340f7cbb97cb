// leave_one_out REPEATS SPACE...: scores settings of `search: auto` on each recorded space; and,
// for each space, those that did best on the others. Only prints results.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/search/model_search.hpp"
#include "core/search/score.hpp"

using namespace kernelbatch;

namespace {

struct Candidate {
  std::string name;
  ModelSettings settings;
};

std::vector<Candidate> all_settings() {
  std::vector<Candidate> all{{"as it is", {}}};
  const auto add = [&](const std::string& name, auto change) {
    Candidate one{name, {}};
    change(one.settings);
    all.push_back(one);
  };
  add("first 10", [](ModelSettings& s) { s.first = 10; });
  add("planned 1", [](ModelSettings& s) { s.planned = 1; });
  add("elite 4", [](ModelSettings& s) { s.elite = 4; });
  add("elite 10", [](ModelSettings& s) { s.elite = 10; });
  add("anywhere 200", [](ModelSettings& s) { s.anywhere = 200; });
  add("clip 0.9", [](ModelSettings& s) { s.clip = 0.9; });
  add("clip 0.4", [](ModelSettings& s) { s.clip = 0.4; });
  add("least gain 0.01", [](ModelSettings& s) { s.least_gain = 0.01; });
  add("least gain 0.05", [](ModelSettings& s) { s.least_gain = 0.05; });
  add("differs 0.3", [](ModelSettings& s) { s.differs = 0.3; });
  add("differs 0.5", [](ModelSettings& s) { s.differs = 0.5; });
  return all;
}

double score_of(const RecordedSpace& space, const ModelSettings& settings, int repeats) {
  return replay(space, RandomBaseline(space.tries()),
                {.repeats = repeats,
                 .make =
                     [&](const SearchSpace& of, std::uint64_t seed) {
                       return std::make_unique<ModelSearch>(of, seed, settings);
                     }})
      .score;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: leave_one_out REPEATS SPACE...\n");
    return 2;
  }
  const int repeats = std::atoi(argv[1]);
  std::vector<RecordedSpace> spaces;
  for (int k = 2; k < argc; ++k) spaces.push_back(RecordedSpace::read(argv[k]));
  const std::vector<Candidate> settings = all_settings();
  std::vector<std::vector<double>> scores;
  for (const Candidate& each : settings) {
    std::vector<double> row;
    for (const RecordedSpace& space : spaces)
      row.push_back(score_of(space, each.settings, repeats));
    fmt::print("{:16}", each.name);
    double mean = 0;
    for (const double score : row) {
      fmt::print(" {:7.3f}", score);
      mean += score / static_cast<double>(row.size());
    }
    fmt::print("  mean {:.3f}\n", mean);
    std::fflush(stdout);
    scores.push_back(std::move(row));
  }
  double sum = 0;
  for (std::size_t out = 0; out < spaces.size(); ++out) {
    const auto others = [&](std::size_t k) {
      double mean = 0;
      for (std::size_t space = 0; space < spaces.size(); ++space)
        if (space != out) mean += scores[k][space] / static_cast<double>(spaces.size() - 1);
      return mean;
    };
    std::size_t best = 0;
    for (std::size_t k = 1; k < settings.size(); ++k)
      if (others(k) > others(best)) best = k;
    fmt::print("without space {}: {} ({:.3f} on the others), {:.3f} on it\n", out + 1,
               settings[best].name, others(best), scores[best][out]);
    sum += scores[best][out];
  }
  fmt::print("left out: mean {:.3f}\n", sum / static_cast<double>(spaces.size()));
}
