#include "core/app/try/judge_clients.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "core/app/try/request.hpp"
#include "core/base/error.hpp"

namespace kernelbatch::app {
namespace {

using Clients = std::vector<std::shared_ptr<JudgeClient>>;

/// Waits for the listener (-1: none) and the clients. Returns false when it must stop.
bool serve_once(int interrupt, int listener, Clients& clients, const OnRequest& on_request) {
  std::vector<pollfd> polled{{interrupt, POLLIN, 0}, {listener, POLLIN, 0}};
  for (const auto& client : clients) polled.push_back({client->input(), POLLIN, 0});
  if (::poll(polled.data(), polled.size(), -1) < 0) return errno == EINTR;
  if (polled[0].revents != 0) return false;
  Clients open;
  for (std::size_t k = 0; k < clients.size(); ++k) {
    const bool is_ready = polled[k + 2].revents != 0;
    if (!is_ready || clients[k]->read([&](std::string_view line) { on_request(line, clients[k]); }))
      open.push_back(clients[k]);
  }
  clients.swap(open);
  if (polled[1].revents != 0) {
    FileDescriptor connection{::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)};
    if (connection.get() >= 0) {
      FileDescriptor output{::fcntl(connection.get(), F_DUPFD_CLOEXEC, 0)};
      clients.push_back(std::make_shared<JudgeClient>(std::move(connection), std::move(output)));
    }
  }
  return true;
}

}  // namespace

bool JudgeClient::read(const std::function<void(std::string_view line)>& on_line) {
  char buffer[1 << 16];
  const ssize_t count = ::read(input_.get(), buffer, sizeof buffer);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  // The last line need not end with a line end.
  if (count == 0) {
    if (!unread_.empty()) on_line(unread_);
    return false;
  }
  const std::size_t known = unread_.size();
  // The rest of a line that is too long is dropped.
  if (known <= kLongestLine || std::memchr(buffer, '\n', static_cast<std::size_t>(count)))
    unread_.append(buffer, static_cast<std::size_t>(count));
  std::size_t begin = 0;
  for (std::size_t end = unread_.find('\n', known); end != std::string::npos;
       end = unread_.find('\n', begin)) {
    const std::string_view line = std::string_view(unread_).substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) on_line(line);
    begin = end + 1;
  }
  unread_.erase(0, begin);
  return true;
}

void JudgeClient::reply(const std::string& line) {
  const std::lock_guard lock(writing_);
  try {
    write_all(output_.get(), std::as_bytes(std::span(line)), "the client");
  } catch (const Error&) {
  }
}

void serve_stdio(int interrupt, const OnRequest& on_request) {
  // Standard output is kept open for errors of the command.
  Clients clients{std::make_shared<JudgeClient>(FileDescriptor{::fcntl(0, F_DUPFD_CLOEXEC, 3)},
                                                FileDescriptor{::fcntl(1, F_DUPFD_CLOEXEC, 3)})};
  while (!clients.empty() && serve_once(interrupt, -1, clients, on_request)) {
  }
}

void serve_socket(const std::filesystem::path& path, int interrupt, const OnRequest& on_request) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.string().size() >= sizeof address.sun_path)
    throw SpecError(fmt::format("--socket {}: the path is longer than {} bytes", path.string(),
                                sizeof address.sun_path - 1));
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const FileDescriptor listener{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const mode_t mask = ::umask(0177);
  const bool is_bound =
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int error = errno;
  ::umask(mask);
  if (!is_bound || ::listen(listener.get(), 16) != 0)
    throw RunError(fmt::format("cannot listen at '{}': {}", path.string(),
                               std::strerror(is_bound ? errno : error)));
  Clients clients;
  while (serve_once(interrupt, listener.get(), clients, on_request)) {
  }
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

}  // namespace kernelbatch::app
