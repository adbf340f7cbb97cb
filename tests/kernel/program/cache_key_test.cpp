// The dependencies of a kernel's cache key.
#include "core/kernel/program/cache_key.hpp"

#include <fstream>

#include "core/device/compile_options.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

class NamedCompiler final : public Compiler {
 public:
  std::string_view target() const override { return target_; }
  std::string identity() const override { return identity_; }
  Image compile(const KernelSource&) override { return {}; }
  std::string target_ = "named", identity_ = "compiler 1";
};

KernelSource source_of_text(const std::string& text, std::vector<std::string> options = {}) {
  KernelSource result;
  result.name = "kernel";
  result.text = text;
  result.entries = {"f"};
  result.options = std::move(options);
  return result;
}

std::string key_of(const KernelSource& kernel) { return cache_key(kernel, NamedCompiler()); }

/// Headers in a separate folder.
class Headers {
 public:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::string option(const std::string& sub = "") const { return "-I" + (folder_ / sub).string(); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  test::TemporaryFolder folder_;
};

TEST_CASE("Keys differ in everything that changes the code") {
  NamedCompiler compiler;
  const KernelSource base = source_of_text("text");
  const std::string key = cache_key(base, compiler);
  CHECK(cache_key(base, compiler) == key);
  CHECK(key.size() == 32);
  const auto differs = [&](auto change) {
    KernelSource other = base;
    change(other);
    return cache_key(other, compiler) != key;
  };
  CHECK(differs([](KernelSource& s) { s.text += " "; }));
  CHECK(differs([](KernelSource& s) { s.name = "other"; }));
  CHECK(differs([](KernelSource& s) { s.options = {"-DX"}; }));
  CHECK(differs([](KernelSource& s) { s.entries = {"g"}; }));
  CHECK(differs([](KernelSource& s) { s.has_plain_names = true; }));
  CHECK(differs([](KernelSource& s) { s.prebuilt = "a fatbin"; }));
  KernelSource option = base;
  option.options = {"-DX"};
  KernelSource entry = base;
  entry.entries = {"f", "-DX"};
  CHECK(key_of(option) != key_of(entry));
  NamedCompiler newer;
  newer.identity_ = "compiler 2";
  CHECK(cache_key(base, newer) != key);
  NamedCompiler elsewhere;
  elsewhere.target_ = "other";
  CHECK(cache_key(base, elsewhere) != key);
}

TEST_CASE("Equivalent options in the same order have one key") {
  CHECK(normalised_options({"-D", "X=1", "--define-macro=Y", "-DZ", " ", "--include-path", "/a",
                            "-I/b", "--include-path=/c", "-U X", "--pre-include=a.h", "-include",
                            "b.h", "--use_fast_math", "-default-device"}) ==
        std::vector<std::string>{"-DX=1", "-DY", "-DZ", "-I/a", "-I/b", "-I/c", "-UX",
                                 "-includea.h", "-includeb.h", "--use_fast_math",
                                 "-default-device"});
  CHECK(key_of(source_of_text("x", {"-D", "A"})) ==
        key_of(source_of_text("x", {"--define-macro=A"})));
  CHECK(key_of(source_of_text("x", {"-DA", "-UA"})) != key_of(source_of_text("x", {"-UA", "-DA"})));
  CHECK(key_of(source_of_text("x", {"--fmad=false"})) != key_of(source_of_text("x")));
}

TEST_CASE("A text's includes are found; those named by a macro are distinguished") {
  CHECK(included_names("#include \"a.h\"\n  #  include <b/c.h> // why\nint include;\n"
                       "%:include \"d.h\"\r\n#include MACRO\n#if __has_include(<e.h>)\n#endif\n"
                       "#include_next <f.h>") ==
        std::vector<std::string>{"a.h", "b/c.h", "d.h", "", "e.h", ""});
  CHECK(included_names("").empty());
  CHECK(included_names("x = \"#include\";").empty());
}

TEST_CASE("A header's content is part of the key, wherever it is included") {
  const Headers headers;
  headers.write("a.h", "#include \"deep/b.h\"");
  headers.write("deep/b.h", "#include \"c.h\"\n#include <d.h>");
  headers.write("deep/c.h", "1");
  headers.write("d.h", "1");
  headers.write("other.h", "1");
  const KernelSource kernel = source_of_text("#include <a.h>", {headers.option()});
  std::string before = key_of(kernel);
  for (const char* name : {"a.h", "deep/b.h", "deep/c.h", "d.h"}) {
    headers.write(name, "#include \"deep/b.h\"\n#include \"c.h\"\n#include <d.h>\n// changed");
    const std::string after = key_of(kernel);
    CHECK(after != before);
    before = after;
  }
  headers.write("other.h", "2");
  CHECK(key_of(kernel) == before);
  CHECK(key_of(source_of_text("#include <a.h>")) != before);
}

TEST_CASE("A header that would be found first counts as soon as it exists") {
  const Headers first;
  const Headers second;
  second.write("a.h", "1");
  const KernelSource kernel = source_of_text("#include \"a.h\"", {first.option(), second.option()});
  const std::string before = key_of(kernel);
  first.write("a.h", "2");
  CHECK(key_of(kernel) != before);
}

TEST_CASE("Headers found through options and the environment count") {
  const Headers headers;
  headers.write("forced.h", "1");
  headers.write("b.h", "1");
  const KernelSource forced = source_of_text("x", {"-include", headers.path("forced.h")});
  const std::string forced_before = key_of(forced);
  headers.write("forced.h", "2");
  CHECK(key_of(forced) != forced_before);

  const KernelSource plain = source_of_text("#include <b.h>");
  const std::string without = key_of(plain);
  const test::EnvironmentVariable path("CPLUS_INCLUDE_PATH", headers.path(""));
  const std::string with = key_of(plain);
  CHECK(with != without);
  headers.write("b.h", "2");
  CHECK(key_of(plain) != with);
}

TEST_CASE("The path of a folder is not part of the key") {
  const Headers here;
  const Headers there;
  for (const Headers* each : {&here, &there}) each->write("a.h", "the same");
  CHECK(key_of(source_of_text("#include \"a.h\"", {here.option()})) ==
        key_of(source_of_text("#include \"a.h\"", {there.option()})));
}

TEST_CASE("Headers that include each other terminate") {
  const Headers headers;
  headers.write("a.h", "#include \"b.h\"");
  headers.write("b.h", "#include \"a.h\"");
  CHECK(key_of(source_of_text("#include \"a.h\"", {headers.option()})).size() == 32);
}

TEST_CASE("A header that a macro names is not shared between processes") {
  NamedCompiler compiler;
  CHECK(make_cache_key(source_of_text("#include <a.h>"), compiler).is_shareable);
  CHECK_FALSE(make_cache_key(source_of_text("#include NAME"), compiler).is_shareable);
}

}  // namespace
}  // namespace kernelbatch
