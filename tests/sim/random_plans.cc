#include "tests/sim/random_plans.h"

#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/random.h"
#include "pipeline/lower.h"
#include "pipeline/schedules/registry.h"
#include "pipeline/validate.h"

namespace frostline::sim {
namespace {

using pipeline::Action;
using pipeline::ActionKind;
using pipeline::FreezeMask;
using pipeline::LayerId;
using pipeline::MicroBatch;
using pipeline::PipelineShape;
using pipeline::Rank;
using pipeline::Schedule;
using pipeline::StageId;
using pipeline::Step;
using pipeline::UnitTable;

/// Uniform from the first case on; left alone, RapidCheck begins with the smallest numbers.
int below(int bound) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, bound)); }
bool one_in(int n) { return below(n) == n - 1; }

/// Lists in an order in which they can be executed: computations are taken one by one, each at a
/// moment when its inputs are there.
class OrderDrawing {
 public:
  OrderDrawing(const PipelineShape& shape, base::RandomStream stream)
      : schedule_{"any", shape, pipeline::looped_placement(shape), {}}, stream_(stream) {
    schedule_.actions.resize(static_cast<std::size_t>(shape.ranks));
    for (std::size_t i = schedule_.rank_of_stage.size(); i > 1; --i) {
      std::swap(schedule_.rank_of_stage[i - 1], schedule_.rank_of_stage[pick(i)]);
    }
    for (const StageId stage : base::ids<StageId>(shape.stages())) {
      for (const MicroBatch batch : base::ids<MicroBatch>(shape.micro_batches)) add(stage, batch);
    }
  }

  Schedule draw() {
    while (!left_.empty()) take(next());
    return std::move(schedule_);
  }

 private:
  std::size_t pick(std::size_t count) { return stream_.below(static_cast<std::uint32_t>(count)); }

  void add(StageId stage, MicroBatch batch) {
    left_.push_back({ActionKind::kForward, stage, batch});
    if (pick(2) == 0) {
      left_.push_back({ActionKind::kBackward, stage, batch});
    } else {
      left_.push_back({ActionKind::kInputGradient, stage, batch});
      left_.push_back({ActionKind::kWeightGradient, stage, batch});
    }
  }

  bool done(ActionKind kind, StageId stage, MicroBatch batch) const {
    return done_.contains({kind, stage, batch});
  }

  bool ready(const Step& step) const {
    const StageId stage = step.stage;
    const MicroBatch batch = *step.micro_batch;
    if (step.kind == ActionKind::kForward) {
      return stage.value == 0 || done(ActionKind::kForward, stage.previous(), batch);
    }
    if (step.kind == ActionKind::kWeightGradient) {
      return done(ActionKind::kInputGradient, stage, batch);
    }
    return done(ActionKind::kForward, stage, batch) &&
           (stage == schedule_.last_stage() || done(ActionKind::kBackward, stage.next(), batch) ||
            done(ActionKind::kInputGradient, stage.next(), batch));
  }

  Action next() {
    std::vector<Step> steps;
    std::copy_if(left_.begin(), left_.end(), std::back_inserter(steps),
                 [&](const Step& step) { return ready(step); });
    const Step first = steps[pick(steps.size())];
    const Step second = steps[pick(steps.size())];
    const bool pair = first.kind == ActionKind::kForward && second.kind == ActionKind::kBackward &&
                      first.micro_batch != second.micro_batch &&
                      schedule_.rank_of(first.stage) == schedule_.rank_of(second.stage);
    return pair ? Action::overlap(first, second) : Action(first);
  }

  void take(const Action& action) {
    const Rank rank = schedule_.rank_of(action.first().stage);
    schedule_.actions[rank.index()].push_back(action);
    for (const Step& step : action.steps()) {
      done_.insert(step);
      left_.erase(std::find(left_.begin(), left_.end(), step));
    }
  }

  Schedule schedule_;
  base::RandomStream stream_;
  std::vector<Step> left_;
  std::set<Step> done_;
};

