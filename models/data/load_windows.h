#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/settings.h"
#include "pipeline/world.h"

namespace frostline::models {

/// One sample: `context` hours of a series and the `horizon` hours that follow.
struct Window {
  int series = 0;
  int start = 0;  ///< hour of the first context value

  friend bool operator==(const Window&, const Window&) = default;
};

/// Load series cut into training, validation and test windows. Parts are contiguous in time and end
/// at the whole hour below their share of the rows; the targets of a part lie wholly inside it, its
/// contexts may reach back into the part before. Windows are ordered by series, then by time.
/// Values are held as read (MW); a series is normalised by mean and standard deviation of its
/// training part.
class LoadWindows {
 public:
  /// Throws base::Error for what read_csv refuses, for a series too short to fill every part, for
  /// one that does not vary (it cannot be normalised), and for a load of 0 (the percentage error of
  /// its forecast is not defined).
  static LoadWindows load(const DataSettings& settings);

  int context() const { return context_; }
  int horizon() const { return horizon_; }
  int series() const { return static_cast<int>(series_.size()); }
  std::span<const Window> training() const { return training_; }
  std::span<const Window> held_out(pipeline::Split split) const;

  std::span<const double> values(int series) const {
    return series_.at(static_cast<std::size_t>(series));
  }
  double mean(int series) const { return means_.at(static_cast<std::size_t>(series)); }
  double deviation(int series) const { return deviations_.at(static_cast<std::size_t>(series)); }

  /// Context and target in MW.
  std::span<const double> context_of(Window window) const;
  std::span<const double> target_of(Window window) const;

 private:
  int context_ = 0;
  int horizon_ = 0;
  std::vector<std::vector<double>> series_;
  std::vector<double> means_;
  std::vector<double> deviations_;
  std::vector<Window> training_;
  std::vector<Window> validation_;
  std::vector<Window> test_;
};

/// Which training windows each step sees: a new permutation every epoch, a pure function of the
/// seed and the step, so that every rank draws the same without talking to the others.
class BatchSampler {
 public:
  /// `batch` must not exceed `samples`; the rest of an epoch that does not fill a batch is dropped.
  BatchSampler(std::uint64_t seed, int samples, int batch);
  /// Indices of the samples of a step (steps count from 0).
  std::vector<std::uint32_t> batch_of(std::int64_t step);

 private:
  std::uint64_t seed_;
  int samples_;
  int batch_;
  std::int64_t epoch_ = -1;
  std::vector<std::uint32_t> order_;
};

}  // namespace frostline::models
