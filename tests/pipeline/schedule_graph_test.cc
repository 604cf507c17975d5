#include "pipeline/schedule_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "tests/pipeline/samples.h"

namespace frostline::pipeline {
namespace {

using testing::HasSubstr;

/// "0F0->1F0 (3)" for each edge, sorted.
std::vector<std::string> edges_of(const ScheduleGraph& graph) {
  std::vector<std::string> texts;
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph))) {
    texts.push_back(to_text(graph[boost::source(edge, graph)].action) + "->" +
                    to_text(graph[boost::target(edge, graph)].action) + " (" +
                    std::to_string(graph[edge].delay.count()) + ")");
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST(ScheduleGraph, HasAnEdgeForEachOrderAndTransfer) {
  const auto graph = schedule_graph(lower(split_backward(make_schedule("gpipe", {2, 1, 1}))),
                                    EqualStages(1, 2, 4, 3));
  EXPECT_EQ(edges_of(graph),
            (std::vector<std::string>{"0F0->0I0 (0)", "0F0->1F0 (3)", "0I0->0W0 (0)",
                                      "1F0->1I0 (0)", "1I0->0I0 (3)", "1I0->1W0 (0)"}));
}

TEST(ScheduleGraph, NodesStandInTheOrderOfTheLists) {
  const auto graph = schedule_graph(lower(make_schedule("gpipe", {2, 1, 1})), EqualStages(1, 2, 4));
  std::string texts;
  for (const auto node : boost::make_iterator_range(boost::vertices(graph))) {
    texts += to_text(graph[node].action) + "/" + std::to_string(graph[node].duration.count()) + " ";
  }
  EXPECT_EQ(texts, "0F0/1 0B0/6 1F0/1 1B0/6 ");
}

TEST(LongestPath, StartsEachNodeAsEarlyAsItsInputsAllow) {
  // 0F0 0-1, sent until 4, 1F0 4-5, 1I0 5-7, sent until 10, 0I0 10-12, 0W0 12-16; 1W0 7-11.
  const auto schedule = lower(split_backward(make_schedule("gpipe", {2, 1, 1})));
  const auto spans = longest_path(schedule_graph(schedule, EqualStages(1, 2, 4, 3)));
  std::map<std::string, int> starts;
  for (const Span& span : spans)
    starts[to_text(span.action)] = static_cast<int>(span.start.count());
  EXPECT_EQ(starts, (std::map<std::string, int>{
                        {"0F0", 0}, {"1F0", 4}, {"1I0", 5}, {"1W0", 7}, {"0I0", 10}, {"0W0", 12}}));
}

TEST(LongestPath, AnOverlappedPairAwaitsTheInputsOfBoth) {
  // Rank 1: 1F0 1-2; the pair needs 0F1 (1-2) and 1F0: 2-5 (1 + 2). 0B0 then follows at 5.
  const auto schedule =
      lower(schedule_from({2, 1, 2}, {"0F0 0F1 0B0 0B1", "1F0 (1F1;1B0)OVERLAP_F_B 1B1"}));
  const auto spans = longest_path(schedule_graph(schedule, EqualStages()));
  EXPECT_EQ(to_text(spans[5].action), "(1F1;1B0)OVERLAP_F_B");
  EXPECT_EQ(spans[5].start, 2 * kTick);
  EXPECT_EQ(spans[5].end, 5 * kTick);
  EXPECT_EQ(to_text(spans[2].action), "0B0");
  EXPECT_EQ(spans[2].start, 5 * kTick);
}

TEST(LongestPath, FindsCyclesOfEveryKind) {
  for (const auto& schedule : {lower(schedule_from({2, 1, 2}, {"0F0 0B0 0F1", "1F0 1F1 1B0"})),
                               schedule_from({1, 2, 1}, {"0F0 1F0 0B0 1B0"}),
                               schedule_from({1, 1, 1}, {"(0F0;0B0)OVERLAP_F_B"}),
                               schedule_from({1, 1, 1}, {"0F0 0W0 0I0"})}) {
    EXPECT_THAT(error_of([&] { longest_path(schedule_graph(schedule, EqualStages())); }),
                HasSubstr("the schedule has a cycle"))
        << to_text(schedule);
  }
}

TEST(LongestPath, OfNothingIsNothing) { EXPECT_TRUE(longest_path(ScheduleGraph()).empty()); }

}  // namespace
}  // namespace frostline::pipeline
