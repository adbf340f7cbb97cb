#include "core/base/claims.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;
using Taken = Claims::Taken;

/// A folder of claims whose file server has a simulated clock.
class ClaimsFolder {
 public:
  /// A life on another machine: only its touches are evidence.
  ClaimantLife life(const std::string& process) {
    return {"elsewhere:0:" + process + ":0", [this](const fs::path& path) {
              std::error_code error;
              fs::last_write_time(path, start_ + std::chrono::seconds(now_s), error);
              return !error;
            }};
  }
  fs::path path() const { return folder_ / "claims"; }
  std::int64_t now_s = 0;

 private:
  test::TemporaryFolder folder_;
  fs::file_time_type start_ = fs::file_time_type::clock::now();
};

TEST_CASE("A key has one claimant until it is released or finished") {
  ClaimsFolder folder;
  Claims a(folder.path(), "a", folder.life("1")), b(folder.path(), "b", folder.life("2"));
  CHECK(a.take("share/0") == Taken::kFirst);
  CHECK(b.take("share/0") == Taken::kBusy);
  CHECK(a.take("share/0") == Taken::kBusy);
  a.release("share/0");
  CHECK(b.take("share/0") == Taken::kAgain);
  CHECK(a.take("share/0") == Taken::kBusy);
  b.finish("share/0");
  CHECK(a.take("share/0") == Taken::kDone);
  CHECK(b.take("share/0") == Taken::kDone);
  CHECK(a.take("1") == Taken::kFirst);
}

TEST_CASE("A claimant that ends frees its unfinished claims only") {
  ClaimsFolder folder;
  std::optional<Claims> a;
  a.emplace(folder.path(), "a", folder.life("1"));
  a->take("0");
  a->take("1");
  a->finish("0");
  a.reset();
  Claims b(folder.path(), "b", folder.life("2"));
  CHECK(b.take("0") == Taken::kDone);
  CHECK(b.take("1") == Taken::kAgain);
}

TEST_CASE("A process that dies while it writes a claim leaves the key free") {
  ClaimsFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    Claims a(folder.path(), "a", folder.life("1"));
    // The next byte that it writes ends it.
    const rlimit nothing{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &nothing);
    ::signal(SIGXFSZ, SIG_DFL);
    a.take("0");
    ::_exit(0);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGXFSZ);
  Claims b(folder.path(), "b", folder.life("2"));
  CHECK(b.take("0") == Taken::kFirst);
}

TEST_CASE("A claimant is dead after its silence by the file server's clock") {
  ClaimsFolder folder;
  Claims a(folder.path(), "a", folder.life("1")), b(folder.path(), "b", folder.life("2"));
  a.take("0");
  folder.now_s = Claims::kSilence_s - 1;
  CHECK(b.take("0") == Taken::kBusy);
  folder.now_s = Claims::kSilence_s;
  CHECK(b.take("0") == Taken::kAgain);
  // The suspended claimant does not end a claim that it has lost.
  a.finish("0");
  CHECK(Claims(folder.path(), "c", folder.life("3")).take("0") == Taken::kBusy);
}

TEST_CASE("A restarted claimant is dead in its earlier run, and repeats what that finished") {
  ClaimsFolder folder;
  Claims old(folder.path(), "a", folder.life("1")), b(folder.path(), "b", folder.life("2"));
  old.take("0");
  old.take("1");
  old.finish("0");
  Claims again(folder.path(), "a", folder.life("3"));
  CHECK(b.take("0") == Taken::kDone);
  CHECK(again.take("0") == Taken::kAgain);
  CHECK(b.take("1") == Taken::kAgain);
  CHECK(again.take("1") == Taken::kBusy);
}

TEST_CASE("A process that ended on this machine is dead at once") {
  const test::TemporaryFolder folder;
  ClaimantLife ended = this_life();
  // No process has this number.
  const std::size_t end = ended.process.rfind(':');
  const std::size_t begin = ended.process.rfind(':', end - 1);
  ended.process.replace(begin + 1, end - begin - 1, "999999999");
  ended.has_thread = false;
  Claims a(folder / "claims", "a", ended), b(folder / "claims", "b");
  a.take("0");
  CHECK(b.take("0") == Taken::kAgain);
}

TEST_CASE("A claim that was cut off counts until its silence") {
  ClaimsFolder folder;
  Claims a(folder.path(), "a", folder.life("1"));
  std::ofstream(folder.path() / "0.1") << "b";
  folder.life("2").touch(folder.path() / "0.1");
  CHECK(a.take("0") == Taken::kBusy);
  folder.now_s = Claims::kSilence_s;
  CHECK(a.take("0") == Taken::kAgain);
}

TEST_CASE("Only one of several threads gets a key") {
  const test::TemporaryFolder folder;
  std::vector<Taken> taken(8 * 16);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 8; ++k)
    threads.emplace_back([&, k] {
      Claims claims(folder / "claims", std::to_string(k));
      for (std::size_t key = 0; key < 16; ++key) {
        taken[8 * key + k] = claims.take("share/" + std::to_string(key));
        claims.finish("share/" + std::to_string(key));
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t key = 0; key < 16; ++key)
    CHECK(std::count(taken.begin() + static_cast<std::ptrdiff_t>(8 * key),
                     taken.begin() + static_cast<std::ptrdiff_t>(8 * key + 8), Taken::kFirst) == 1);
}

TEST_CASE("Claims are removed once no claimant is alive") {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "claims";
  {
    Claims a(path, "a");
    CHECK_FALSE(a.has_others());
    a.take("share/0");
    Claims::remove_abandoned(path);
    CHECK(fs::exists(path));
    Claims b(path, "b");
    CHECK(b.has_others());
  }
  Claims::remove_abandoned(path);
  CHECK_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace kernelbatch
