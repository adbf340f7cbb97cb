// Files not written by kernelbatch, or damaged: their claims are not trusted.
#include <hdf5.h>

#include <fstream>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/result/digest.hpp"
#include "core/result/h5/h5.hpp"
#include "core/result/merge.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_writer.hpp"
#include "core/result/table.hpp"
#include "core/verify/input_file.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;
using h5::Type;

constexpr std::int64_t kHuge = 1'000'000'000'000'000;

/// Adds the digest to a file that was changed.
void add_digest(const fs::path& path) {
  const std::string content = read_file(path);
  write_file_atomically(path, content + digest_line(std::as_bytes(std::span(content))));
}

struct InMemory {
  h5::File file = h5::File::create_in_memory();
  h5::Group root = file.root();
};

TEST_CASE("An attribute that is a list is not one value") {
  InMemory memory;
  memory.root.set("numbers", std::vector<std::int8_t>(1000, 1));
  memory.root.set("number", std::int64_t{7});
  memory.root.set("real", 2.5);

  CHECK(memory.root.integer("number") == 7);
  CHECK_FALSE(memory.root.integer("numbers"));
  CHECK_FALSE(memory.root.integer("real"));
  CHECK_FALSE(memory.root.text("numbers"));
}

TEST_CASE("A single text is read only if there is one") {
  InMemory memory;
  memory.root.create_dataset("two", {.type = Type::kText, .shape = {2}})
      .write(std::vector<std::string>{"a", "b"});
  memory.root.create_dataset("number", {.type = Type::kInt64}).write(std::vector<std::byte>(8));
  memory.root.create_dataset("one", {.type = Type::kText}).write(std::vector<std::string>{"a"});

  CHECK(memory.root.dataset("one").read_text() == "a");
  for (const char* name : {"two", "number"})
    CHECK_THROWS_WITH(memory.root.dataset(name).read_text(),
                      Contains("other than the expected single text"));
}

TEST_CASE("A column has one axis, and no more rows than its file can hold") {
  InMemory memory;
  memory.root.create_dataset("plane", {.type = Type::kInt64, .shape = {4, 4}});
  memory.root.create_dataset("scalar", {.type = Type::kInt64});
  memory.root.create_dataset("claims", {.type = Type::kInt64, .shape = {kHuge}, .chunk = {1024}});
  memory.root.create_dataset("texts", {.type = Type::kText, .shape = {kHuge}, .chunk = {1024}});

  std::vector<std::byte> row(8);
  CHECK_THROWS_WITH(memory.root.dataset("plane").read_rows(0, 1, row),
                    Contains("not one-dimensional"));
  for (const char* name : {"plane", "scalar"})
    CHECK_THROWS_WITH(ColumnReader(memory.root.dataset(name)), Contains("not one-dimensional"));
  for (const char* name : {"claims", "texts"})
    CHECK_THROWS_WITH(ColumnReader(memory.root.dataset(name)),
                      Contains("claims far more elements than its file stores"));
}

TEST_CASE("An array that claims far more than its file stores gets no memory") {
  InMemory memory;
  memory.root.create_dataset("claims", {.shape = {kHuge, 1000, 9}, .chunk = {64, 1, 1}});
  CHECK_THROWS_WITH(memory.root.dataset("claims").read(), Contains("claims far more elements"));
  // Unwritten elements are zeros in any file, up to this limit.
  memory.root.create_dataset("unwritten", {.shape = {1000}, .chunk = {64}});
  CHECK(memory.root.dataset("unwritten").read().size() == 8000);
}

TEST_CASE("An input that claims petabytes is rejected with an explanation") {
  const test::TemporaryFolder folder;
  {
    h5::File file = h5::File::create(folder / "a.h5");
    file.root().create_dataset("x", {.shape = {kHuge}, .chunk = {64}});
    file.root().create_dataset("y", {.shape = {std::int64_t{1} << 30}, .chunk = {64}});
  }
  for (const char* name : {"x", "y"})
    CHECK_THAT(test::message_of([&] {
                 read_input_file({folder / "a.h5", name});
               }),
               Contains("claims far more elements than its file stores"));
}

