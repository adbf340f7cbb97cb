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

/// A frame and the open files that came with it.
struct Frame {
  std::string text;
  std::vector<FileDescriptor> files;
};

/// What came over the channel is not the next frame that the other end's Channel sent.
class ForgedMessage : public RunError {
 public:
  ForgedMessage();
};

/// One end. A frame is a length and that many bytes. What the other end sends is not trusted: a
/// frame that is longer than `kLargestFrame` is never waited for.
///
/// Everything in a worker can write to its descriptor. So its frames are signed: the supervisor
/// draws a key, and the worker takes it from the channel before it loads anything. A signed frame
/// has a number, and keyed hashes of its number, its length and its text.
class Channel {
 public:
  /// A result with two million samples stays below it.
  static constexpr std::size_t kLargestFrame = std::size_t{256} << 20;
  /// Open files that one frame may bring: what the system passes at once.
  static constexpr std::size_t kMostFiles = 250;

  /// Exit code of a worker that finds its end closed, or another file under its number.
  static constexpr int kLostExitCode = 113;

  explicit Channel(FileDescriptor socket);

  /// The supervisor's end: sends a new key. From then on only frames that are signed with it are
  /// read. False where the other end cannot be told; throws EnvironmentError.
  bool give_key();
  /// The worker's end: waits for that key. From then on frames that are sent are signed. False when
  /// the other end is gone.
  bool take_key();

  int descriptor() const noexcept { return socket_.get(); }
  enum class Wait : std::uint8_t { kForRoom, kNever };
  /// False when the other end is gone, when the descriptor is no longer the socket that it was, for
  /// a frame beyond the bounds, or where the socket is full and `wait` is kNever.
  bool send(std::string_view frame, const std::vector<FileDescriptor>& files = {},
            Wait wait = Wait::kForRoom);
  /// Closes both directions for both ends; what has arrived can still be read.
  void shut_down() noexcept;
  /// Reads some of what has arrived without waiting, a mebibyte at most; false when the other end
  /// is gone.
  bool read_available();
  /// Whether bytes wait that are not given out yet.
  bool has_unread() const noexcept { return received_.size() > used_; }
  /// The next whole frame that has been read, or nothing. Throws RunError where the other end
  /// announces a frame beyond the bounds; ForgedMessage, for ever, for a frame that is not signed,
  /// or not the next one.
  std::optional<Frame> next();
  /// Waits for a frame; nothing when the other end is gone.
  std::optional<Frame> wait();

 private:
  /// Frames of one direction.
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
  std::size_t used_ = 0;  ///< bytes of `received_` that were given out
  /// Files and where in the stream they came.
  std::vector<std::pair<std::size_t, FileDescriptor>> files_;
  std::size_t stream_at_ = 0;  ///< position in the stream of the first byte of `received_`
};

}  // namespace kernelbatch
