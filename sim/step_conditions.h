#pragma once

#include <cstdint>

#include "base/time.h"
#include "cost/topology.h"
#include "sim/links.h"
#include "sim/noise.h"

namespace frostline::sim {

/// What a step meets on top of its plan's times.
struct StepConditions {
  /// Null: transfers are delays that wait for no other. It outlives the step.
  const cost::Topology* topology = nullptr;
  TransferRules rules;           ///< of transfers over the topology's links
  const Noise* noise = nullptr;  ///< null: none
  base::Duration start{};        ///< of the step on the run's clock, for the noise
  std::int64_t step = 0;         ///< its number, for the noise
  bool records_spans = false;    ///< SimulatedStep::timeline is filled
};

}  // namespace frostline::sim
