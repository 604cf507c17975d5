#include "pipeline/critical_path.h"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <optional>

namespace frostline::pipeline {
namespace {

using base::Duration;
using Vertex = ScheduleGraph::vertex_descriptor;
using Spans = std::vector<Span>;

/// The last computation to end, the first of several.
Vertex last_to_end(const Spans& spans) {
  const auto earlier = [](const Span& a, const Span& b) { return a.end < b.end; };
  return static_cast<Vertex>(std::max_element(spans.begin(), spans.end(), earlier) - spans.begin());
}

/// The edge that a computation had to wait for. The edge from its own rank is its first.
std::optional<ScheduleGraph::edge_descriptor> binding_edge(Vertex node, const ScheduleGraph& graph,
                                                           const Spans& spans) {
  for (const auto& edge : boost::make_iterator_range(boost::in_edges(node, graph))) {
    const Duration arrival = spans[boost::source(edge, graph)].end + graph[edge].delay;
    if (arrival == spans[node].start) return edge;
  }
  return std::nullopt;
}

std::vector<CriticalStep> path_to(Vertex node, const ScheduleGraph& graph, const Spans& spans) {
  std::vector<CriticalStep> path{{spans[node], {}}};
  for (auto edge = binding_edge(node, graph, spans); edge;
       edge = binding_edge(node, graph, spans)) {
    path.back().transfer = graph[*edge].delay;
    node = boost::source(*edge, graph);
    path.push_back({spans[node], {}});
  }
  std::reverse(path.begin(), path.end());
  return path;
}

/// By when each computation must end for all others to end by `makespan`.
std::vector<Duration> latest_ends(const ScheduleGraph& graph, Duration makespan) {
  std::vector<Vertex> from_the_sinks;
  boost::topological_sort(graph, std::back_inserter(from_the_sinks));
  std::vector<Duration> latest(boost::num_vertices(graph), makespan);
  for (const Vertex node : from_the_sinks) {
    for (const auto& edge : boost::make_iterator_range(boost::out_edges(node, graph))) {
      const Vertex next = boost::target(edge, graph);
      latest[node] =
          std::min(latest[node], latest[next] - graph[next].duration - graph[edge].delay);
    }
  }
  return latest;
}

void count(Duration slack, RankSlack& rank) {
  rank.least = rank.computations == 0 ? slack : std::min(rank.least, slack);
  if (slack == Duration::zero()) ++rank.critical;
  // The mean so far stands as a sum until all are counted.
  rank.mean += slack;
  ++rank.computations;
}

std::vector<RankSlack> slack_of_ranks(const ScheduleGraph& graph, const Spans& spans, int ranks,
                                      Duration makespan) {
  std::vector<RankSlack> slack(static_cast<std::size_t>(ranks));
  const auto latest = latest_ends(graph, makespan);
  for (std::size_t node = 0; node < spans.size(); ++node) {
    count(latest[node] - spans[node].end, slack.at(spans[node].rank.index()));
  }
  for (RankSlack& rank : slack) rank.mean /= std::max<std::int64_t>(rank.computations, 1);
  return slack;
}

}  // namespace

Duration CriticalPath::makespan() const {
  return steps.empty() ? Duration{} : steps.back().span.end;
}

Duration CriticalPath::time_on(Rank rank) const {
  Duration sum{};
  for (const CriticalStep& step : steps) {
    if (step.span.rank == rank) sum += step.span.end - step.span.start;
  }
  return sum;
}

std::int64_t CriticalPath::steps_on(Rank rank) const {
  return std::count_if(steps.begin(), steps.end(),
                       [&](const CriticalStep& step) { return step.span.rank == rank; });
}

CriticalPath critical_path(const ScheduleGraph& graph, int ranks) {
  const Spans spans = longest_path(graph);  // finds cycles
  if (spans.empty()) return {{}, std::vector<RankSlack>(static_cast<std::size_t>(ranks))};
  const Vertex last = last_to_end(spans);
  return {path_to(last, graph, spans), slack_of_ranks(graph, spans, ranks, spans[last].end)};
}

}  // namespace frostline::pipeline
