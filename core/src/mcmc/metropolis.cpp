#include "metropolis.inl"

#include "metropolis_subtree.inl"

namespace bayeswood {

template class Metropolis<ClassCells>;
template class Metropolis<NumberCells>;

}  // namespace bayeswood
