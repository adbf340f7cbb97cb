// Frames of text over a socket between supervisor and worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/siphash.hpp"

namespace kernelbatch {

/// A frame and the open files attached to it.
struct Frame {
  std::string text;
  std::vector<FileDescriptor> files;
};

/// The received bytes are not the next frame sent by the other end's Channel.
class ForgedMessage : public RunError {
 public:
  ForgedMessage();
};

/// One end of a connection. A frame is a length and that number of bytes. Data from the other end
/// are not trusted: a frame longer than `kLargestFrame` is never waited for.
///
/// All code in a worker can write to its descriptor. Therefore its frames are signed: the
/// supervisor draws a key, and the worker takes it from the channel before it loads anything. A
/// signed frame contains a number, and keyed hashes of its number, its length and its text.
class Channel {
 public:
  /// Larger than a result with two million samples.
  static constexpr std::size_t kLargestFrame = std::size_t{256} << 20;
  /// Maximum number of files in one frame: the system's limit per message.
  static constexpr std::size_t kMostFiles = 250;

  /// Exit code of a worker whose end is closed or replaced by another file.
  static constexpr int kLostExitCode = 113;

  explicit Channel(FileDescriptor socket);

  /// The supervisor's end: sends a new key. Afterwards only frames signed with it are read. Returns
  /// false if the other end is unreachable; throws EnvironmentError.
  bool give_key();
  /// The worker's end: waits for that key. Afterwards all sent frames are signed. Returns false if
  /// the other end is gone.
  bool take_key();

  int descriptor() const noexcept { return socket_.get(); }
  enum class Wait : std::uint8_t { kForRoom, kNever };
  /// Returns false if the other end is gone, if the descriptor is no longer the original socket, if
  /// the frame exceeds the limits, or if the socket is full and `wait` is kNever.
  bool send(std::string_view frame, const std::vector<FileDescriptor>& files = {},
            Wait wait = Wait::kForRoom);
  /// Closes both directions for both ends; bytes that have arrived can still be read.
  void shut_down() noexcept;
  /// Reads arrived bytes without waiting, at most a mebibyte; false if the other end is gone.
  bool read_available();
  /// True if there are received bytes that have not been returned yet.
  bool has_unread() const noexcept { return received_.size() > used_; }
  /// The next complete frame that has been read, or nothing. Throws RunError if the other end
  /// announces a frame beyond the limits; ForgedMessage, permanently, for a frame that is unsigned
  /// or not the next one.
  std::optional<Frame> next();
  /// Waits for a frame; nothing if the other end is gone.
  std::optional<Frame> wait();

 private:
  /// State of signed frames in one direction.
  struct Signer {
    MessageKey key;
    std::uint64_t number = 0;  ///< of the next frame
  };

  bool is_intact() const noexcept;
  bool send_all(std::string_view bytes, int flags);
  bool send_first(std::string_view bytes, const std::vector<FileDescriptor>& files, int flags,
                  std::size_t& sent);

  FileDescriptor socket_;
  unsigned long inode_ = 0;
  std::optional<Signer> sends_, receives_;  ///< of a direction whose frames are signed
  std::string received_;
  std::size_t used_ = 0;  ///< bytes of `received_` already returned
  /// Files and their positions in the stream.
  std::vector<std::pair<std::size_t, FileDescriptor>> files_;
  std::size_t stream_at_ = 0;  ///< position in the stream of the first byte of `received_`
};

}  // namespace kernelbatch
