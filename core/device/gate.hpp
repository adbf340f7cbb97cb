// Gate: blocks a stream until the host has queued all the work that is timed.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"

namespace kernelbatch {

/// Excludes host delays from device times: while the gate is closed, the start event, the work and
/// the stop event are queued, so that nothing between the events waits for the host. Also reads the
/// clock of the multiprocessors around the work. Created by make_gate() (device_list.hpp); must not
/// outlive its device. Does nothing on devices such as the host, whose calls return after the work
/// is done.
class Gate {
 public:
  virtual ~Gate();

  /// Queues a hold: later work of the stream starts at open(), or after `patience_s` at the latest.
  /// Close, open, synchronise: one hold at a time.
  virtual void close(Stream& stream, double patience_s);
  virtual void open() noexcept;
  /// True if the last hold timed out before open(): the timed work may then have waited for the
  /// host. Valid after the stream was synchronised.
  virtual bool was_late() const;

  enum class Moment : std::uint8_t { kBefore, kAfter };
  /// Queues a reading of the clock counters.
  virtual void read_clock(Stream& stream, Moment moment);
  /// Hz between the last two readings, after the stream was synchronised; NaN if unknown.
  virtual double clock() const;
};

}  // namespace kernelbatch
