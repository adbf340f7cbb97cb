#include "core/array/npz.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "core/array/input.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

// Record layouts: PKWARE APPNOTE 6.3, sections 4.3.7 to 4.3.16.
constexpr std::uint32_t kLocalMagic = 0x04034b50, kCentralMagic = 0x02014b50,
                        kEndMagic = 0x06054b50, kEnd64Magic = 0x06064b50,
                        kEnd64LocatorMagic = 0x07064b50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kLocatorBytes = 20,
                      kEnd64Bytes = 56;

struct Member {
  std::string name;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0, size = 0, offset = 0;
};

/// Bounds-checked little-endian reads.
class Archive {
 public:
  Archive(std::span<const std::byte> bytes, std::string file)
      : bytes_(bytes), file_(std::move(file)) {}

  [[noreturn]] void fail(std::string_view what) const {
    throw SpecError(fmt::format("'{}' {}", file_, what));
  }
  template <class T>
  T at(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, range(offset, sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> range(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_.size() || count > bytes_.size() - offset)
      fail("is truncated or damaged: a record points past its end");
    return bytes_.subspan(offset, count);
  }
  std::uint64_t size() const { return bytes_.size(); }

  std::vector<Member> members() const;

 private:
  std::uint64_t find_end() const;
  void read_zip64(Member& member, std::uint64_t at, std::uint64_t count) const;

  std::span<const std::byte> bytes_;
  std::string file_;
};

/// The end record is followed by a comment of at most 64 KiB.
std::uint64_t Archive::find_end() const {
  if (size() < kEndBytes || at<std::uint32_t>(0) != kLocalMagic) fail("is not a .npz archive");
  const std::uint64_t last = size() - kEndBytes;
  for (std::uint64_t back = 0; back <= std::min<std::uint64_t>(last, 0xFFFF); ++back)
    if (at<std::uint32_t>(last - back) == kEndMagic) return last - back;
  fail("is truncated: the archive's list of members at its end is missing");
}

void Archive::read_zip64(Member& member, std::uint64_t at_, std::uint64_t count) const {
  constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;
  for (std::uint64_t k = 0; k + 4 <= count;) {
    const auto id = at<std::uint16_t>(at_ + k);
    const auto length = at<std::uint16_t>(at_ + k + 2);
    if (id == 1) {
      std::uint64_t field = at_ + k + 4;
      for (std::uint64_t* value : {&member.size, &member.packed, &member.offset})
        if (*value == kElsewhere) {
          *value = at<std::uint64_t>(field);
          field += 8;
        }
    }
    k += 4u + length;
  }
}

std::vector<Member> Archive::members() const {
  const std::uint64_t end = find_end();
  std::uint64_t count = at<std::uint16_t>(end + 10), offset = at<std::uint32_t>(end + 16);
  if (end >= kLocatorBytes && at<std::uint32_t>(end - kLocatorBytes) == kEnd64LocatorMagic) {
    const auto end64 = at<std::uint64_t>(end - kLocatorBytes + 8);
    range(end64, kEnd64Bytes);
    if (at<std::uint32_t>(end64) != kEnd64Magic)
      fail("is damaged: its ZIP64 end record is missing");
    count = at<std::uint64_t>(end64 + 32);
    offset = at<std::uint64_t>(end64 + 48);
  }
  std::vector<Member> members;
  for (std::uint64_t k = 0; k < count; ++k) {
    range(offset, kCentralBytes);
    if (at<std::uint32_t>(offset) != kCentralMagic)
      fail("is damaged: its list of members ends early");
    Member member;
    member.method = at<std::uint16_t>(offset + 10);
    member.crc = at<std::uint32_t>(offset + 16);
    member.packed = at<std::uint32_t>(offset + 20);
    member.size = at<std::uint32_t>(offset + 24);
    member.offset = at<std::uint32_t>(offset + 42);
    const auto name = at<std::uint16_t>(offset + 28), extra = at<std::uint16_t>(offset + 30),
               comment = at<std::uint16_t>(offset + 32);
    const auto text = range(offset + kCentralBytes, name);
    member.name.assign(reinterpret_cast<const char*>(text.data()), text.size());
    read_zip64(member, offset + kCentralBytes + name, extra);
    if (member.name.ends_with(".npy")) member.name.resize(member.name.size() - 4);
    members.push_back(std::move(member));
    offset += kCentralBytes + name + extra + comment;
  }
  return members;
}

std::vector<std::byte> inflate_member(const Archive& archive, const Member& member,
                                      std::span<const std::byte> packed, std::uint64_t most) {
  if (member.size > packed.size() * std::uint64_t{1100} + 1024)
    archive.fail(fmt::format("is damaged: '{}' cannot unpack to {}", member.name,
                             format_bytes(member.size)));
  std::vector<std::byte> bytes(std::min(member.size, most));
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  constexpr std::uint64_t kPiece = std::numeric_limits<uInt>::max();
  std::uint64_t in = 0, out = 0;
  int status = Z_OK;
  while (status == Z_OK && (out < bytes.size() || bytes.size() == member.size)) {
    const auto give = std::min(kPiece, packed.size() - in);
    const auto take = std::min(kPiece, bytes.size() - out);
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data() + in));
    stream.avail_in = static_cast<uInt>(give);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + out);
    stream.avail_out = static_cast<uInt>(take);
    status = inflate(&stream, Z_NO_FLUSH);
    in += give - stream.avail_in;
    out += take - stream.avail_out;
  }
  inflateEnd(&stream);
  const bool is_end = bytes.size() < member.size || status == Z_STREAM_END;
  if (!is_end || out != bytes.size())
    archive.fail(fmt::format("is damaged: '{}' cannot be unpacked", member.name));
  return bytes;
}

}  // namespace

