#include "sim/completions.h"

#include <cassert>

namespace frostline::sim {
namespace {

using base::Duration;
using pipeline::ActionKind;

/// The kinds of one micro-batch come first in ActionKind.
constexpr auto kKinds = static_cast<std::size_t>(ActionKind::kReduceGradient);
constexpr Duration kAbsent{-1};

}  // namespace

Completions::Completions(const pipeline::PipelineShape& shape)
    : micro_batches_(shape.micro_batches),
      times_(static_cast<std::size_t>(shape.stages()) *
                 static_cast<std::size_t>(shape.micro_batches) * kKinds,
             kAbsent) {}

std::optional<Duration> Completions::find(const pipeline::Step& step) const {
  const Duration time = times_[slot(step)];
  return time == kAbsent ? std::nullopt : std::optional(time);
}

void Completions::note(const pipeline::Step& step, Duration time) { times_[slot(step)] = time; }

std::size_t Completions::slot(const pipeline::Step& step) const {
  const auto kind = static_cast<std::size_t>(step.kind);
  assert(step.micro_batch && step.micro_batch->value < micro_batches_ && kind < kKinds);
  const std::size_t cell =
      step.stage.index() * static_cast<std::size_t>(micro_batches_) + step.micro_batch->index();
  assert(cell * kKinds < times_.size());
  return cell * kKinds + kind;
}

}  // namespace frostline::sim
