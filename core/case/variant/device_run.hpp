// DeviceRun: memory and streams of one variant on a device.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/case/prepared_memory.hpp"
#include "core/case/variant/prepared_variant.hpp"
#include "core/device/access_checks.hpp"

namespace kernelbatch {

/// Run of a preparation: it allocates, and does nothing else.
class DeviceRun final : public Run {
 public:
  struct Setting {
    Device& device;
    const Params& params;
    const NamedArrays& inputs;  ///< of the case, for their names
    MemoryBudget& budget;
    VariantOutputs& outputs;
    ResultRecord& record;
  };
  explicit DeviceRun(const Setting& setting) : setting_(setting) {}

  const Params& params() const override { return setting_.params; }
  Device& device() override { return setting_.device; }
  Stream& stream(int number) override;
  Array to_device(const Array& host) override;
  Array scratch(DType dtype, const Shape& shape) override;
  Array output(std::string_view name) override {
    return setting_.outputs.array(name, setting_.device);
  }

  /// From here on, uploads and scratch memory are also added to `memory`.
  void list_in(PreparedMemory& memory) noexcept { memory_ = &memory; }
  /// Describes the outputs to the device's checks, if any. Poisoned outputs count as uninitialized.
  void describe_outputs();

  Stream& first() { return stream(0); }
  bool has_streams() const noexcept { return !streams_.empty(); }
  std::vector<Stream*> streams() const;
  void wait() const;

 private:
  void describe(const Array& array, const std::string& name, ArrayUse use);
  void describe_upload(const Array& host, const Array& copied);

  Setting setting_;
  PreparedMemory* memory_ = nullptr;
  std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace kernelbatch
