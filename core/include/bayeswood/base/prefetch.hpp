// Asks for memory that will be read a few steps later: rows of a node are scattered, but known
// ahead.
#pragma once

namespace bayeswood {

inline void prefetch(const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#else
  (void)address;
#endif
}

}  // namespace bayeswood
