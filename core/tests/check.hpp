// The smallest test frame that serves: named cases, checks that say where they failed.
#pragma once

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct TestCase {
  std::string name;
  std::function<void()> run;
};

inline std::vector<TestCase>& test_cases() {
  static std::vector<TestCase> cases;
  return cases;
}

struct Register {
  Register(const char* name, std::function<void()> run) {
    test_cases().push_back({name, std::move(run)});
  }
};

#define TEST(name)                                    \
  static void name();                                 \
  static const Register register_##name(#name, name); \
  static void name()

#define CHECK(condition)                                                                \
  do {                                                                                  \
    if (!(condition))                                                                   \
      throw std::runtime_error(std::string(__FILE__) + ":" + std::to_string(__LINE__) + \
                               ": " #condition);                                        \
  } while (false)
