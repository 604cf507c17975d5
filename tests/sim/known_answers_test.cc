#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "base/document.h"
#include "cost/schedule_request.h"
#include "cost/settings.h"
#include "sim/step_simulation.h"

namespace frostline::sim {
namespace {

using cost::CostSettings;
using pipeline::Cut;
using pipeline::FreezeMask;
using pipeline::FreezePlan;
using pipeline::Partition;
using pipeline::PipelineShape;
using pipeline::UnitTable;

std::string data_file(const std::string& name) {
  return std::string(FROSTLINE_TEST_DATA) + "/" + name;
}

pipeline::PipelineSettings pipeline_settings(const PipelineShape& shape) {
  pipeline::PipelineSettings settings;
  settings.ranks = shape.ranks;
  settings.chunks = shape.chunks;
  settings.micro_batches = shape.micro_batches;
  return settings;
}

SimulatedStep simulate(const CostSettings& settings, const std::string& schedule,
                       const PipelineShape& shape, const FreezeMask& mask, Cut cut) {
  const UnitTable units = UnitTable::of_layers(shape.stages());
  const auto rank_of_stage = pipeline::find_schedule(schedule)->place(shape);
  const cost::ModelCost costs = table_cost(settings, shape, units.layers(), rank_of_stage);
  const auto partition = Partition::even(units.layers(), shape.stages());
  const auto request = schedule_request(costs, units, partition, pipeline_settings(shape));
  const pipeline::Plan plan{pipeline::make_schedule(schedule, request), partition, FreezePlan(mask),
                            cut};
  return simulate_step(executable_schedule(plan, units), cost::PlanTimes(costs, units, plan));
}

/// One line of the table of measured bubble rates.
struct Measurement {
  std::string model;
  PipelineShape shape;
  CostSettings settings;
  std::map<std::string, double> rates;  ///< by schedule
};

/// The model's hidden size and attention heads.
std::pair<double, double> model_sizes(const std::string& model) {
  static const std::map<std::string, std::pair<double, double>> kSizes{
      {"1.5B", {2304, 24}}, {"6.2B", {4096, 32}}, {"14.6B", {5120, 40}}, {"28.3B", {6144, 48}}};
  return kSizes.at(model);
}

Measurement parse(std::string line) {
  std::replace(line.begin(), line.end(), ',', ' ');
  std::istringstream fields(line);
  Measurement row;
  double forward = 0;
  double input = 0;
  double weight = 0;
  fields >> row.model >> row.shape.ranks >> row.shape.micro_batches >> forward >> input >> weight >>
      row.settings.send_ms;
  for (const char* schedule : {"1f1b", "1f1b_i", "zb_h1", "zb_h2", "zb_1p", "zb_2p"}) {
    fields >> row.rates[schedule];
  }
  EXPECT_FALSE(fields.fail()) << line;
  row.settings.source = "table";
  row.settings.forward_ms = {forward};
  row.settings.input_gradient_ms = {input};
  row.settings.weight_gradient_ms = {weight};
  // Per layer and unit of sequence x batch, in bytes; only their ratio counts.
  const auto [hidden, heads] = model_sizes(row.model);
  row.settings.activation_mib = {34 * hidden + 5 * heads * 1024};
  row.settings.activation_after_input_gradient_mib = {32 * hidden};
  return row;
}

SimulatedStep simulate(const Measurement& row, const std::string& schedule) {
  return simulate(row.settings, schedule, row.shape, FreezeMask(row.shape.stages()), Cut::kPrefix);
}

std::vector<Measurement> zero_bubble_table() {
  std::ifstream file(data_file("zero_bubble.csv"));
  std::vector<Measurement> rows;
  bool heading = true;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (!heading) rows.push_back(parse(line));
    heading = false;
  }
  return rows;
}

/// A published rate is its four printed decimals.
constexpr double kHalfDigit = 0.00005;

TEST(KnownAnswers, BubbleRatesAsPublished) {
  const auto rows = zero_bubble_table();
  EXPECT_EQ(rows.size(), 9U);
  for (const Measurement& row : rows) {
    for (const char* schedule : {"1f1b", "zb_h1", "zb_h2"}) {
      EXPECT_NEAR(simulate(row, schedule).use.bubble_rate(), row.rates.at(schedule),
                  kHalfDigit)
          << schedule << ", " << row.model << ", m = " << row.shape.micro_batches;
    }
  }
}

struct Limited {
  const char* schedule;
  int limit;  ///< in multiples of 1F1B's peak
};

TEST(KnownAnswers, SearchedOrdersAreNoWorseThanPublishedWithinTheirMemory) {
  for (const Measurement& row : zero_bubble_table()) {
    for (const auto& [schedule, limit] : {Limited{"zb_1p", 1}, Limited{"zb_2p", 2}}) {
      const SimulatedStep step = simulate(row, schedule);
      EXPECT_LE(step.use.bubble_rate(), row.rates.at(schedule) + kHalfDigit)
          << schedule << ", " << row.model << ", m = " << row.shape.micro_batches;
      const double most =
          *std::max_element(step.peak_activations.begin(), step.peak_activations.end());
      EXPECT_LE(most, limit * row.shape.ranks) << schedule << ", " << row.model;
    }
  }
}

/// The row's pipeline with its stages cut into `chunks`, and another delay of transfers.
Measurement chunked(Measurement row, int chunks, double send_ms) {
  row.shape.chunks = chunks;
  row.settings.forward_ms.front() /= chunks;
  row.settings.input_gradient_ms.front() /= chunks;
  row.settings.weight_gradient_ms.front() /= chunks;
  row.settings.send_ms = send_ms;
  return row;
}

/// What part of the transfers the published figure counts is not known.
TEST(KnownAnswers, BubbleRatesOfInterleaved1F1BLieBetweenThoseWithoutAndWithLatency) {
  const std::map<std::string, int> chunks{{"1.5B", 3}, {"6.2B", 4}, {"14.6B", 3}, {"28.3B", 2}};
  for (const Measurement& row : zero_bubble_table()) {
    const auto rate = [&](double send_ms) {
      return simulate(chunked(row, chunks.at(row.model), send_ms), "interleaved_1f1b")
          .use.bubble_rate();
    };
    const double published = row.rates.at("1f1b_i");
    EXPECT_LT(rate(0), published) << row.model << ", m = " << row.shape.micro_batches;
    EXPECT_LT(published, rate(row.settings.send_ms))
        << row.model << ", m = " << row.shape.micro_batches;
  }
}

base::Numbers numbers(base::Document& document, const std::string& key) {
  base::Numbers values;
  EXPECT_TRUE(document.read(key, values)) << key;
  return values;
}

double number(base::Document& document, const std::string& key) {
  double value = 0;
  EXPECT_TRUE(document.read(key, value)) << key;
  return value;
}

/// The backward is published as a whole; I is taken as what is left of it when all is frozen, and
/// on rank 0, where nothing is left, as half.
CostSettings timely_freeze_settings(base::Document& document) {
  CostSettings settings;
  settings.source = "table";
  settings.forward_ms = numbers(document, "stages.forward");
  settings.frozen_backward_ms = numbers(document, "stages.backward_frozen");
  const base::Numbers whole = numbers(document, "stages.backward");
  for (std::size_t rank = 0; rank < whole.size(); ++rank) {
    const double frozen = settings.frozen_backward_ms[rank];
    settings.input_gradient_ms.push_back(frozen > 0 ? frozen : whole[rank] / 2);
    settings.weight_gradient_ms.push_back(whole[rank] - settings.input_gradient_ms[rank]);
  }
  return settings;
}

/// Within 3 % of what that system's own analysis prints, with no and with all weights frozen.
TEST(KnownAnswers, IterationTimesOfAnEightBillionModelAsPublished) {
  base::Document document = base::Document::from_file(data_file("timelyfreeze_8b.toml"));
  const CostSettings settings = timely_freeze_settings(document);
  const PipelineShape shape{4, 1, static_cast<int>(number(document, "stages.micro_batches"))};
  const UnitTable units = UnitTable::of_layers(4);
  const std::pair<const char*, const char*> schedules[] = {{"1f1b", "onef1b"}, {"gpipe", "gpipe"}};
  for (const auto& [schedule, section] : schedules) {
    const auto expect_time = [&](const FreezeMask& mask, const char* key) {
      const double published = number(document, std::string(section) + "." + key);
      const SimulatedStep step = simulate(settings, schedule, shape, mask, Cut::kFirstStage);
      EXPECT_NEAR(base::to_ms(step.time()), published, 0.03 * published) << schedule << " " << key;
    };
    expect_time(FreezeMask(4), "iteration_none");
    expect_time(freeze_leading_layers(units, 4), "iteration_frozen");
  }
}

/// Each rank computes for the part of the published iteration that is no bubble.
TEST(KnownAnswers, BusyTimesOfAnEightBillionModelAsPublished) {
  base::Document document = base::Document::from_file(data_file("timelyfreeze_8b.toml"));
  const CostSettings settings = timely_freeze_settings(document);
  const PipelineShape shape{4, 1, static_cast<int>(number(document, "stages.micro_batches"))};
  const auto expect_busy = [&](const FreezeMask& mask, const std::string& frozen) {
    const double iteration = number(document, "onef1b.iteration_" + frozen);
    const base::Numbers bubbles = numbers(document, "onef1b.bubble_" + frozen);
    const SimulatedStep step = simulate(settings, "1f1b", shape, mask, Cut::kFirstStage);
    ASSERT_EQ(bubbles.size(), 4U);
    for (const auto rank : base::ids<pipeline::Rank>(4)) {
      const double busy = (1 - bubbles[rank.index()]) * iteration;
      EXPECT_NEAR(base::to_ms(step.use.ranks[rank.index()].busy), busy, 0.01 * busy)
          << "rank " << rank.value << ", " << frozen;
    }
  };
  expect_busy(FreezeMask(4), "none");
  expect_busy(freeze_leading_layers(UnitTable::of_layers(4), 4), "frozen");
}

/// Within 5 % for the zero-bubble V, by its own chunks' times.
TEST(KnownAnswers, IterationTimesOfAnEightBillionModelOnAVAsPublished) {
  base::Document document = base::Document::from_file(data_file("timelyfreeze_8b.toml"));
  CostSettings settings;
  settings.source = "table";
  settings.forward_ms = numbers(document, "zbv.forward");
  settings.input_gradient_ms = numbers(document, "zbv.input_gradient");
  settings.weight_gradient_ms = numbers(document, "zbv.weight_gradient");
  const PipelineShape shape{4, 2, static_cast<int>(number(document, "stages.micro_batches"))};
  const auto expect_time = [&](const FreezeMask& mask, const char* key) {
    const double published = number(document, key);
    const SimulatedStep step = simulate(settings, "zb_v", shape, mask, Cut::kFirstStage);
    EXPECT_NEAR(base::to_ms(step.time()), published, 0.05 * published) << key;
  };
  expect_time(FreezeMask(8), "zbv.iteration_none");
  expect_time(freeze_leading_layers(UnitTable::of_layers(8), 8), "zbv.iteration_frozen");
}

}  // namespace
}  // namespace frostline::sim
