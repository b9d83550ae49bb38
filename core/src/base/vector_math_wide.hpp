// The same bits with wider instructions, to be called only where the machine has them.
#pragma once

#include <span>

namespace bayeswood {

void exp_in_place_avx2(std::span<double> values);
void log_in_place_avx2(std::span<double> values);

void exp_in_place_avx512(std::span<double> values);
void log_in_place_avx512(std::span<double> values);

}  // namespace bayeswood
