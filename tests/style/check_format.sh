#!/bin/sh
# check_format.sh ROOT: all tracked C++ sources are formatted by clang-format. Exits 77 if
# clang-format or the repository is missing.
root=$1
cd "$root" || exit 1
command -v clang-format >/dev/null || { echo "skipped: clang-format not found"; exit 77; }
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "skipped: not a git work tree"; exit 77; }
# Preludes are written like CUDA's headers, golden files by the generator.
git ls-files -z -- '*.cpp' '*.hpp' '*.h' ':!core/device/*include/*' ':!core/device/host/cuda/*' ':!tests/golden/*.cu' |
  xargs -0 clang-format --dry-run -Werror
