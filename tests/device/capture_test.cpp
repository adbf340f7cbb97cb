// The logic of the injected library, with a simulated driver.
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "core/base/scratch_folder.hpp"
#include "core/device/cuda/capture/images.hpp"
#include "core/device/cuda/capture/recorder.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch::capture {
namespace {

namespace fs = std::filesystem;

/// Allocations with contents; nothing else is device memory.
class SimulatedDriver final : public DriverCalls {
 public:
  std::map<std::uint64_t, std::vector<std::byte>> memory;
  int synchronizations = 0, searches = 0;
  bool can_read = true;

  bool synchronize() override {
    ++synchronizations;
    return true;
  }
  std::optional<Range> allocation_at(std::uint64_t address) override {
    ++searches;
    for (const auto& [start, bytes] : memory)
      if (const Range range{start, bytes.size()}; range.contains(address)) return range;
    return std::nullopt;
  }
  bool read(void* to, std::uint64_t from, std::size_t bytes) override {
    const auto found = memory.find(from);
    if (!can_read || found == memory.end() || found->second.size() < bytes) return false;
    std::memcpy(to, found->second.data(), bytes);
    return true;
  }
};

constexpr std::uint64_t kX = 0x7f0000000000, kY = 0x7f0000010000, kFar = 0x7f0100000000;

std::vector<std::byte> words(std::initializer_list<std::uint64_t> list) {
  std::vector<std::byte> bytes(8 * list.size());
  std::memcpy(bytes.data(), std::data(list), bytes.size());
  return bytes;
}

struct Fixture {
  ScratchFolder folder;
  SimulatedDriver driver;
  std::vector<std::string> messages;

