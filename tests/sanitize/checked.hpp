// Runs a kernel with the host device's checks and returns the findings.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/case/findings.hpp"
#include "core/device/access_checks.hpp"
#include "core/device/device_list.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch::test {

inline Device& checked_device() {
  static Device* const opened =
      open_checked_device(choose_device("host"), {CheckKind::kMemory, CheckKind::kRace,
                                                  CheckKind::kInit, CheckKind::kSync})
          .release();
  return *opened;
}

/// An array of 32-bit words on that device.
class CheckedArray {
 public:
  CheckedArray(std::string name, std::size_t words, ArrayUse use)
      : memory_(static_cast<int*>(checked_device().allocate(words * 4))) {
    std::fill_n(memory_, words, 0);
    checked_device().access_checks()->describe(memory_, words * 4, 4, name, use);
  }
  CheckedArray(const CheckedArray&) = delete;
  CheckedArray& operator=(const CheckedArray&) = delete;
  ~CheckedArray() { checked_device().deallocate(memory_); }
  int* data() const noexcept { return memory_; }

 private:
  int* memory_;
};

/// Runs `text`, whose kernel is `f(const int* x, int* y, int n)`, on an input and an output of
/// `words` words, and returns the text of each finding.
inline std::vector<std::string> findings_of(std::string_view text, const LaunchShape& shape,
                                            std::size_t words = 64) {
  Device& device = checked_device();
  const std::unique_ptr<Stream> stream = device.make_stream();
  const std::string before = text.starts_with(".version") ? "" : "#line 1 \"source\"\n";
  const std::string numbered = before + std::string(text);
  const auto module = device.load(device.compiler().compile(raw_source(numbered, {"f"})));
  const auto kernel = module->kernel("f");
  const CheckedArray x("x", words, ArrayUse::kInput), y("y", words, ArrayUse::kOutput);
  for (std::size_t k = 0; k < words; ++k) x.data()[k] = static_cast<int>(k);
  device.access_checks()->take_findings();
  int *from = x.data(), *to = y.data();
  int count = static_cast<int>(words);
  void* const arguments[] = {&from, &to, &count};
  std::vector<std::string> found;
  try {
    kernel->launch(shape, arguments, *stream);
    stream->synchronize();
  } catch (const RunError&) {  // a deadlock, which is also a finding
  }
  for (KernelFinding& finding : device.access_checks()->take_findings()) {
    finding.call = 1;
    found.push_back(to_text(to_record(finding)));
  }
  return found;
}

using Texts = std::vector<std::string>;

}  // namespace kernelbatch::test