std::vector<std::string> npz_names(const std::filesystem::path& path) {
  const MappedFile file(path);
  std::vector<std::string> names;
  for (Member& member : Archive(file.bytes(), path.string()).members())
    names.push_back(std::move(member.name));
  return names;
}

namespace {

/// Calls `use` with the array's member and its first bytes, at most `most`, unpacked.
template <class Use>
auto with_member(const std::filesystem::path& path, const std::string& name, std::uint64_t most,
                 const Use& use) {
  const MappedFile file(path);
  const Archive archive(file.bytes(), path.string());
  std::vector<std::string> names;
  for (const Member& member : archive.members()) {
    names.push_back(member.name);
    if (member.name != name) continue;
    archive.range(member.offset, kLocalBytes);
    const std::uint64_t begin = member.offset + kLocalBytes +
                                archive.at<std::uint16_t>(member.offset + 26) +
                                archive.at<std::uint16_t>(member.offset + 28);
    const auto packed = archive.range(begin, member.packed);
    if (member.method != 0 && member.method != 8)
      archive.fail(fmt::format("packs '{}' by ZIP method {}: only stored and deflated can be read",
                               name, member.method));
    std::vector<std::byte> unpacked;
    if (member.method == 8) unpacked = inflate_member(archive, member, packed, most);
    return use(archive, member, member.method == 8 ? std::span<const std::byte>(unpacked) : packed);
  }
  archive.fail(fmt::format("has no array '{}'{}", name, suggestion(name, names)));
}

std::string full_name(const std::filesystem::path& path, const std::string& name) {
  return fmt::format("{}:{}", path.string(), name);
}

}  // namespace

Array read_npz(const std::filesystem::path& path, const std::string& name) {
  constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
  return with_member(
      path, name, kAll, [&](const Archive& archive, const Member& member, auto bytes) {
        const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
        if (crc != member.crc)
          archive.fail(fmt::format("is damaged: the CRC of '{}' differs", name));
        return parse_npy(bytes, full_name(path, name));
      });
}

ArrayForm npz_form(const std::filesystem::path& path, const std::string& name) {
  constexpr std::uint64_t kHeader = 128 << 10;
  return with_member(path, name, kHeader, [&](const Archive&, const Member&, auto bytes) {
    return parse_npy_form(bytes, full_name(path, name));
  });
}

}  // namespace kernelbatch
