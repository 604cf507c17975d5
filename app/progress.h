#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace frostline::app {

/// What the progress line shows.
struct ProgressState {
  double budget_share = 0;
  std::int64_t steps = 0;
  std::optional<double> loss;
  std::string score;  ///< with its name, or ""
  base::Duration step_time{};
  double frozen_share = 0;
  int frost_line = 0;
};

/// " 43 %  step 120  loss 0.0123  MAPE 3.610 %  81.2 ms/step  frozen 50 %  frost line 5".
std::string progress_text(const ProgressState& state);
/// The text behind a bar, without colours: "[=====>    ]  43 %  step 120 ...".
std::string with_bar(double share, const std::string& text);

/// Progress on stderr: a bar that is redrawn on a terminal; elsewhere a plain line every tenth of
/// the budget.
class Progress {
 public:
  enum class Form { kBar, kLines, kSilent };

  explicit Progress(Form form) : form_(form) {}
  /// For stderr as it is: a bar on a terminal, else as said.
  static Progress on_stderr(Form elsewhere = Form::kLines);

  void show(const ProgressState& state);
  /// The same for work that is not a run: what is being done, and the share done, 0..1.
  void show_share(const std::string& what, double share);
  /// A line that stays, above the bar.
  void say(const std::string& line);
  /// Removes the bar.
  void clear();

 private:
  void draw(double share, const std::string& text);

  Form form_;
  bool bar_is_shown_ = false;
  int tenths_said_ = 0;
  std::chrono::steady_clock::time_point last_drawn_{};
};

}  // namespace frostline::app
