#include "app/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

namespace frostline::app {
namespace {

constexpr int kBarWidth = 20;
constexpr std::chrono::milliseconds kRedraw{100};

std::string bar(double share) {
  const int full = std::clamp(static_cast<int>(share * kBarWidth), 0, kBarWidth);
  std::string text(static_cast<std::size_t>(full), '=');
  if (full < kBarWidth) text += '>';
  text.resize(kBarWidth, ' ');
  return text;
}

}  // namespace

std::string progress_text(const ProgressState& state) {
  std::string text =
      fmt::format("{:3.0f} %  step {}", 100 * std::min(state.budget_share, 1.0), state.steps);
  if (state.loss) text += fmt::format("  loss {:.4f}", *state.loss);
  if (!state.score.empty()) text += "  " + state.score;
  return text + fmt::format("  {:.1f} ms/step  frozen {:.0f} %  frost line {}",
                            base::to_ms(state.step_time), 100 * state.frozen_share,
                            state.frost_line);
}

std::string with_bar(double share, const std::string& text) {
  return fmt::format("[{}] {}", bar(share), text);
}

Progress Progress::on_stderr(Form elsewhere) {
  return Progress(isatty(STDERR_FILENO) == 1 ? Form::kBar : elsewhere);
}

void Progress::show(const ProgressState& state) { draw(state.budget_share, progress_text(state)); }

void Progress::show_share(const std::string& what, double share) {
  draw(share, fmt::format("{:3.0f} %  {}", 100 * share, what));
}

void Progress::draw(double share, const std::string& text) {
  if (form_ == Form::kSilent) return;
  if (form_ == Form::kLines) {
    const int tenths = static_cast<int>(share * 10);
    if (tenths > tenths_said_) fmt::print(stderr, "{}\n", text);
    tenths_said_ = std::max(tenths, tenths_said_);
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - last_drawn_ < kRedraw) return;
  last_drawn_ = now;
  bar_is_shown_ = true;
  fmt::print(stderr, "\r\033[K{}", with_bar(share, text));
  std::fflush(stderr);
}

void Progress::say(const std::string& line) {
  if (form_ == Form::kSilent) return;
  clear();
  fmt::print(stderr, "{}\n", line);
}

void Progress::clear() {
  if (bar_is_shown_) fmt::print(stderr, "\r\033[K");
  bar_is_shown_ = false;
}

}  // namespace frostline::app
