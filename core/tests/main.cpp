#include <ctime>

#include "check.hpp"

int main() {
  int passed = 0;
  int failed = 0;
  for (const auto& test : test_cases()) {
    const std::clock_t start = std::clock();
    try {
      test.run();
      ++passed;
    } catch (const std::exception& error) {
      ++failed;
      std::printf("FAILED %s: %s\n", test.name.c_str(), error.what());
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (seconds > 1.0) std::printf("%4.1f s %s\n", seconds, test.name.c_str());
  }
  std::printf("core: %d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
