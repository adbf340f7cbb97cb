// After any sequence of events, the file contains the newest result of each case and variant.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "core/base/file.hpp"
#include "core/result/merge.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_writer.hpp"
#include "core/run/finished_results.hpp"
#include "core/run/partition.hpp"
#include "tests/app/background.hpp"
#include "tests/app/command.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

using Key = std::pair<std::string, std::string>;  ///< case and variant
const std::vector<std::string> kVariants{"elementwise", "raw"};

int number_of(const char* variable, int otherwise) {
  if (const char* text = std::getenv(variable)) return std::atoi(text);
  return std::getenv("KERNELBATCH_TEST_QUICK") != nullptr ? std::max(1, otherwise / 10) : otherwise;
}

std::string text_of(const ResultRecord& record) {
  return fmt::format("{} in run {}", to_text(record.status), record.stop_reason);
}

/// The file's results by case and variant; each exactly once.
std::map<Key, std::string> words_in(const fs::path& file) {
  std::map<Key, std::string> words;
  if (!fs::exists(file) && list_shards(shards_folder(file)).empty()) return words;
  const ResultFile read = read_results(file);
  CHECK(read.problems.empty());
  for (const ResultRecord& record : read.results) {
    const bool is_new = words.emplace(Key{record.case_id, record.variant}, text_of(record)).second;
    CHECK(is_new);
  }
  return words;
}

/// A job of three cases of two variants, run like the supervisor does: results are numbered by
/// next_run() and written as shards. The model is a map that every stored result overwrites.
class SimulatedJob {
 public:
  explicit SimulatedJob(std::uint64_t seed) : random_(seed) {
    for (std::size_t number = 0; number < 3; ++number)
      cases_.push_back({test::case_name(static_cast<int>(number)), number, 0, {}, number});
  }

  void step() {
    // A clock that is occasionally set back, and nodes with different clocks.
    clock_ns_ += upto(10) == 0 ? -1'000'000'000'000 : 1'000'000 * upto(1000);
    switch (upto(8)) {
      case 0:
      case 1:
      case 2:
        return run({0, 1}, false);
      case 3:
        return run({0, 1}, true);
      case 4:
        return run_shards(false);
      case 5:
        return run_shards(true);
      case 6:
        return merge();
      default:
        // A merge that was killed after its rename: the shards are still there.
        return merge_and_keep_shards();
    }
  }

  void check() const {
    INFO(history_);
    CHECK(words_in(file_) == model_);
  }

 private:
  int upto(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  void run_shards(bool is_resumed) {
    const std::size_t count = 2 + static_cast<std::size_t>(upto(2));
    for (std::size_t index = 0; index < count; ++index)
      if (upto(4) != 0) run({index, count}, is_resumed);
  }

  void run(const JobShard& shard, bool is_resumed) {
    std::vector<const PlannedCase*> cases;
    for (const PlannedCase& each : cases_)
      if (shard.count == 1 || owner_of(*each.rank, shard.count) == shard.index)
        cases.push_back(&each);
    const fs::path folder = shard_folder(file_, shard_name(shard));
    if (shard.count == 1 && !list_shards(folder).empty()) merge_shards(file_);
    FinishedResults finished(file_, cases);
    const std::int64_t run = next_run(clock_ns_, finished);
    const int number = ++runs_;
    history_ += fmt::format("{}{} {}/{}; ", is_resumed ? "resume" : "run", number, shard.index,
                            shard.count);
    const bool has_only_one = upto(4) == 0;
    for (const PlannedCase* planned : cases) {
      if (upto(8) == 0) {
        history_ += "killed; ";
        return;  // without writing or merging
      }
      CaseRecord record = test::synthetic_case(planned->case_id, 1, 1);
      int attempt = 1;
      std::erase_if(record.results, [&](const ResultRecord& result) {
        if (has_only_one && result.variant != "raw") return true;
        if (!is_resumed) return false;
        for (const FinishedResult& known : finished.of(planned->case_id)) {
          if (known.variant != result.variant) continue;
          if (is_final(known, 1)) return true;
          attempt = std::max(attempt, static_cast<int>(known.order.attempt) + 1);
        }
        return false;
      });
      // A crash that is tried again at once counts the attempts of all that follow.
      if (upto(5) == 0) ++attempt;
      for (ResultRecord& result : record.results) {
        result.run = run;
        result.attempt = attempt;
        result.start_ns = clock_ns_ + upto(1000);
        result.end_ns = result.start_ns + 5;
        result.stop_reason = fmt::format("{}", number);
        constexpr Status kEnds[] = {Status::kOk, Status::kOk, Status::kVerificationFailed,
                                    Status::kCrashed};
        result.status = kEnds[upto(4)];
        model_[{result.case_id, result.variant}] = text_of(result);
      }
      if (!record.results.empty()) write_shard(folder, record, {});
    }
    if (shard.count == 1 && upto(8) != 0) merge();
  }

  void merge() {
    history_ += "merge; ";
    if (fs::exists(file_) || !list_shards(shards_folder(file_)).empty()) merge_shards(file_);
  }

  void merge_and_keep_shards() {
    const fs::path kept = folder_ / "kept";
    if (!fs::exists(shards_folder(file_))) return;
    history_ += "merge, killed; ";
    fs::copy(shards_folder(file_), kept, fs::copy_options::recursive);
    if (!list_shards(kept).empty()) merge_shards(file_);
    fs::remove_all(shards_folder(file_));
    fs::rename(kept, shards_folder(file_));
  }

  test::TemporaryFolder folder_;
  fs::path file_ = folder_ / "out.h5";
  std::vector<PlannedCase> cases_;
  std::mt19937_64 random_;
  std::int64_t clock_ns_ = 1'800'000'000'000'000'000;
  int runs_ = 0;
  std::string history_;
  std::map<Key, std::string> model_;
};

TEST_CASE("After any history the file contains the newest version of each result") {
  const int sequences = number_of("KERNELBATCH_TEST_HISTORIES", 100);
  const int first = number_of("KERNELBATCH_TEST_SEED", 0);
  for (int seed = first; seed < first + sequences; ++seed) {
    SimulatedJob job(static_cast<std::uint64_t>(seed));
    for (int step = 0; step < 7; ++step) {
      job.step();
      job.check();
    }
  }
}

/// The real command; its variant `moody` is controlled by a file.
class RealJob {
 public:
  explicit RealJob(std::uint64_t seed) : random_(seed) {
    ::setenv("FAULTY_MOOD", mood_.c_str(), 1);
  }
  ~RealJob() { ::unsetenv("FAULTY_MOOD"); }
  RealJob(const RealJob&) = delete;
  RealJob& operator=(const RealJob&) = delete;

