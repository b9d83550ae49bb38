// exp and log of many numbers: plain arithmetic without branches, which compilers turn into vector
// instructions. The same bits on every machine, within 2 units in the last place of the truth.
#pragma once

#include <span>

namespace bayeswood {

// Of finite numbers; below -700 it gives exp(-700), above 700 exp(700).
void exp_in_place(std::span<double> values);

// Of positive, finite, normal numbers.
void log_in_place(std::span<double> values);

}  // namespace bayeswood
