// Memory for arrays that are many, large and kept, such as the nodes and leaves of trees.
//
// The system hands out memory page by page, at the first write to each, which takes longer than to
// write the page. Arrays of 16 KiB to 4 MiB therefore lie one after another in pieces of 16 MiB. A
// piece whose arrays are all gone is kept for others, and the system is told that it may take the
// pages back whenever it needs them (Linux; elsewhere arrays are allocated as any other). Every
// thread fills a piece of its own: there is no lock.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace bayeswood {

constexpr std::size_t LEAST_LARGE_BYTES = std::size_t{16} << 10;
constexpr std::size_t MOST_LARGE_BYTES = std::size_t{4} << 20;

// `bytes`: between these. Throws std::bad_alloc.
void* take_large_memory(std::size_t bytes);
void give_large_memory(void* memory) noexcept;

// For std::vector. New elements that no value is given for are left as they are: `resize` writes
// nothing.
template <class T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) {
    if (is_large(n)) return static_cast<T*>(take_large_memory(n * sizeof(T)));
    return std::allocator<T>{}.allocate(n);
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    if (is_large(n)) return give_large_memory(memory);
    std::allocator<T>{}.deallocate(memory, n);
  }

  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }

  bool operator==(const LargeAllocator&) const { return true; }

 private:
  static bool is_large(std::size_t n) {
    return n >= LEAST_LARGE_BYTES / sizeof(T) && n <= MOST_LARGE_BYTES / sizeof(T);
  }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace bayeswood
