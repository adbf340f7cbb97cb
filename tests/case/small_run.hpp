// A minimal Run for tests of preparations, in place of PreparedVariant.
#pragma once

#include <map>
#include <string>

#include "core/case/prepared_memory.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch::test {

inline CheckKernels& check_kernels() {
  static CheckKernels shared(device());
  return shared;
}

/// Uploads and scratch memory go to `memory`; outputs are given.
class SmallRun final : public Run {
 public:
  explicit SmallRun(PreparedMemory& memory) : memory_(memory) {}

  const Params& params() const override { return params_; }
  Device& device() override { return test::device(); }
  Stream& stream(int = 0) override { return test::stream(); }
  Array to_device(const Array& host) override {
    const Array copied = is_staged ? Array::staged(contiguous(host), device())
                                   : kernelbatch::to_device(host, stream());
    memory_.add_upload(host, copied);
    return copied;
  }
  Array scratch(DType dtype, const Shape& shape) override {
    const Array made = Array::on_device(device(), dtype, shape);
    memory_.add_scratch(made, stream());
    return made;
  }
  Array output(std::string_view name) override { return outputs.at(std::string(name)); }

  bool is_staged = false;
  std::map<std::string, Array> outputs;

 private:
  PreparedMemory& memory_;
  Params params_;
};

}  // namespace kernelbatch::test
