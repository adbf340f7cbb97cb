#include "core/device/cuda/capture/recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kernelbatch::capture {
namespace {

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

std::string process_file(const Settings& settings, const std::string& name) {
  return settings.folder + "/" + std::to_string(::getpid()) + "-" + name;
}

}  // namespace

Recorder::Recorder(Settings settings, DriverCalls& driver, Report report)
    : settings_(std::move(settings)),
      driver_(driver),
      report_(std::move(report)),
      selection_(settings_) {}

std::vector<Range> Recorder::begin(Capture capture) {
  mutex_.lock();
  try {
    capture_ = std::move(capture);
    if (!driver_.synchronize())
      capture_->reason = "the driver refused to wait for the program's earlier work";
    else
      read_before();
  } catch (const std::exception& error) {
    capture_->reason = error.what();
    capture_->blocks.clear();
  }
  std::vector<Range> ranges;
  for (const Block& block : capture_->blocks) ranges.push_back(block.range);
  return ranges;
}

std::string Recorder::over_limit(const PointerSearch& search) const {
  if (search.bytes() <= settings_.limit) return "";
  const auto largest = std::ranges::max_element(search.ranges(), {}, &Range::bytes);
  return "the allocations that it points to have " + mebibytes(search.bytes()) +
         ", more than --limit (" + mebibytes(settings_.limit) + "); the largest has " +
         mebibytes(largest->bytes);
}

bool Recorder::read_new(const PointerSearch& search) {
  capture_->reason = over_limit(search);
  if (!capture_->reason.empty()) return false;
  for (const Range& range : search.ranges()) {
    if (std::ranges::find(capture_->blocks, range, &Block::range) != capture_->blocks.end())
      continue;
    Block block{.range = range};
    if (!read(range, block.before)) {
      capture_->reason =
          "memory that a parameter points to cannot be read (" + mebibytes(range.bytes) + ")";
      return false;
    }
    capture_->blocks.push_back(std::move(block));
  }
  return true;
}

bool Recorder::read(const Range& range, std::vector<std::byte>& contents) {
  contents.resize(range.bytes);
  return driver_.read(contents.data(), range.address, range.bytes);
}

void Recorder::read_before() {
  PointerSearch search(driver_);
  search.add_words(capture_->launch.bytes);
  std::erase_if(capture_->variables, [&](Variable& variable) {
    return !read(variable.block.range, variable.block.before);
  });
  // A variable that the program set may be a pointer, like a parameter.
  for (Variable& variable : capture_->variables) {
    variable.block.after = variable.block.before;
    if (variable.is_set()) search.add_words(variable.block.before);
  }
  bool is_complete = read_new(search);
  for (std::size_t k = 0; settings_.is_deep && is_complete && k < capture_->blocks.size(); ++k) {
    search.add_words(capture_->blocks[k].before);
    is_complete = read_new(search);
  }
  if (!is_complete) capture_->blocks.clear();
  std::ranges::sort(capture_->blocks, {}, [](const Block& block) { return block.range.address; });
  capture_->pointers = search.pointers();
}

std::filesystem::path Recorder::end() {
  const std::lock_guard lock(mutex_, std::adopt_lock);
  Capture capture = std::move(*capture_);
  capture_.reset();
  if (!driver_.synchronize() && capture.reason.empty())
    capture.reason = "the kernel failed in the program";
  for (Block& block : capture.blocks) {
    if (!capture.reason.empty()) break;
    if (!read(block.range, block.after)) capture.reason = "memory cannot be read after the launch";
  }
  for (Variable& variable : capture.variables)
    if (!read(variable.block.range, variable.block.after))
      variable.block.after = variable.block.before;
  if (!capture.reason.empty()) capture.blocks.clear();
  return write_locked(capture);
}

std::filesystem::path Recorder::write(Capture capture) {
  const std::lock_guard lock(mutex_);
  return write_locked(capture);
}

std::filesystem::path Recorder::write_locked(const Capture& capture) {
  const std::filesystem::path folder =
      process_file(settings_, std::to_string(records_++) + ".launch");
  write_record(capture, folder);
  if (!capture.reason.empty())
    report_("'" + demangled(capture.launch.kernel) + "' was not captured: " + capture.reason);
  write_seen();
  return folder;
}

void Recorder::cancel(const std::string& reason) {
  const std::lock_guard lock(mutex_, std::adopt_lock);
  report_("'" + demangled(capture_->launch.kernel) + "' was not captured: " + reason);
  capture_.reset();
}

void Recorder::write_seen() const {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  selection_.visit_kernels([&](const std::string& name, const SeenKernel& kernel) {
    kernels.push_back({{"kernel", name},
                       {"name", kernel.name},
                       {"launches", kernel.launches.load()},
                       {"in_graphs", kernel.in_graphs.load()}});
  });
  write_private(process_file(settings_, "seen.json"), kernels.dump(1));
}

}  // namespace kernelbatch::capture