  void step() {
    static const std::vector<std::string> kMoods{"good", "good", "wrong", "crash", "crash once"};
    const std::string mood = kMoods[upto(kMoods.size())];
    std::ofstream(mood_) << mood;
    std::vector<std::string> arguments{"run", "--overwrite", job_.job()};
    const std::size_t kind = upto(5);
    if (kind == 1) arguments[1] = "--resume";
    if (kind == 2) arguments.insert(arguments.end(), {"--only", "variant=moody"});
    if (kind == 3) return run_shards(mood);
    const ProcessResult result = test::command(arguments);
    note(arguments, mood, result);
    // The command's exit code and table must agree with the file.
    const auto statuses = statuses_in_file();
    const auto moody = [&](Status status) {
      return std::ranges::count_if(statuses, [&](const auto& entry) {
        return entry.first.second == "moody" && entry.second == status;
      });
    };
    INFO(history_);
    if (kind != 1) {
      const Status expected = mood == "wrong"   ? Status::kVerificationFailed
                              : mood == "crash" ? Status::kCrashed
                                                : Status::kOk;
      CHECK(moody(expected) == 2);
    }
    const int code = moody(Status::kVerificationFailed) > 0 ? 1
                     : moody(Status::kCrashed) > 0          ? 3
                                                            : 0;
    CHECK(result.exit_status == code);
  }

 private:
  std::size_t upto(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  void note(const std::vector<std::string>& arguments, const std::string& mood,
            const ProcessResult& result) {
    history_ += fmt::format("[{}] {} -> {}\n{}\n", mood, join(arguments, " "), result.exit_status,
                            result.output);
  }
  void run_shards(const std::string& mood) {
    for (const char* shard : {"1/2", "2/2"}) {
      const std::vector<std::string> arguments{"run", "--overwrite", job_.job(), "--shard", shard};
      note(arguments, mood, test::command(arguments));
    }
    const Status expected = mood == "wrong"   ? Status::kVerificationFailed
                            : mood == "crash" ? Status::kCrashed
                                              : Status::kOk;
    const auto check = [&] {
      INFO(history_);
      for (const auto& [key, status] : statuses_in_file())
        if (key.second == "moody") CHECK(status == expected);
    };
    check();
    note({"merge"}, mood, test::command({"merge", job_.results()}));
    check();
  }
  std::map<Key, Status> statuses_in_file() const {
    std::map<Key, Status> statuses;
    for (const ResultRecord& record : read_results(job_.results(), Samples::kOmit).results)
      statuses[{record.case_id, record.variant}] = record.status;
    return statuses;
  }

  test::JobFolder job_{
      test::kShort +
      "workload: faulty\nparams: {n: [10, 20]}\nvariants: [reference, good, moody]\n"};
  std::string mood_ = (job_.path() / "mood").string();
  std::mt19937_64 random_;
  std::string history_;
};

TEST_CASE("After any history of real runs the file and the exit codes agree") {
  const int sequences = number_of("KERNELBATCH_TEST_REAL_HISTORIES", 2);
  for (int seed = 0; seed < sequences; ++seed) {
    RealJob job(static_cast<std::uint64_t>(seed));
    for (int step = 0; step < 5; ++step) job.step();
  }
}

}  // namespace
}  // namespace kernelbatch
