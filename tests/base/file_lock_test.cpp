#include "core/base/file_lock.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

TEST_CASE("A lock in a folder that others remove is held or taken, never impossible") {
  const test::TemporaryFolder folder;
  const fs::path path = folder.path() / "results.h5.d" / "0" / ".run.lock";
  std::atomic<int> inside{0}, at_once{0}, held{0}, impossible{0};
  const auto contend = [&] {
    for (int k = 0; k < 1000; ++k) {
      {
        const FileLock lock(path, std::chrono::milliseconds(1));
        if (lock.state() == FileLock::State::kImpossible) ++impossible;
        if (!lock.is_held()) continue;
        ++held;
        if (++inside > 1) ++at_once;
        --inside;
      }
      // Like a run at its end.
      std::error_code ignored;
      fs::remove(path.parent_path(), ignored);
      fs::remove(path.parent_path().parent_path(), ignored);
    }
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) threads.emplace_back(contend);
  for (std::thread& each : threads) each.join();
  CHECK(held > 0);
  CHECK(at_once == 0);
  CHECK(impossible == 0);
}

TEST_CASE("A folder that others remove meanwhile is created") {
  const test::TemporaryFolder folder;
  const fs::path path = folder.path() / "results.h5.d" / "0";
  std::atomic<bool> is_done{false};
  std::thread remover([&] {
    std::error_code ignored;
    while (!is_done) {
      fs::remove(path, ignored);
      fs::remove(path.parent_path(), ignored);
      std::this_thread::yield();
    }
  });
  int refused = 0;
  for (int k = 0; k < 3000; ++k) {
    try {
      make_writable_folder(path);
    } catch (const StoreError& error) {
      UNSCOPED_INFO(error.what());
      ++refused;
    }
  }
  is_done = true;
  remover.join();
  CHECK(refused == 0);
}

}  // namespace
}  // namespace kernelbatch
