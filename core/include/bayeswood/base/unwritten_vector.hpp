// A vector whose new elements, if no value is given for them, are left as they are: `resize` writes
// nothing. For arrays that are filled right away.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace bayeswood {

template <class T>
struct UnwrittenAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnwrittenAllocator<U>;
  };

  UnwrittenAllocator() = default;
  template <class U>
  UnwrittenAllocator(const UnwrittenAllocator<U>&) noexcept {}

  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using UnwrittenVector = std::vector<T, UnwrittenAllocator<T>>;

}  // namespace bayeswood
