#include "exec/profiler.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "exec/crew.h"
#include "exec/hand_over.h"
#include "exec/layer_probe.h"
#include "exec/stopwatch.h"
#include "exec/torch_world.h"
#include "pipeline/schedules/registry.h"

namespace frostline::exec {
namespace {

using pipeline::LayerId;
using pipeline::Rank;

constexpr int kWarmUp = 2;             // rounds that are forgotten
constexpr int kValidations = 2;        // the last one counts
constexpr int kHandOvers = 200;        // there and back
constexpr std::uint64_t kSeed = 0;     // of dropout: what is dropped does not change the cost
constexpr auto kNothingWaits = [] {};  // what to do when a rank fails and no other waits for it

/// Whether two layers cost the same: of one kind and shapes, and in the same place, since the first
/// and the last layer of a model do more.
bool are_alike(const models::ModelDescription& model, std::size_t a, std::size_t b) {
  const auto place = [&](std::size_t layer) {
    return std::pair(layer == 0, layer + 1 == model.layers.size());
  };
  const auto same_shape = [](const auto& x, const auto& y) { return x.shape == y.shape; };
  const auto& left = model.layers[a];
  const auto& right = model.layers[b];
  return place(a) == place(b) && left.kind == right.kind &&
         std::ranges::equal(left.tensors, right.tensors, same_shape);
}

/// For each layer, the first one that is like it.
std::vector<std::size_t> representatives(const models::ModelDescription& model) {
  std::vector<std::size_t> first;
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    std::size_t found = 0;
    while (!are_alike(model, found, layer)) ++found;
    first.push_back(found);
  }
  return first;
}

/// The probes of one rank, one a representative.
class RankProbes {
 public:
  RankProbes(const models::LearningTask& task, const policy::TrainSettings& settings,
             const std::vector<std::size_t>& first, LayerProbe::Sizes sizes) {
    at::Tensor hidden;
    for (std::size_t layer = 0; layer < first.size(); ++layer) {
      const LayerId id{static_cast<int>(layer)};
      auto probe = std::make_unique<LayerProbe>(task, settings, id, sizes);
      hidden = probe->take_input(hidden);
      probes_.push_back(first[layer] == layer ? std::move(probe) : nullptr);
    }
  }

  /// nullptr if another layer stands for this one.
  LayerProbe* at(std::size_t layer) { return probes_[layer].get(); }
  void forget() {
    for (auto& probe : probes_) {
      if (probe) probe->forget();
    }
  }

 private:
  std::vector<std::unique_ptr<LayerProbe>> probes_;
};

/// Measures all representatives on all ranks at once.
class LayerProfiler {
 public:
  LayerProfiler(const models::LearningTask& task, const policy::TrainSettings& settings, int ranks,
                int micro_batches)
      : first_(representatives(task.model())),
        probes_(static_cast<std::size_t>(ranks)),
        crew_(ranks) {
    on_all_ranks([&](std::unique_ptr<RankProbes>& rank) {
      rank = std::make_unique<RankProbes>(task, settings, first_,
                                          LayerProbe::Sizes{micro_batches, kSeed});
    });
  }

  void run(int repeats, const std::function<void(double)>& progress) {
    for (int round = -kWarmUp; round < repeats; ++round) {
      if (round == 0) on_all_ranks([](auto& rank) { rank->forget(); });
      measure_once();
      progress(static_cast<double>(round + 1 + kWarmUp) / (repeats + kWarmUp));
    }
  }

  /// One a layer of the model; those alike have equal ones.
  std::vector<LayerFigures> figures() const {
    std::vector<LayerFigures> all;
    for (const std::size_t layer : first_) {
      LayerFigures& figures = all.emplace_back();
      for (const auto& rank : probes_) figures.add(rank->at(layer)->figures());
    }
    return all;
  }

 private:
  /// All ranks measure the same layer at the same time.
  void measure_once() {
    for (std::size_t layer = 0; layer < first_.size(); ++layer) {
      if (first_[layer] != layer) continue;
      on_all_ranks([&](auto& rank) { rank->at(layer)->measure(); });
    }
  }

  void on_all_ranks(const std::function<void(std::unique_ptr<RankProbes>&)>& command) {
    crew_.run([&](Rank rank) { command(probes_[rank.index()]); }, kNothingWaits);
  }

