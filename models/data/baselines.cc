#include "models/data/baselines.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <limits>

#include "models/data/forecast_error.h"

namespace frostline::models {
namespace {

constexpr int kDay = 24;
constexpr int kWeek = 7 * kDay;
constexpr std::array kPenalties{0.1, 1.0, 10.0, 100.0, 1000.0};

using Values = Eigen::Map<const Eigen::VectorXd>;

Values as_vector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// `forecast(window)` gives the hours of the horizon in MW.
template <class Forecast>
double mape(const LoadWindows& data, std::span<const Window> windows, const Forecast& forecast) {
  MeanAbsolutePercentageError error;
  for (const Window& window : windows) {
    const Eigen::VectorXd hours = forecast(window);
    error.add({hours.data(), static_cast<std::size_t>(hours.size())}, data.target_of(window));
  }
  return error.percent();
}

/// The last `period` hours of the context, over and over.
Eigen::VectorXd repeated(const LoadWindows& data, const Window& window, int period) {
  const Eigen::VectorXd last = as_vector(data.context_of(window)).tail(period);
  Eigen::VectorXd hours(data.horizon());
  for (int h = 0; h < data.horizon(); ++h) hours[h] = last[h % period];
  return hours;
}

/// Context values, normalised, and the 1 of the intercept.
Eigen::VectorXd inputs(const LoadWindows& data, const Window& window) {
  const Values context = as_vector(data.context_of(window));
  Eigen::VectorXd row(context.size() + 1);
  row << (context.array() - data.mean(window.series)) / data.deviation(window.series), 1.0;
  return row;
}

Eigen::VectorXd outputs(const LoadWindows& data, const Window& window) {
  const Values target = as_vector(data.target_of(window));
  return (target.array() - data.mean(window.series)) / data.deviation(window.series);
}

/// X'X and X'Y over the training windows, from which every penalty's solution follows.
struct NormalEquations {
  Eigen::MatrixXd gram;    ///< [C + 1, C + 1]
  Eigen::MatrixXd moment;  ///< [C + 1, H]
};

/// A block of windows at a time, so that memory does not grow with the series.
NormalEquations normal_equations(const LoadWindows& data) {
  constexpr std::size_t kBlock = 1024;
  const Eigen::Index size = data.context() + 1;
  NormalEquations sums{Eigen::MatrixXd::Zero(size, size),
                       Eigen::MatrixXd::Zero(size, data.horizon())};
  for (auto rest = data.training(); !rest.empty();) {
    const auto block = rest.first(std::min(kBlock, rest.size()));
    rest = rest.subspan(block.size());
    Eigen::MatrixXd x(size, static_cast<Eigen::Index>(block.size()));
    Eigen::MatrixXd y(data.horizon(), x.cols());
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      x.col(i) = inputs(data, block[static_cast<std::size_t>(i)]);
      y.col(i) = outputs(data, block[static_cast<std::size_t>(i)]);
    }
    sums.gram.selfadjointView<Eigen::Lower>().rankUpdate(x);
    sums.moment.noalias() += x * y.transpose();
  }
  return sums;
}

/// Coefficients [C + 1, H].
Eigen::MatrixXd solve(const NormalEquations& equations, double penalty) {
  Eigen::MatrixXd gram = equations.gram;
  gram.diagonal().head(gram.rows() - 1).array() += penalty;
  return gram.selfadjointView<Eigen::Lower>().llt().solve(equations.moment);
}

double ridge_mape(const LoadWindows& data, std::span<const Window> windows,
                  const Eigen::MatrixXd& coefficients) {
  return mape(data, windows, [&](const Window& window) -> Eigen::VectorXd {
    const Eigen::VectorXd normalised = coefficients.transpose() * inputs(data, window);
    return (normalised.array() * data.deviation(window.series) + data.mean(window.series));
  });
}

BaselineScore ridge(const LoadWindows& data, pipeline::Split split) {
  const NormalEquations equations = normal_equations(data);
  double lowest = std::numeric_limits<double>::infinity();
  BaselineScore score{"ridge", 0, ""};
  for (const double penalty : kPenalties) {
    const Eigen::MatrixXd coefficients = solve(equations, penalty);
    const double error =
        ridge_mape(data, data.held_out(pipeline::Split::kValidation), coefficients);
    if (error >= lowest) continue;
    lowest = error;
    score.mape = ridge_mape(data, data.held_out(split), coefficients);
    score.detail = fmt::format("penalty {}", penalty);
  }
  return score;
}

}  // namespace

std::vector<BaselineScore> baseline_scores(const LoadWindows& data, pipeline::Split split) {
  std::vector<BaselineScore> scores;
  const auto add_repeated = [&](const char* name, int period) {
    if (data.context() < period) return;
    const auto forecast = [&](const Window& window) { return repeated(data, window, period); };
    scores.push_back({name, mape(data, data.held_out(split), forecast), ""});
  };
  add_repeated("same hour yesterday", kDay);
  add_repeated("same hour last week", kWeek);
  scores.push_back(ridge(data, split));
  return scores;
}

}  // namespace frostline::models
