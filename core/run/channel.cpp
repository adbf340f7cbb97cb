#include "core/run/channel.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace kernelbatch {

bool Channel::send(std::string_view frame) {
  const auto size = static_cast<std::uint64_t>(frame.size());
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += frame;
  for (std::size_t sent = 0; sent < bytes.size();) {
    // A worker that died must not kill the supervisor by SIGPIPE.
    const ssize_t count =
        ::send(socket_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool Channel::read_available() {
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (count > 0) {
      received_.append(buffer, static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

std::optional<std::string> Channel::next() {
  std::uint64_t size = 0;
  if (received_.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, received_.data(), sizeof size);
  if (received_.size() - sizeof size < size) return std::nullopt;
  std::string frame = received_.substr(sizeof size, size);
  received_.erase(0, sizeof size + size);
  return frame;
}

std::optional<std::string> Channel::wait() {
  for (;;) {
    if (auto frame = next()) return frame;
    pollfd polled{socket_.get(), POLLIN, 0};
    if (::poll(&polled, 1, -1) < 0 && errno != EINTR) return std::nullopt;
    if (!read_available()) return next();
  }
}

}  // namespace kernelbatch
