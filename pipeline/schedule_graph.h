#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <vector>

#include "base/time.h"
#include "pipeline/action_times.h"
#include "pipeline/schedule.h"
#include "pipeline/span.h"

namespace frostline::pipeline {

/// One computation of the schedule; its weight is how long it takes.
struct ComputationNode {
  Rank rank;
  Action action{Step{}};
  base::Duration duration;
};

/// An order between two computations: on one rank (delay 0) or through a transfer (its delay).
struct PrecedenceEdge {
  base::Duration delay{};
};

using ScheduleGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS,
                                            ComputationNode, PrecedenceEdge>;

/// The precedence graph of a lowered schedule. Nodes stand in rank order and then in the order of
/// the rank's list.
ScheduleGraph schedule_graph(const Schedule& schedule, const ActionTimes& times);

/// Earliest starts by the longest path from the sources: one span a node, in the order of the
/// nodes. Throws base::Error if the graph has a cycle.
std::vector<Span> longest_path(const ScheduleGraph& graph);

}  // namespace frostline::pipeline
