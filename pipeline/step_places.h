#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "pipeline/schedule.h"

namespace frostline::pipeline {

/// Where a step stands in a schedule.
struct StepPlace {
  Rank rank;
  int position = 0;  ///< index in the rank's list

  friend auto operator<=>(const StepPlace&, const StepPlace&) = default;
};

/// Finds the steps of a schedule. Of a step that stands there twice, the first in rank order; steps
/// that the shape does not have are left out.
class StepPlaces {
 public:
  explicit StepPlaces(const Schedule& schedule);

  std::optional<StepPlace> find(const Step& step) const;
  bool has(const Step& step) const { return find(step).has_value(); }
  bool has(ActionKind kind, StageId stage, MicroBatch micro_batch) const {
    return has(Step{kind, stage, micro_batch});
  }
  /// The shape has the step's stage and micro-batch, and the step has one exactly if its kind does.
  bool in_range(const Step& step) const;

 private:
  std::size_t slot(const Step& step) const;
  void note(const Step& step, const StepPlace& place);

  PipelineShape shape_;
  std::vector<Rank> rank_of_stage_;
  std::vector<std::int32_t> positions_;  // on the rank of the step's stage; -1: not there
  std::map<Step, StepPlace> strays_;     // on a rank that does not hold the stage
};

}  // namespace frostline::pipeline
