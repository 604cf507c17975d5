#include "pipeline/schedule_graph.h"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "pipeline/dependencies.h"

namespace frostline::pipeline {
namespace {

using Vertex = ScheduleGraph::vertex_descriptor;

class GraphBuilder {
 public:
  GraphBuilder(const Schedule& schedule, const ActionTimes& times)
      : schedule_(schedule), times_(times), places_(schedule) {}

  ScheduleGraph build() {
    for (const Rank rank : base::ids<Rank>(static_cast<int>(schedule_.actions.size())))
      add_nodes(rank);
    for (const Vertex node : boost::make_iterator_range(boost::vertices(graph_))) add_inputs(node);
    return graph_;
  }

 private:
  void add_nodes(Rank rank) {
    std::optional<Vertex> last;
    auto& nodes = node_at_.emplace_back();
    for (const Action& action : schedule_.actions[rank.index()]) {
      if (!is_computation(action)) {
        nodes.push_back(last.value_or(0));
        continue;
      }
      const Vertex node = boost::add_vertex({rank, action, times_.computation(action)}, graph_);
      if (last) connect(*last, node, {});
      nodes.push_back(node);
      last = node;
    }
  }

  void add_inputs(Vertex node) {
    const Action action = graph_[node].action;
    for (const Step& step : action.steps()) {
      for (const Step& input : inputs_of(step, places_, schedule_.last_stage()))
        add_input(node, input);
    }
  }

  void add_input(Vertex node, const Step& input) {
    const auto place = places_.find(input);
    if (!place) return;
    const Vertex from = node_at(*place);
    if (place->rank != graph_[node].rank) {
      const Step send = send_of(input);
      const auto send_place = places_.find(send);
      connect(send_place ? node_at(*send_place) : from, node, times_.delay(send));
    } else if (from >= node) {
      // Otherwise the order of the rank's list says it already; here it makes a cycle.
      connect(from, node, {});
    }
  }

  Vertex node_at(const StepPlace& place) const {
    return node_at_[place.rank.index()][static_cast<std::size_t>(place.position)];
  }

  void connect(Vertex from, Vertex to, base::Duration delay) {
    boost::add_edge(from, to, PrecedenceEdge{delay}, graph_);
  }

  const Schedule& schedule_;
  const ActionTimes& times_;
  StepPlaces places_;
  /// By rank and position; of a transfer the last computation before it, with which a send begins.
  std::vector<std::vector<Vertex>> node_at_;
  ScheduleGraph graph_;
};

/// From the sources on.
std::vector<Vertex> topological_order(const ScheduleGraph& graph) {
  std::vector<Vertex> order;
  try {
    boost::topological_sort(graph, std::back_inserter(order));
  } catch (const boost::not_a_dag&) {
    throw base::Error(
        "the schedule has a cycle: no order of its computations satisfies all of its lists; "
        "each backward must follow its forward, and each rank must take the micro-batches in an "
        "order that the others can serve");
  }
  std::reverse(order.begin(), order.end());
  return order;
}

base::Duration earliest_start(Vertex node, const ScheduleGraph& graph,
                              const std::vector<Span>& spans) {
  base::Duration start{};
  for (const auto& edge : boost::make_iterator_range(boost::in_edges(node, graph))) {
    start = std::max(start, spans[boost::source(edge, graph)].end + graph[edge].delay);
  }
  return start;
}

}  // namespace

ScheduleGraph schedule_graph(const Schedule& schedule, const ActionTimes& times) {
  return GraphBuilder(schedule, times).build();
}

std::vector<Span> longest_path(const ScheduleGraph& graph) {
  std::vector<Span> spans;
  for (const Vertex node : boost::make_iterator_range(boost::vertices(graph))) {
    spans.push_back({graph[node].rank, graph[node].action, {}, {}});
  }
  for (const Vertex node : topological_order(graph)) {
    spans[node].start = earliest_start(node, graph, spans);
    spans[node].end = spans[node].start + graph[node].duration;
  }
  return spans;
}

}  // namespace frostline::pipeline
