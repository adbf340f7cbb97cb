#!/usr/bin/env bash
# Builds what the packages contain into SOURCE/build-packages: package_build.sh SOURCE
set -euo pipefail
cd "$1"
mkdir -p build-packages
{
  cmake --preset packages
  cmake --build build-packages -j "$(nproc)" --target kernelbatch plugins installed_plugins kernelbatch_shell_files
} >build-packages/build.log 2>&1 || { tail -n 40 build-packages/build.log; exit 1; }
