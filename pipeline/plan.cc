#include "pipeline/plan.h"

#include <boost/functional/hash.hpp>

/// The lists of actions are left out: plans that differ in them alone differ in the schedule's name
/// or shape as well, and equality settles the rest.
std::size_t std::hash<frostline::pipeline::Plan>::operator()(
    const frostline::pipeline::Plan& plan) const noexcept {
  const auto& shape = plan.schedule->shape;
  std::size_t seed = 0;
  boost::hash_combine(seed, plan.schedule->name);
  boost::hash_combine(seed, shape.ranks);
  boost::hash_combine(seed, shape.chunks);
  boost::hash_combine(seed, shape.micro_batches);
  for (const auto stage :
       frostline::base::ids<frostline::pipeline::StageId>(plan.partition.stages())) {
    boost::hash_combine(seed, plan.partition.end(stage).value);
  }
  boost::hash_combine(seed, std::hash<frostline::pipeline::FreezePlan>{}(plan.freeze));
  boost::hash_combine(seed, static_cast<int>(plan.cut));
  return seed;
}