TEST_CASE("An array whose type does not match its attribute is refused") {
  const test::TemporaryFolder folder;
  const CaseRecord record = test::synthetic_case("c1");
  write_shard(folder.path(), record, test::synthetic_outputs());
  REQUIRE(read_output(folder / "c1.h5", "c1", "raw", "z").bytes.size() == 96);
  {
    const h5::Id file = ::H5Fopen((folder / "c1.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    REQUIRE(file >= 0);
    const h5::Id array = ::H5Dopen2(file, "outputs/raw/z", H5P_DEFAULT);
    ::H5Adelete(array, "device_dtype");
    h5::Dataset(h5::Handle{array}).set("device_dtype", "complex128");
    ::H5Fclose(file);
  }
  add_digest(folder / "c1.h5");
  CHECK_THROWS_WITH(read_output(folder / "c1.h5", "c1", "raw", "z"),
                    Contains("do not match its attribute device_dtype"));
}

TEST_CASE("A file of HDF5's newest format is read") {
  const test::TemporaryFolder folder;
  {
    const h5::Handle access{::H5Pcreate(H5P_FILE_ACCESS)};
    REQUIRE(::H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0);
    const h5::Handle file{
        ::H5Fcreate((folder / "new.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get())};
    const hsize_t extent = 3;
    const h5::Handle space{::H5Screate_simple(1, &extent, nullptr)};
    const h5::Handle made{::H5Dcreate2(file.get(), "x", H5T_NATIVE_FLOAT, space.get(), H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT)};
    REQUIRE(made);
  }
  CHECK(std::get<Array>(read_input_file({folder / "new.h5", "x"})).size() == 3);
  // Nor does that file keep the order of its links.
  CHECK(std::get<Array>(read_input_file({folder / "new.h5", ""})).size() == 3);
}

TEST_CASE("Rows that refer to missing rows are reported with the file") {
  for (const std::int64_t wrong : {std::int64_t{-5}, std::int64_t{1} << 62}) {
    const test::TemporaryFolder folder;
    const fs::path output = folder / "r.h5";
    write_shard(shard_folder(output, "task"), test::synthetic_case("c1"), {});
    merge_shards(output);
    REQUIRE(read_results(output).results.size() == 2);
    {
      const h5::Handle file{::H5Fopen(output.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)};
      const h5::Handle column{::H5Dopen2(file.get(), "cases/sample_count", H5P_DEFAULT)};
      const std::int64_t counts[] = {wrong, wrong};
      REQUIRE(::H5Dwrite(column.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >=
              0);
    }
    add_digest(output);
    CHECK_THROWS_WITH(read_results(output),
                      Contains("cannot read '" + output.string() + "': it refers to") &&
                          Contains("some of which are missing"));
  }
}

/// A file whose `/x` is in `other`.
void write_reference(const fs::path& path, const fs::path& other, const std::string& kind) {
  const h5::Handle file{::H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
  if (kind == "link") {
    REQUIRE(::H5Lcreate_external(other.c_str(), "/secret", file.get(), "x", H5P_DEFAULT,
                                 H5P_DEFAULT) >= 0);
    return;
  }
  const hsize_t extent = 4;
  const h5::Handle list{::H5Pcreate(H5P_DATASET_CREATE)};
  const h5::Handle space{::H5Screate_simple(1, &extent, nullptr)};
  if (kind == "bytes")
    REQUIRE(::H5Pset_external(list.get(), other.c_str(), 0, 4) >= 0);
  else
    REQUIRE(::H5Pset_virtual(list.get(), space.get(), other.c_str(), "/secret", space.get()) >= 0);
  const h5::Handle made{::H5Dcreate2(file.get(), "x", H5T_NATIVE_INT8, space.get(), H5P_DEFAULT,
                                     list.get(), H5P_DEFAULT)};
  REQUIRE(made);
}

TEST_CASE("An HDF5 file does not cause other files to be read") {
  const test::TemporaryFolder folder;
  {
    h5::File file = h5::File::create(folder / "other.h5");
    file.root()
        .create_dataset("secret", {.type = Type::kInt8, .shape = {4}})
        .write(std::vector<std::byte>(4));
  }
  REQUIRE(std::get<Array>(read_input_file({folder / "other.h5", "secret"})).size() == 4);
  for (const char* kind : {"link", "bytes", "virtual"}) {
    INFO(kind);
    const fs::path file = folder / (std::string(kind) + ".h5");
    write_reference(file, folder / "other.h5", kind);
    CHECK_FALSE(test::message_of([&] { read_input_file({file, "x"}); }).empty());
    CHECK_FALSE(test::message_of([&] { read_input_file({file, ""}); }).empty());
  }
}

}  // namespace
}  // namespace kernelbatch
