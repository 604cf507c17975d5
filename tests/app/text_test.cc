#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/best.h"
#include "app/progress.h"
#include "app/run_observer.h"
#include "app/run_record.h"
#include "app/table.h"

namespace frostline::app {
namespace {

TEST(Table, FirstColumnLeftOthersRightNoTrailingBlanks) {
  EXPECT_EQ(format_table({{"", "a", "bb"}, {"row", "1", ""}}), "     a  bb\nrow  1\n");
}

TEST(Lowest, AllThatAreEqualAreMarked) {
  using Values = std::vector<std::optional<double>>;
  using Marks = std::vector<bool>;
  EXPECT_EQ(lowest({2.0, 1.0, 3.0}), (Marks{false, true, false}));
  EXPECT_EQ(lowest({1.0, 2.0, 1.0 + 1e-15}), (Marks{true, false, true}));
  EXPECT_EQ(lowest({-2.0, -1.0}), (Marks{true, false}));
  EXPECT_EQ(lowest({std::nullopt, 1.0, 2.0}), (Marks{false, true, false}));
  EXPECT_EQ(lowest({1.0, 1.0, std::nullopt}), (Marks{false, false, false}));
  EXPECT_EQ(lowest({1.0, std::nullopt}), (Marks{false, false}));
  EXPECT_EQ(lowest(Values{}), Marks{});
}

TEST(Progress, TheLineShowsWhatTheRunDoes) {
  const ProgressState state{.budget_share = 0.5,
                            .steps = 120,
                            .loss = 0.0123,
                            .score = "MAPE 3.610 %",
                            .step_time = base::from_ms(81.25),
                            .frozen_share = 0.25,
                            .frost_line = 3};
  EXPECT_EQ(with_bar(state.budget_share, progress_text(state)),
            "[==========>         ]  50 %  step 120  loss 0.0123  MAPE 3.610 %  81.2 ms/step  "
            "frozen 25 %  "
            "frost line 3");
}

TEST(ChangeText, NamesWhatFrozeAndWhatThawed) {
  const auto units = pipeline::UnitTable::of_layers(3);
  EXPECT_EQ(change_text(units, pipeline::FreezeMask::from_text("001"),
                        pipeline::FreezeMask::from_text("110")),
            "froze " + units.units[0].name + ", " + units.units[1].name + "; thawed " +
                units.units[2].name);
  EXPECT_EQ(change_text(units, pipeline::FreezeMask(3), pipeline::FreezeMask(3)), "");
}

TEST(Events, ADecisionCarriesTheMaskAndBothTests) {
  const auto units = pipeline::UnitTable::of_layers(2);
  policy::DecisionRecord record{.step = 40, .judging_step = 2, .before = pipeline::FreezeMask(2)};
  record.decision.mask = pipeline::FreezeMask::from_text("10");
  record.decision.verdicts.push_back(
      {.statistics = {.unit = {0}, .mean_gradient = 0.5, .small_changes = 0.9},
       .change_is_small = true,
       .gradient_is_small = false});
  const auto event = decision_event(record, units);
  EXPECT_EQ(event.at("mask"), "10");
  EXPECT_EQ(event.at("before"), "00");
  EXPECT_EQ(step_of(event), 40);
  EXPECT_EQ(event.at("verdicts")[0].at("unit"), units.units[0].name);
  EXPECT_EQ(event.at("verdicts")[0].at("result1"), true);
  EXPECT_EQ(event.at("verdicts")[0].at("result2"), false);
}

}  // namespace
}  // namespace frostline::app