  Fixture() {
    driver.memory[kX] = std::vector<std::byte>(256, std::byte{1});
    driver.memory[kY] = std::vector<std::byte>(64, std::byte{2});
  }
  Recorder recorder(Settings settings = {.limit = 4096}) {
    settings.folder = folder.path().string();
    return Recorder(settings, driver,
                    [this](const std::string& text) { messages.push_back(text); });
  }
  static nlohmann::json json(const fs::path& file) {
    std::ifstream stream(file);
    return nlohmann::json::parse(stream);
  }
  static std::string text(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

Capture launch(std::initializer_list<std::uint64_t> parameters) {
  Capture capture{.launch = {.kernel = "_Z5saxpyfPKfPf"}, .image = "image"};
  capture.launch.bytes = words(parameters);
  for (std::size_t k = 0; k < parameters.size(); ++k)
    capture.launch.parameters.push_back({8 * k, 8});
  return capture;
}

}  // namespace

TEST_CASE("Launches are selected by name and number") {
  Selection selection({.kernel = "saxpy\\(float", .nth = 2, .count = 2});
  SeenKernel& other = selection.kernel("softmax_rows");
  SeenKernel& saxpy = selection.kernel("_Z5saxpyfPKfPf");
  CHECK(saxpy.name == "saxpy(float, float const*, float*)");
  CHECK(selection.count(other) == 0);
  CHECK(selection.count(saxpy) == 0);
  CHECK(selection.count(saxpy) == 1);
  CHECK_FALSE(selection.is_finished());
  CHECK(selection.count(saxpy) == 2);
  CHECK(selection.is_finished());
  CHECK(selection.count(saxpy) == 0);
  CHECK(saxpy.launches == 4);
  CHECK(other.launches == 1);
  CHECK(selection.matches("_Z5saxpyfPKfPf"));
  CHECK(Selection({.kernel = "^_Z5saxpy"}).matches("_Z5saxpyfPKfPf"));
  CHECK(Selection(Settings{}).matches("anything"));
}

TEST_CASE("Launches outside a profiler range are not counted") {
  Selection selection({.kernel = "a", .nth = 2, .count = 9, .has_range = true});
  SeenKernel& kernel = selection.kernel("a");
  CHECK(selection.count(kernel) == 0);
  CHECK(selection.count(kernel) == 0);
  selection.set_open(true);
  CHECK(selection.count(kernel) == 0);
  CHECK(selection.count(kernel) == 1);
  selection.set_open(false);
  CHECK(selection.count(kernel) == 0);
  CHECK(kernel.launches == 5);
}

TEST_CASE("Words that are addresses of allocations are found") {
  Fixture f;
  PointerSearch search(f.driver);
  search.add_words(words({kY + 8, 3, kX, 0x7fff00000001, kX + 128, std::uint64_t{1} << 63, kX}));
  CHECK(search.ranges() == std::vector<Range>{{kX, 256}, {kY, 64}});
  CHECK(search.pointers() == std::vector<std::uint64_t>{kX, kX + 128, kY + 8});
  CHECK(search.bytes() == 320);
  // Neither small numbers nor known pages are asked for again.
  const int before = f.driver.searches;
  search.add_words(words({0x7fff00000011, 7, 0, kX + 255}));
  CHECK(f.driver.searches == before);
  // The end of an allocation belongs to the next one, or to none.
  search.add_words(words({kX + 256}));
  CHECK(search.pointers().size() == 4);
}

TEST_CASE("A record contains memory before and after the launch") {
  Fixture f;
  Recorder recorder = f.recorder();
  recorder.begin(launch({kX, kY + 4, 781}));
  f.driver.memory[kY][5] = std::byte{9};
  const fs::path record = recorder.end();
  CHECK(f.driver.synchronizations == 2);
  const auto json = Fixture::json(record / "launch.json");
  CHECK(json.at("kernel") == "_Z5saxpyfPKfPf");
  CHECK(json.at("reason") == "");
  CHECK(json.at("pointers") == nlohmann::json({kX, kY + 4}));
  REQUIRE(json.at("memory").size() == 2);
  CHECK_FALSE(json.at("memory")[0].contains("after"));
  CHECK(json.at("memory")[1].at("address") == kY);
  const std::string before = Fixture::text(record / "memory1.npy");
  const std::string after = Fixture::text(record / json.at("memory")[1].at("after"));
  REQUIRE(before.size() == 128 + 64);
  CHECK(before.substr(0, 128) == npy_header(64));
  CHECK(before[128 + 5] == 2);
  CHECK(after[128 + 5] == 9);
  CHECK(Fixture::text(record / "image.cubin") == "image");
  struct stat facts {};
  REQUIRE(::stat((record / "memory0.npy").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
  CHECK_FALSE(fs::exists(record.string() + ".partial"));
}

TEST_CASE("Pointers in memory are followed only if asked for") {
  Fixture f;
  f.driver.memory[kFar] = words({kX, kY});
  for (const bool is_deep : {false, true}) {
    Recorder recorder = f.recorder({.limit = 4096, .is_deep = is_deep});
    recorder.begin(launch({kFar}));
    const auto json = Fixture::json(recorder.end() / "launch.json");
    CHECK(json.at("memory").size() == (is_deep ? 3 : 1));
    fs::remove_all(f.folder.path());
    fs::create_directory(f.folder.path());
  }
}

TEST_CASE("Memory above the limit leaves no half record") {
  Fixture f;
  Recorder recorder = f.recorder({.limit = 300});
  recorder.begin(launch({kX, kY}));
  const auto json = Fixture::json(recorder.end() / "launch.json");
  CHECK_THAT(json.at("reason").get<std::string>(), Contains("more than --limit"));
  CHECK(json.at("memory").empty());
  REQUIRE(f.messages.size() == 1);
  CHECK_THAT(f.messages[0], Contains("saxpy(float, float const*, float*)' was not captured"));
}

TEST_CASE("Memory that cannot be read is reported") {
  Fixture f;
  Recorder recorder = f.recorder();
  f.driver.can_read = false;
  recorder.begin(launch({kX}));
  const auto json = Fixture::json(recorder.end() / "launch.json");
  CHECK_THAT(json.at("reason").get<std::string>(), Contains("cannot be read"));
  // A launch that failed leaves nothing, and the next one can be recorded.
  f.driver.can_read = true;
  recorder.begin(launch({kX}));
  recorder.cancel("the launch failed");
  recorder.begin(launch({kX}));
  CHECK(Fixture::json(recorder.end() / "launch.json").at("memory").size() == 1);
}

TEST_CASE("Variables of a module are recorded if they are set or changed") {
  Fixture f;
  for (const bool is_changed : {false, true}) {
    Recorder recorder = f.recorder();
    Capture capture = launch({kX});
    capture.variables.push_back(
        {.name = "table", .block = {.range = {kY, 64}}, .initial = std::string(64, '\2')});
    recorder.begin(std::move(capture));
    if (is_changed) f.driver.memory[kY][0] = std::byte{7};
    const auto json = Fixture::json(recorder.end() / "launch.json");
    REQUIRE(json.at("variables").size() == (is_changed ? 1 : 0));
    if (is_changed) {
      CHECK(json.at("variables")[0].at("name") == "table");
      CHECK(json.at("variables")[0].at("after") == "variable0_after.npy");
    }
    fs::remove_all(f.folder.path());
    fs::create_directory(f.folder.path());
  }
}

TEST_CASE("Pointers in variables that the program set are followed") {
  Fixture f;
  f.driver.memory[kFar] = words({kY, 5});
  Recorder recorder = f.recorder();
  Capture capture = launch({kX});
  capture.variables.push_back(
      {.name = "table", .block = {.range = {kFar, 16}}, .initial = std::string(16, '\0')});
  CHECK(recorder.begin(std::move(capture)) == std::vector<Range>{{kX, 256}, {kY, 64}});
  CHECK(Fixture::json(recorder.end() / "launch.json").at("variables").size() == 1);
}

TEST_CASE("Seen kernels are listed with their counts") {
  Fixture f;
  Recorder recorder = f.recorder({.kernel = "nothing"});
  for (int k = 0; k < 3; ++k)
    recorder.selection().count(recorder.selection().kernel("softmax_rows"));
  recorder.selection().kernel("softmax_rows").in_graphs += 2;
  recorder.write_seen();
  for (const auto& entry : fs::directory_iterator(f.folder.path()))
    if (entry.path().string().ends_with("-seen.json")) {
      const auto seen = Fixture::json(entry.path());
      CHECK(seen[0].at("launches") == 3);
      CHECK(seen[0].at("in_graphs") == 2);
      return;
    }
  FAIL("no list of kernels");
}

TEST_CASE("PTX of a kernel is that of its module, its library, or a linked text") {
  const std::string bytes = read_file(fs::path(__FILE__).parent_path() / "fatbins/zstd.fatbin");
  PtxSources sources;
  const int module = 0, library = 0;
  sources.add(&library, bytes.data());
  sources.add_text(std::string_view("\n.version 8.0 .entry linked ()\0", 31));
  const auto found = [&](const std::string& kernel, unsigned capability) {
    return sources.find(&module, &library, kernel, capability).size();
  };
  CHECK(found("put", 90) == 2);
  CHECK(found("put", 89) == 1);
  sources.add(&library, ".version 8.0\n.entry put(\n");
  CHECK(found("put", 75) == 1);
  CHECK(found("linked", 75) == 1);
  CHECK(found("none", 75) == 0);
  // Another module at the same address.
  sources.add(&library,
              "\x7f"
              "ELF");
  CHECK(found("put", 75) == 0);
}

TEST_CASE("Settings are read as they were written") {
  const Settings settings{.folder = "/tmp/a \"b\"",
                          .kernel = "a|b\\(",
                          .nth = 3,
                          .limit = 1u << 31,
                          .has_range = true,
                          .is_deep = true};
  const Settings read = settings_of(to_json(settings));
  CHECK(read.folder == settings.folder);
  CHECK(read.kernel == settings.kernel);
  CHECK(read.nth == 3);
  CHECK(read.limit == settings.limit);
  CHECK(read.has_range);
  CHECK(read.is_deep);
  CHECK_THROWS(settings_of("{}"));
}

TEST_CASE("Images are kept if they have a wanted kernel") {
  Images images;
  CHECK(kernels_of("no ELF file").empty());
  CHECK(images.add("no ELF file", [](const std::string&) { return true; }) == 0);
  CHECK(images.with_kernel("k").empty());
}

}  // namespace kernelbatch::capture
