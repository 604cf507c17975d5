#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/interrupt.h"
#include "app/progress.h"
#include "app/run_folder.h"
#include "app/summary.h"
#include "pipeline/world.h"
#include "policy/training_loop.h"

namespace frostline::app {

/// Who watches a run, and can end it.
struct Supervision {
  Progress progress;
  const InterruptGuard& interrupt;  ///< may be that of several runs at once
};

/// When a run took up a plan: before the first step that it runs with a mask.
struct PlanStart {
  pipeline::FreezeMask mask;
  std::int64_t step = 0;  ///< the number of that step, from 1
  base::Duration time{};  ///< on the run's clock
};

/// Writes a run's events to its log if it has a folder, and tells people what happens.
class RunObserver : public policy::LoopObserver {
 public:
  RunObserver(const pipeline::UnitTable& units, pipeline::Measure measure,
              const Supervision& supervision);

  /// Takes the events before the first step (of a resumed run, those until its checkpoint) and the
  /// log that already holds them; `log` is null for a run without a folder.
  void begin(const std::vector<nlohmann::json>& events, std::unique_ptr<RunLog> log);

  void step_done(const pipeline::StepRecord& step, const pipeline::Budget& budget) override;
  void validated(const policy::ValidationRecord& record) override;
  void decided(const policy::DecisionRecord& record) override;
  void checkpointed(std::int64_t step, base::Duration cost) override;
  void message(const std::string& text) override;
  bool stop_requested() override { return interrupt_.requested(); }

  void clear() { progress_.clear(); }
  /// What checkpoints took on the run's clock.
  base::Duration checkpoint_time() const { return checkpoint_time_; }
  const StepTimes& step_times() const { return step_times_; }
  /// The plans that steps were run with, in their order.
  const std::vector<PlanStart>& plans() const { return plans_; }

 private:
  void note(const nlohmann::json& event);
  void take(const nlohmann::json& event);
  void take_step(const nlohmann::json& step);

  const pipeline::UnitTable& units_;
  pipeline::Measure measure_;
  std::unique_ptr<RunLog> log_;
  Progress progress_;
  StepTimes step_times_;
  pipeline::FreezeMask mask_;
  base::Duration time_{};  // on the run's clock
  base::Duration checkpoint_time_{};
  std::vector<PlanStart> plans_;
  ProgressState state_;
  const InterruptGuard& interrupt_;
};

/// "froze blocks.0, blocks.1; thawed blocks.4", or "" if the masks are equal.
std::string change_text(const pipeline::UnitTable& units, const pipeline::FreezeMask& before,
                        const pipeline::FreezeMask& after);

}  // namespace frostline::app
