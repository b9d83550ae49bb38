#!/bin/sh
# test_arm.sh: the C++ tests under qemu on aarch64 and on an x86-64 without AVX2 and fused
# multiply-adds, then fixed fits on these two and on this processor. Fails where trees differ.
set -eu

missing=
for tool in aarch64-linux-gnu-g++ qemu-aarch64-static qemu-x86_64-static; do
    command -v "$tool" > /dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
    echo "Not found:$missing. Debian has them in g++-aarch64-linux-gnu and qemu-user-static." >&2
    exit 1
fi

build() { # build FOLDER [OPTIONS...]
    folder=$1
    shift
    cmake -S . -B "$folder" -G Ninja -DBAYESWOOD_TESTS=ON -DBAYESWOOD_SANITIZE=OFF "$@" > /dev/null
    cmake --build "$folder"
}

build build/arm -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
    "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64-static;-L;/usr/aarch64-linux-gnu"
build build/plain
ctest --test-dir build/arm --output-on-failure
qemu-x86_64-static -cpu Nehalem build/plain/core_tests

build/plain/fixed_fits > build/plain/here.txt
qemu-x86_64-static -cpu Nehalem build/plain/fixed_fits > build/plain/old.txt
qemu-aarch64-static -L /usr/aarch64-linux-gnu build/arm/fixed_fits > build/arm/arm.txt
python scripts/compare_fits.py build/plain/here.txt build/plain/old.txt build/arm/arm.txt
