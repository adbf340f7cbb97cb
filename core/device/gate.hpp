// Gate: blocks a stream until the host has queued all the work that is timed.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"

namespace kernelbatch {

/// Keeps the host's slowness out of a device's time: while the gate is closed, the start event, the
/// work and the stop event are queued, and nothing between the events waits for the host. Also
/// reads the clock of the multiprocessors around the work. Made by make_gate() (device_list.hpp);
/// must not outlive its device. Where work is done when the call returns, as on the host, it does
/// nothing.
class Gate {
 public:
  virtual ~Gate();

  /// Queues a hold: what the stream is given next starts at open(), or by itself after
  /// `patience_s`. Close, open, synchronise: one hold at a time.
  virtual void close(Stream& stream, double patience_s);
  virtual void open() noexcept;
  /// Whether the last hold ended by itself, before open(): what was queued waits for the device
  /// itself. To be asked after the stream was synchronised.
  virtual bool was_late() const;

  enum class Moment : std::uint8_t { kBefore, kAfter };
  /// Queues a reading of the clock counters.
  virtual void read_clock(Stream& stream, Moment moment);
  /// Hz between the last two readings, after the stream was synchronised; NaN where unknown.
  virtual double clock() const;
};

}  // namespace kernelbatch
