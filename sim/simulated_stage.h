#pragma once

#include <boost/container/static_vector.hpp>
#include <coroutine>
#include <optional>
#include <string>
#include <vector>

#include "cost/plan_times.h"
#include "pipeline/schedule.h"
#include "pipeline/span.h"
#include "pipeline/stage.h"
#include "pipeline/step_places.h"
#include "sim/activation_memory.h"
#include "sim/completions.h"
#include "sim/event_loop.h"
#include "sim/links.h"

namespace frostline::sim {

/// What the ranks of one simulated step share. All of it outlives them.
struct SharedStep {
  const pipeline::Schedule& schedule;
  const pipeline::StepPlaces& places;
  const cost::PlanTimes& times;
  EventLoop& loop;
  Completions& completions;
  Links& links;
};

/// One rank's device in virtual time: it computes one action at a time, as soon as it gets there
/// and all inputs are there.
class SimulatedStage : public pipeline::Stage {
 public:
  SimulatedStage(pipeline::Rank rank, const SharedStep& shared)
      : rank_(rank), shared_(shared), memory_(shared.times) {}

  /// To be called when an input's arrival has become known.
  void wake();

  const std::vector<pipeline::Span>& spans() const { return spans_; }
  const ActivationMemory& memory() const { return memory_; }
  /// "rank 1 stands before 1F0, which waits for ..."; nothing if it waits for no input.
  std::optional<std::string> blockade() const;

 protected:
  bool begin(const pipeline::Action& action, std::coroutine_handle<> waiting) override;

 private:
  using Steps = boost::container::static_vector<pipeline::Step, 8>;
  /// A computation that lacks an input.
  struct Pending {
    pipeline::Action action;
    std::coroutine_handle<> waiting;
    Steps awaited;
  };

  /// What a computation waits for: its inputs made here; of the others their receive and their
  /// send.
  Steps awaited(const pipeline::Action& computation) const;
  /// The first step awaited whose completion is not known.
  std::optional<pipeline::Step> missing(const Steps& awaited) const;
  void compute(const Pending& ready);

  pipeline::Rank rank_;
  const SharedStep& shared_;
  ActivationMemory memory_;
  std::optional<Pending> pending_;
  std::vector<pipeline::Span> spans_;
};

}  // namespace frostline::sim
