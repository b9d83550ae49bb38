#include "metropolis.inl"

#include "metropolis_subtree.inl"

namespace bayeswood {

template class Metropolis<ClassLeaves>;
template class Metropolis<NumberLeaves>;

}  // namespace bayeswood
