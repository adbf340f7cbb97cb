// Frames of text over a socket between supervisor and worker.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/file.hpp"

namespace kernelbatch {

/// One end. A frame is a length and that many bytes.
class Channel {
 public:
  explicit Channel(FileDescriptor socket) : socket_(std::move(socket)) {}

  int descriptor() const noexcept { return socket_.get(); }
  /// False when the other end is gone.
  bool send(std::string_view frame);
  /// Reads what has arrived without waiting; false when the other end is gone.
  bool read_available();
  /// The next whole frame that has been read, or nothing.
  std::optional<std::string> next();
  /// Waits for a frame; nothing when the other end is gone.
  std::optional<std::string> wait();

 private:
  FileDescriptor socket_;
  std::string received_;
};

}  // namespace kernelbatch
