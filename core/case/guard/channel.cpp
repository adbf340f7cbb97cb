#include "core/case/guard/channel.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace kernelbatch {
namespace {

/// Limits each read, so that a worker that sends without end leaves its supervisor time for its
/// clock.
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;
constexpr std::size_t kControlBytes = CMSG_SPACE(Channel::kMostFiles * sizeof(int));

/// Header of a signed frame: a hash of text, length and number, a hash of only length and number,
/// the length, the number. With the second hash a forged length is never waited for.
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kHashes = 2 * kWord;
constexpr std::size_t kSignedHeader = 4 * kWord;

std::uint64_t word_at(std::string_view bytes, std::size_t at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

void set_word(std::string& bytes, std::size_t at, std::uint64_t word) noexcept {
  std::memcpy(bytes.data() + at, &word, sizeof word);
}

unsigned long inode_of(int descriptor) noexcept {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

void take_files(msghdr& message, std::size_t at,
                std::vector<std::pair<std::size_t, FileDescriptor>>& files) {
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr;
       each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t k = 0; k < count; ++k) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(each) + k * sizeof(int), sizeof descriptor);
      files.emplace_back(at, FileDescriptor{descriptor});
    }
  }
}

}  // namespace

ForgedMessage::ForgedMessage()
    : RunError(
          "a message that the worker did not send came over its channel: the variant forged "
          "it, or wrote into a descriptor that is not its own") {}

Channel::Channel(FileDescriptor socket)
    : socket_(std::move(socket)), inode_(inode_of(socket_.get())) {}

/// A variant may have closed the descriptor, and its number may have been reused.
bool Channel::is_intact() const noexcept {
  return inode_ != 0 && inode_of(socket_.get()) == inode_;
}

/// Files are attached to the first bytes.
bool Channel::send_first(std::string_view bytes, const std::vector<FileDescriptor>& files,
                         int flags, std::size_t& sent) {
  alignas(cmsghdr) char control[kControlBytes] = {};
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!files.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    for (std::size_t k = 0; k < files.size(); ++k) {
      const int descriptor = files[k].get();
      std::memcpy(CMSG_DATA(header) + k * sizeof(int), &descriptor, sizeof descriptor);
    }
  }
  for (;;) {
    const ssize_t count = ::sendmsg(socket_.get(), &message, flags);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent = static_cast<std::size_t>(count);
    return true;
  }
}

bool Channel::send(std::string_view frame, const std::vector<FileDescriptor>& files, Wait wait) {
  // A dead worker must not kill the supervisor by SIGPIPE.
  const int flags = MSG_NOSIGNAL | (wait == Wait::kNever ? MSG_DONTWAIT : 0);
  if (frame.size() > kLargestFrame || files.size() > kMostFiles || !is_intact()) return false;
  const std::size_t header = sends_ ? kSignedHeader : kWord;
  std::string bytes;
  bytes.reserve(header + frame.size());
  bytes.resize(header);
  bytes += frame;
  if (sends_) {
    set_word(bytes, kHashes, frame.size());
    set_word(bytes, kHashes + kWord, sends_->number++);
    const std::string_view hashed = std::string_view(bytes).substr(kHashes);
    set_word(bytes, 0, siphash(sends_->key, hashed));
    set_word(bytes, kWord, siphash(sends_->key, hashed.substr(0, 2 * kWord)));
  } else {
    set_word(bytes, 0, frame.size());
  }
  std::size_t sent = 0;
  return send_first(bytes, files, flags, sent) &&
         send_all(std::string_view(bytes).substr(sent), flags);
}

bool Channel::send_all(std::string_view bytes, int flags) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), flags);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool Channel::give_key() {
  receives_ = Signer{random_message_key()};
  return send_all({reinterpret_cast<const char*>(receives_->key.data()), sizeof(MessageKey)},
                  MSG_NOSIGNAL);
}

bool Channel::take_key() {
  Signer signer{};
  auto* const to = reinterpret_cast<char*>(signer.key.data());
  // Read no further: frames follow.
  for (std::size_t there = 0; there < sizeof(MessageKey);) {
    const ssize_t count = ::recv(socket_.get(), to + there, sizeof(MessageKey) - there, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    there += static_cast<std::size_t>(count);
  }
  sends_ = signer;
  return true;
}

void Channel::shut_down() noexcept { ::shutdown(socket_.get(), SHUT_RDWR); }

bool Channel::read_available() {
  alignas(cmsghdr) char control[kControlBytes];
  char buffer[1 << 16];
  for (std::size_t read = 0; read < kReadAtOnce;) {
    iovec part{buffer, sizeof buffer};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t count = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count > 0) {
      received_.append(buffer, static_cast<std::size_t>(count));
      // Files arrive with the last of the bytes: the system stops reading after the bytes they were
      // sent with.
      take_files(message, stream_at_ + received_.size() - 1, files_);
      read += static_cast<std::size_t>(count);
      if (files_.size() > 2 * kMostFiles) return true;
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  return true;
}

std::optional<Frame> Channel::next() {
  const std::string_view bytes = std::string_view(received_).substr(used_);
  const std::size_t header = receives_ ? kSignedHeader : kWord;
  std::uint64_t size = 0;
  if (bytes.size() >= header) {
    size = word_at(bytes, header == kWord ? 0 : kHashes);
    if (receives_ &&
        (word_at(bytes, kHashes + kWord) != receives_->number ||
         word_at(bytes, kWord) != siphash(receives_->key, bytes.substr(kHashes, 2 * kWord))))
      throw ForgedMessage();
  }
  if (size > kLargestFrame)
    throw RunError(fmt::format("a message of {} bytes was announced; the largest has {}", size,
                               kLargestFrame));
  if (files_.size() > 2 * kMostFiles)
    throw RunError(fmt::format("messages bring more than {} open files each", kMostFiles));
  if (bytes.size() < header || bytes.size() - header < size) {
    // Erase only here, so that the cost of many small frames is proportional to their bytes.
    received_.erase(0, used_);
    stream_at_ += std::exchange(used_, 0);
    return std::nullopt;
  }
  if (receives_) {
    const std::string_view hashed = bytes.substr(kHashes, kSignedHeader - kHashes + size);
    if (word_at(bytes, 0) != siphash(receives_->key, hashed)) throw ForgedMessage();
    ++receives_->number;
  }
  Frame frame{std::string(bytes.substr(header, size)), {}};
  used_ += header + size;
  const std::size_t end = stream_at_ + used_;
  const auto later =
      std::ranges::find_if(files_, [&](const auto& file) { return file.first >= end; });
  for (auto file = files_.begin(); file != later; ++file)
    frame.files.push_back(std::move(file->second));
  files_.erase(files_.begin(), later);
  return frame;
}

std::optional<Frame> Channel::wait() {
  for (;;) {
    if (auto frame = next()) return frame;
    pollfd polled{socket_.get(), POLLIN, 0};
    if (::poll(&polled, 1, -1) < 0 && errno != EINTR) return std::nullopt;
    if (!read_available()) return next();
  }
}

}  // namespace kernelbatch
