#pragma once

#include <vector>

#include "pipeline/step_places.h"
#include "pipeline/validate.h"

namespace frostline::pipeline {

/// Checks the rules that can be read off the lists, one step at a time. `schedule` must outlive it
/// and have as many lists and placed stages as its shape says.
class FaultFinder {
 public:
  explicit FaultFinder(const Schedule& schedule);
  /// In no particular order.
  std::vector<ScheduleFault> find();

 private:
  void check_action(const Action& action, const StepPlace& place);
  void check_step(const Step& step);
  void check_order(const Step& step);
  void check_weight_gradient(const Step& step);
  void check_mixture(const Step& step);
  void check_inputs(const Step& step);
  void check_input(const Step& step, const Step& input);
  void check_transfer(const Step& transfer);
  void check_use(const Step& transfer);
  void check_forwards(StageId stage);

  bool has(const Step& like, ActionKind kind) const;
  /// Stands on the rank at hand, but not before the place at hand.
  bool is_late(const Step& step) const;
  /// The computation of the transfer's own stage that makes a send's tensor or needs a receive's.
  Step computation_of(const Step& transfer) const;
  void note(ScheduleRule rule, const std::string& what);

  const Schedule& schedule_;
  StepPlaces places_;
  bool lowered_;  // there are transfers
  std::vector<ScheduleFault> faults_;
  // At hand:
  StepPlace place_;
  const Action* action_ = nullptr;  // null: something is missing at the end of the list
};

}  // namespace frostline::pipeline
