// Clients of a JudgeServer: standard input and output, or a Unix socket.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/file.hpp"

namespace kernelbatch::app {

/// One source of lines, and where replies to them go. Replies may come from any thread.
class JudgeClient {
 public:
  /// Two descriptors, which may be equal; they are closed with this object.
  JudgeClient(FileDescriptor input, FileDescriptor output)
      : input_(std::move(input)), output_(std::move(output)) {}

  int input() const noexcept { return input_.get(); }
  /// Reads once and passes each complete line. Returns false at the end of the input.
  bool read(const std::function<void(std::string_view line)>& on_line);
  /// A client that has gone is ignored.
  void reply(const std::string& line);

 private:
  FileDescriptor input_, output_;
  std::string unread_;
  std::mutex writing_;
};

using OnRequest =
    std::function<void(std::string_view line, const std::shared_ptr<JudgeClient>& client)>;

/// Serves standard input until its end, or until `interrupt` is readable.
void serve_stdio(int interrupt, const OnRequest& on_request);
/// Serves connections to a new socket at `path`, which only this user can use, until `interrupt`
/// is readable. Throws RunError if the socket cannot be created.
void serve_socket(const std::filesystem::path& path, int interrupt, const OnRequest& on_request);

}  // namespace kernelbatch::app