  std::vector<std::size_t> first_;
  std::vector<std::unique_ptr<RankProbes>> probes_;
  Crew crew_;
};

cost::LayerCost cost_of(const LayerFigures& figures, const models::LayerDescription& layer,
                        int micro_batch_size) {
  cost::LayerCost cost;
  cost.forward_ns = figures.forward.median();
  cost.forward_below_ns = figures.forward_below.median();
  cost.frozen_backward_ns = figures.frozen_backward.median();
  cost.input_gradient_ns = cost.frozen_backward_ns;
  cost.weight_gradient_ns = std::max(0.0, figures.backward.median() - cost.input_gradient_ns);
  cost.optimizer_ns = figures.optimizer.median();
  cost.activation = layer.activation * micro_batch_size;
  cost.activation_after_input_gradient = cost.activation;
  return cost;
}

/// Two commands of a step that have nothing to do: what waking the ranks and waiting for them
/// costs.
double command_ns(int ranks) {
  Crew crew(ranks);
  Figure figure;
  for (int i = 0; i < kHandOvers; ++i) {
    const Stopwatch watch;
    for (int command = 0; command < 2; ++command) crew.run([](Rank) {}, kNothingWaits);
    figure.add(watch.nanoseconds());
  }
  return figure.median();
}

/// From one rank's put to the other's take, when that waits: half of there and back.
double hand_over_ns() {
  using pipeline::ActionKind;
  Crew crew(2);
  HandOver hand_over;
  Figure figure;
  const at::Tensor tensor = at::zeros({1});
  const pipeline::Step there{ActionKind::kReceiveForward, {1}, pipeline::MicroBatch{0}};
  const pipeline::Step back{ActionKind::kReceiveBackward, {0}, pipeline::MicroBatch{0}};
  const auto answer = [&] { hand_over.put(back, hand_over.take(there)); };
  const auto ask = [&] {
    const Stopwatch watch;
    hand_over.put(there, tensor);
    hand_over.take(back);
    figure.add(watch.nanoseconds() / 2);
  };
  crew.run(
      [&](Rank rank) {
        for (int i = 0; i < kHandOvers; ++i) rank.value == 0 ? ask() : answer();
      },
      [&] { hand_over.abort(); });
  return figure.median();
}

double validation_ns(const models::LearningTask& task, const policy::TrainSettings& settings,
                     int ranks, int micro_batches) {
  const auto units = models::unit_table(task.model(), models::UnitKind::kLayer);
  TorchWorld world(task, units, settings, ranks, kSeed);
  world.transition({pipeline::make_schedule("gpipe", {ranks, 1, micro_batches}),
                    pipeline::Partition::even(units.layers(), ranks),
                    pipeline::FreezePlan(pipeline::FreezeMask(units.size())),
                    pipeline::Cut::kPrefix});
  base::Duration cost{};
  for (int i = 0; i < kValidations; ++i) cost = world.validate(pipeline::Split::kValidation).cost;
  return static_cast<double>(cost.count());
}

int micro_batch_size(const policy::TrainSettings& settings, int micro_batches) {
  if (settings.batch % micro_batches == 0) return static_cast<int>(settings.batch / micro_batches);
  throw base::Error("train.batch = " + std::to_string(settings.batch) +
                    " does not divide into pipeline.micro_batches = " +
                    std::to_string(micro_batches) + " of equal size; use a multiple");
}

void add_layers(const std::vector<LayerFigures>& figures, const models::ModelDescription& model,
                cost::Profile& profile) {
  for (std::size_t layer = 0; layer < figures.size(); ++layer) {
    const auto& description = model.layers[layer];
    profile.layer_names.push_back(description.name);
    profile.cost.layers.push_back(cost_of(figures[layer], description, profile.micro_batch_size));
    profile.spread = std::max(profile.spread, figures[layer].largest_spread());
  }
}

/// Reading the gradients of the whole model; each rank reads its part of them at the same time.
double reading_ns(const std::vector<LayerFigures>& figures) {
  double sum = 0;
  for (const LayerFigures& layer : figures) sum += layer.reading.median();
  return sum;
}

}  // namespace

cost::Profile profile_task(const models::LearningTask& task, const policy::TrainSettings& settings,
                           int ranks, int micro_batches, int repeats,
                           const std::function<void(double)>& progress) {
  at::set_num_threads(1);
  cost::Profile profile;
  profile.micro_batch_size = micro_batch_size(settings, micro_batches);
  profile.ranks = ranks;
  profile.repeats = repeats;
  profile.device = "cpu";
  profile.cost.validation_ns = validation_ns(task, settings, ranks, micro_batches);
  LayerProfiler profiler(task, settings, ranks, micro_batches);
  profiler.run(repeats, progress);
  const auto figures = profiler.figures();
  add_layers(figures, task.model(), profile);
  profile.cost.step_ns = reading_ns(figures) / ranks + command_ns(ranks);
  profile.cost.send_ns = hand_over_ns();
  return profile;
}

}  // namespace frostline::exec
