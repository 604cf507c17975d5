#include "app/timeline_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "base/join.h"

namespace frostline::app {
namespace {

using base::Duration;
using pipeline::ActionKind;
using pipeline::Rank;
using pipeline::Span;
using pipeline::Step;

constexpr int kMostRanks = 40;
constexpr int kLeastColumns = 10;

/// How the computations of one kind look.
struct Look {
  char letter;
  const char* meaning;
  const char* color;         ///< SGR parameters (ECMA-48)
  const char* frozen_color;  ///< faint, without a background
};

// In the order of ActionKind; overlapped pairs come last.
constexpr Look kLooks[] = {{'F', "forward", "97;44", "2;34"},
                           {'B', "backward", "30;42", "2;32"},
                           {'I', "input gradient", "30;46", "2;36"},
                           {'W', "weight gradient", "97;45", "2;35"},
                           {'&', "overlapped pair", "30;43", "2;33"}};
constexpr std::size_t kPair = 4;

/// Which of the looks, and whether frozen.
struct Paint {
  std::size_t look = 0;
  bool frozen = false;

  friend auto operator<=>(const Paint&, const Paint&) = default;
};

struct Cell {
  char character = '.';
  bool busy = false;
  Paint paint;
};

using Line = std::vector<Cell>;

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string letter(const Step& step) {
  return {kLooks[static_cast<std::size_t>(step.kind)].letter};
}

std::string short_text(const Step& step) {
  return fmt::format("{}{}", letter(step), step.micro_batch->value);
}

bool has_several_stages(const pipeline::Timeline& timeline) {
  const auto& spans = timeline.spans;
  return std::adjacent_find(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
           return a.rank == b.rank && a.action.first().stage != b.action.first().stage;
         }) != spans.end();
}

class Picture {
 public:
  Picture(const pipeline::Timeline& timeline, const PictureStyle& style)
      : timeline_(timeline),
        style_(style),
        names_stages_(has_several_stages(timeline)),
        label_width_(fmt::formatted_size("rank {} ", std::max(timeline.ranks - 1, 0))),
        columns_(std::max(style.width - static_cast<int>(label_width_), kLeastColumns)),
        lines_(static_cast<std::size_t>(timeline.ranks), Line(static_cast<std::size_t>(columns_))) {
    const auto& spans = timeline.spans;
    for (std::size_t i = 0; i < spans.size(); ++i)
      begin_ = i == 0 ? spans[i].start : std::min(begin_, spans[i].start);
    length_ = timeline.makespan();
    for (const Span& span : spans) put(span);
  }

  std::string text() const {
    std::string text;
    const int shown = timeline_.ranks > kMostRanks ? kMostRanks / 2 : timeline_.ranks;
    for (int rank = 0; rank < shown; ++rank) text += line_text(rank);
    const int rest = timeline_.ranks - 2 * shown;
    if (shown < timeline_.ranks) {
      text += fmt::format("... {} more ranks ...\n", rest);
      for (int rank = shown + rest; rank < timeline_.ranks; ++rank) text += line_text(rank);
    }
    return text + scale() + legend();
  }

 private:
  /// The column whose middle is the first at or after `time`.
  int column(Duration time) const {
    if (length_ == Duration::zero()) return 0;
    const double share =
        static_cast<double>((time - begin_).count()) / static_cast<double>(length_.count());
    return static_cast<int>(std::ceil(share * columns_ - 0.5));
  }

  Paint paint_of(const pipeline::Action& action) const {
    const auto steps = action.steps();
    Paint paint{action.is_overlap() ? kPair : static_cast<std::size_t>(action.first().kind)};
    paint.frozen =
        style_.is_frozen != nullptr && std::all_of(steps.begin(), steps.end(), style_.is_frozen);
    return paint;
  }

  /// The longest text that fits.
  std::string label(const pipeline::Action& action, std::size_t width) const {
    std::vector<std::string> texts(3);
    for (const Step& step : action.steps()) {
      texts[0] += names_stages_ ? to_text(step) : short_text(step);
      texts[1] += short_text(step);
    }
    texts[2] = action.is_overlap() ? std::string{kLooks[kPair].letter} : letter(action.first());
    return *std::find_if(texts.begin(), texts.end() - 1,
                         [&](const auto& text) { return text.size() <= width; });
  }

  void put(const Span& span) {
    const int first = column(span.start);
    const int width = column(span.end) - first;
    if (width <= 0) return;
    const Paint paint = paint_of(span.action);
    std::string text = label(span.action, static_cast<std::size_t>(width));
    if (paint.frozen) text = lower_case(text);
    text.resize(static_cast<std::size_t>(width), paint.frozen ? '-' : '=');
    auto cell = lines_.at(span.rank.index()).begin() + first;
    for (const char c : text) *cell++ = {c, true, paint};
    seen_.insert(paint);
  }

  std::string line_text(int rank) const {
    std::string text = fmt::format("rank {:<{}}", rank, label_width_ - 5);
    const Line& line = lines_.at(static_cast<std::size_t>(rank));
    for (auto cell = line.begin(); cell != line.end();) {
      const auto end = std::find_if(cell, line.end(), [&](const Cell& other) {
        return other.busy != cell->busy || other.paint != cell->paint;
      });
      text += run_text({cell, end});
      cell = end;
    }
    return text + "\n";
  }

  /// Cells that look alike.
  std::string run_text(const Line& cells) const {
    std::string text;
    for (const Cell& cell : cells) text += cell.character;
    if (!style_.color || !cells.front().busy) return text;
    return colored(text, cells.front().paint);
  }

  static std::string colored(const std::string& text, const Paint& paint) {
    const Look& look = kLooks[paint.look];
    return fmt::format("\033[{}m{}\033[0m", paint.frozen ? look.frozen_color : look.color, text);
  }

  std::string scale() const {
    const std::string end = base::to_text(length_);
    return fmt::format("{:{}}0{:>{}}\n", "", label_width_, end, columns_ - 1);
  }

  std::string legend() const {
    std::vector<std::string> words;
    for (const Paint& paint : seen_) {
      const Look& look = kLooks[paint.look];
      const std::string mark(1, look.letter);
      const std::string shown = paint.frozen ? lower_case(mark) : mark;
      words.push_back(fmt::format("{} {}{}", style_.color ? colored(shown, paint) : shown,
                                  look.meaning, paint.frozen ? " of a frozen stage" : ""));
    }
    words.emplace_back(". idle");
    return fmt::format("{}\na column is {} and shows what runs in its middle\n", base::join(words),
                       base::to_text(length_ / columns_));
  }

  const pipeline::Timeline& timeline_;
  const PictureStyle& style_;
  bool names_stages_;
  std::size_t label_width_;
  int columns_;
  std::vector<Line> lines_;
  Duration begin_{};
  Duration length_{};
  std::set<Paint> seen_;
};

}  // namespace

std::string timeline_picture(const pipeline::Timeline& timeline, const PictureStyle& style) {
  return Picture(timeline, style).text();
}

}  // namespace frostline::app
