// The two fields of the time stepping: each step overwrites the older one with the next.
#pragma once

#include "plugins/wave2d/wave2d.hpp"

namespace kernelbatch::workloads::wave2d {

class Fields {
 public:
  Fields(const Wave2D& in, Run& run)
      : steps_(in.steps),
        start_(run.to_device(in.start)),
        first_(run.scratch(start_.dtype(), start_.shape())),
        second_(run.scratch(start_.dtype(), start_.shape())),
        out_(run.output("field")) {}

  /// Queues all steps: resets the fields, calls `step(now, before)` for each step, and copies the
  /// last field to the output.
  template <class Step>
  void queue(Stream& stream, const Step& step) const {
    copy(stream, start_, first_);
    copy(stream, start_, second_);
    for (std::int64_t k = 0; k < steps_; ++k)
      k % 2 == 0 ? step(first_, second_) : step(second_, first_);
    copy(stream, steps_ % 2 == 1 ? second_ : first_, out_);
  }

 private:
  static void copy(Stream& stream, const Array& from, const Array& to) {
    stream.device().copy(to.data(), from.data(), to.bytes(), Copy::kOnDevice, stream);
  }

  std::int64_t steps_;
  Array start_, first_, second_, out_;
};

}  // namespace kernelbatch::workloads::wave2d
