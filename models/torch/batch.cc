#include "models/torch/batch.h"

#include <ATen/ops/empty.h>

#include <array>
#include <cmath>
#include <numbers>

#include "models/forecaster.h"

namespace frostline::models {
namespace {

constexpr int kDay = 24;
constexpr int kWeek = 7;

/// Sine and cosine of `index` of `count` steps around the circle.
std::array<float, 2> on_circle(int index, int count) {
  const double angle = 2 * std::numbers::pi * index / count;
  return {static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle))};
}

float* write_normalised(std::span<const double> values, double mean, double deviation, float* out) {
  for (const double value : values) *out++ = static_cast<float>((value - mean) / deviation);
  return out;
}

float* write_calendar(int hour, float* out) {
  for (const float feature : on_circle(hour % kDay, kDay)) *out++ = feature;
  for (const float feature : on_circle(hour / kDay % kWeek, kWeek)) *out++ = feature;
  return out;
}

}  // namespace

BatchTensors make_batch(const LoadWindows& data, std::span<const Window> windows, int patch) {
  const auto size = static_cast<std::int64_t>(windows.size());
  const int tokens = data.context() / patch;
  BatchTensors batch{at::empty({size, data.context()}, at::kFloat),
                     at::empty({size, tokens, kCalendarFeatures}, at::kFloat),
                     at::empty({size, data.horizon()}, at::kFloat)};
  auto* context = batch.context.mutable_data_ptr<float>();
  auto* calendar = batch.calendar.mutable_data_ptr<float>();
  auto* target = batch.target.mutable_data_ptr<float>();
  for (const Window& window : windows) {
    const double mean = data.mean(window.series);
    const double deviation = data.deviation(window.series);
    context = write_normalised(data.context_of(window), mean, deviation, context);
    target = write_normalised(data.target_of(window), mean, deviation, target);
    for (int t = 0; t < tokens; ++t) calendar = write_calendar(window.start + t * patch, calendar);
  }
  return batch;
}

}  // namespace frostline::models
