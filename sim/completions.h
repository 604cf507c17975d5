#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "pipeline/schedule.h"

namespace frostline::sim {

/// When each step of a schedule was, or will be, done: a computation at its end, a receive when it
/// was posted, a send when what it carries arrives. A step absent has not begun.
class Completions {
 public:
  explicit Completions(const pipeline::PipelineShape& shape);

  std::optional<base::Duration> find(const pipeline::Step& step) const;
  void note(const pipeline::Step& step, base::Duration time);

 private:
  std::size_t slot(const pipeline::Step& step) const;

  int micro_batches_;
  std::vector<base::Duration> times_;  // stages x micro-batches x kinds; negative: absent
};

}  // namespace frostline::sim
