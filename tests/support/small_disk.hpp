// A file system of a few kilobytes, for tests of full disks.
#pragma once

#include <sys/mount.h>

#include <string>

#include "tests/support/temporary_folder.hpp"

namespace kernelbatch::test {

/// Available if this process may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size) {
    is_there_ = ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (is_there_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  bool is_there() const { return is_there_; }
  std::filesystem::path path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  bool is_there_ = false;
};

}  // namespace kernelbatch::test