/// With its transfers placed by hand: sends some places later, where that is no deadlock.
Schedule delay_sends(const Schedule& schedule) {
  const Schedule lowered = lower(schedule);
  Schedule moved = lowered;
  for (auto& actions : moved.actions) {
    for (std::size_t i = 1; i < actions.size(); ++i) {
      const bool send = is_send(actions[i - 1].first().kind);
      if (send && one_in(2)) std::swap(actions[i - 1], actions[i]);
    }
  }
  return find_faults(moved).empty() ? moved : lowered;
}

Schedule draw_registered() {
  while (true) {
    const auto& kind = *rc::gen::elementOf(pipeline::schedule_kinds());
    const PipelineShape shape{1 + below(4), 1 + below(3), 1 + below(9)};
    if (!kind.refuse(shape)) return kind.make(shape);
  }
}

Schedule draw_schedule() {
  if (below(4) == 0) return draw_registered();
  if (below(4) == 0) return delay_sends(draw_registered());
  PipelineShape shape{1 + below(4), 1, 1 + below(6)};
  if (below(3) == 0) return pipeline::make_schedule("gpipe", shape);
  if (below(2) == 0) return pipeline::make_schedule("1f1b", shape);
  shape.chunks = 1 + below(3);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  return OrderDrawing(shape, {seed, base::Purpose::kShuffle}).draw();
}

/// Tensors of 1 to 5 numbers, up to three a layer; perhaps one in the first and the last layer.
UnitTable draw_tensor_units(int layers) {
  UnitTable table = UnitTable::of_layers(layers);
  table.units.clear();
  if (layers > 1 && one_in(3)) {
    table.units.push_back({"tied", {{0}, {layers - 1}}, {"first", "last"}, 1 + below(5)});
  }
  for (const LayerId layer : base::ids<LayerId>(layers)) {
    for (int i = below(4); i > 0; --i) {
      table.units.push_back({"tensor", {layer}, {"tensor"}, 1 + below(5)});
    }
  }
  return table;
}

FreezeMask draw_mask(const UnitTable& units) {
  FreezeMask mask = freeze_leading_layers(units, below(units.layers() + 1));
  for (const auto unit : base::ids<pipeline::UnitId>(units.size())) {
    if (one_in(4)) mask.freeze(unit);
  }
  return mask;
}

pipeline::FreezePlan draw_freeze(const UnitTable& units, int micro_batches) {
  if (below(3) > 0) return pipeline::FreezePlan(draw_mask(units));
  std::vector<FreezeMask> masks;
  for (int i = 0; i < micro_batches; ++i) masks.push_back(draw_mask(units));
  return pipeline::FreezePlan(masks);
}

pipeline::Partition draw_partition(int stages) {
  std::vector<int> counts;
  for (int i = 0; i < stages; ++i) counts.push_back(1 + below(3));
  return pipeline::Partition(counts);
}

double draw_time() { return below(48) / 4.0; }

cost::ModelCost draw_cost(int layers) {
  cost::ModelCost cost;
  cost.send_ns = draw_time();
  cost.partial_freeze_overhead = below(3) / 8.0;
  for (int i = 0; i < layers; ++i) {
    const base::Bytes activation{below(100)};
    cost.layers.push_back({draw_time(),
                           draw_time(),
                           draw_time(),
                           draw_time(),
                           draw_time(),
                           draw_time(),
                           activation,
                           {below(100) * activation.count / 100}});
    cost::LayerCost& layer = cost.layers.back();
    const double whole = layer.forward_ns + layer.input_gradient_ns + layer.weight_gradient_ns;
    if (one_in(2)) layer.overlap_saving_ns = whole * (below(4) - 1) / 4;
  }
  return cost;
}

}  // namespace

RandomPlan draw_plan() {
  RandomPlan drawn;
  pipeline::Plan& plan = drawn.plan;
  plan.schedule = draw_schedule();
  plan.partition = draw_partition(plan.schedule->shape.stages());
  const int layers = plan.partition.layers();
  drawn.units = below(2) == 0 ? UnitTable::of_layers(layers) : draw_tensor_units(layers);
  plan.freeze = draw_freeze(drawn.units, plan.schedule->shape.micro_batches);
  plan.cut =
      *rc::gen::element(pipeline::Cut::kPrefix, pipeline::Cut::kFirstStage, pipeline::Cut::kNone);
  drawn.cost = draw_cost(layers);
  return drawn;
}

}  // namespace frostline::sim
