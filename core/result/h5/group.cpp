// Groups in a file, and creating objects in them.
#include <algorithm>

#include "core/result/h5/detail.hpp"

namespace kernelbatch::h5 {

using detail::check;
using detail::dataset_access;
using detail::extents;
using detail::group_access;
using detail::native_type;
using detail::ordered;
using detail::own;
using detail::property_list;
using detail::space_of;

namespace {

Handle creation_list(const Layout& layout) {
  Handle list = property_list(H5P_DATASET_CREATE);
  // Object times would make equal files differ.
  check(::H5Pset_obj_track_times(list.get(), false), "set a layout");
  if (layout.chunk.empty()) return list;
  const std::vector<hsize_t> chunk = extents(layout.chunk);
  check(::H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), "set chunks");
  if (layout.deflate > 0) {
    check(::H5Pset_shuffle(list.get()), "set shuffle");
    check(::H5Pset_deflate(list.get(), static_cast<unsigned>(layout.deflate)), "set deflate");
  }
  if (layout.checksum) check(::H5Pset_fletcher32(list.get()), "set a checksum");
  return list;
}

/// Access list of a growing dataset. Its rows arrive in whole chunks, and a file has more than a
/// hundred columns: HDF5 would cache the last chunks of each.
Handle access_without_cache() {
  Handle list = property_list(H5P_DATASET_ACCESS);
  check(::H5Pset_chunk_cache(list.get(), 0, 0, 1), "set no cache of chunks");
  return list;
}

Handle member_type(const Member& member) {
  const bool is_text = member.type == Type::kText;
  Handle type = own(::H5Tcopy(is_text ? H5T_C_S1 : native_type(member.type)), "copy a type");
  if (is_text) check(::H5Tset_size(type.get(), member.text_bytes), "size a text");
  return type;
}

}  // namespace

Group Group::create_group(std::string_view name) {
  static const Handle creation = ordered(H5P_GROUP_CREATE);
  return Group(
      own(::H5Gcreate2(id(), std::string(name).c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
          "create group", name));
}

Dataset Group::create_dataset(std::string_view name, const Layout& layout) {
  // Most datasets are contiguous, and a property list costs a quarter of creating one.
  static const Handle contiguous = creation_list({});
  Handle chunked;
  if (!layout.chunk.empty()) chunked = creation_list(layout);
  const Handle& list = chunked ? chunked : contiguous;
  static const Handle uncached = access_without_cache();
  const Handle space = space_of(layout.shape, layout.growable);
  return Dataset(
      own(::H5Dcreate2(id(), std::string(name).c_str(), native_type(layout.type), space.get(),
                       H5P_DEFAULT, list.get(), layout.growable ? uncached.get() : H5P_DEFAULT),
          "create dataset", name),
      layout);
}

void Group::write_table(std::string_view name, std::span<const Member> members,
                        std::span<const std::byte> rows) {
  std::size_t size = 0;
  for (const Member& member : members) size += member.size();
  const Handle row = own(::H5Tcreate(H5T_COMPOUND, size), "create the type of table", name);
  std::size_t offset = 0;
  for (const Member& member : members) {
    const Handle type = member_type(member);
    check(::H5Tinsert(row.get(), member.name.c_str(), offset, type.get()), "add member",
          member.name);
    offset += member.size();
  }
  const auto count = static_cast<std::int64_t>(rows.size() / size);
  const Handle list = property_list(H5P_DATASET_CREATE);
  const hsize_t chunk = static_cast<hsize_t>(std::clamp<std::int64_t>(count, 1, 1024));
  check(::H5Pset_chunk(list.get(), 1, &chunk), "set chunks");
  check(::H5Pset_deflate(list.get(), 1), "set deflate");
  Dataset table(
      own(::H5Dcreate2(id(), std::string(name).c_str(), row.get(), space_of({count}, true).get(),
                       H5P_DEFAULT, list.get(), H5P_DEFAULT),
          "create table", name));
  if (count > 0)
    check(::H5Dwrite(table.id(), row.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()),
          "write table", name);
}

Group Group::group(std::string_view path) const {
  return Group(
      own(::H5Gopen2(id(), std::string(path).c_str(), group_access()), "open group", path));
}

Dataset Group::dataset(std::string_view path) const {
  return Dataset(
      own(::H5Dopen2(id(), std::string(path).c_str(), dataset_access()), "open dataset", path));
}

bool Group::has(std::string_view path) const {
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = path.find('/', end + 1);
    if (::H5Lexists(id(), std::string(path.substr(0, end)).c_str(), group_access()) <= 0)
      return false;
  }
  return true;
}

std::vector<std::string> Group::names() const {
  const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* names) -> herr_t {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  };
  // Other programs seldom keep the creation order of links.
  const Handle list = own(::H5Gget_create_plist(id()), "list a group");
  unsigned order = 0;
  check(::H5Pget_link_creation_order(list.get(), &order), "list a group");
  const H5_index_t index =
      (order & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  std::vector<std::string> result;
  check(::H5Literate(id(), index, H5_ITER_INC, nullptr, keep, &result), "list a group");
  return result;
}

}  // namespace kernelbatch::h5
