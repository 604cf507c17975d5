#include "models/data/load_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "models/data/csv_table.h"

namespace frostline::models {
namespace {

/// Hours first .. end - 1.
struct Part {
  const char* name;
  int first = 0;
  int end = 0;
};

std::array<Part, 3> parts_of(const DataSettings& settings, int hours) {
  // A share such as 0.7 + 0.1 may come out just below the number that was meant.
  constexpr double kRounding = 1e-9;
  const auto end_at = [hours](double share) {
    return static_cast<int>(std::floor(share * hours + kRounding));
  };
  const int training_end = end_at(settings.train_share);
  const int validation_end = end_at(settings.train_share + settings.validation_share);
  return {Part{"training", 0, training_end}, Part{"validation", training_end, validation_end},
          Part{"test", validation_end, hours}};
}

/// Starts of the windows whose targets lie in the part, every `stride` hours from its first one.
std::vector<Window> windows_of(const DataSettings& settings, const Part& part,
                               std::int64_t stride) {
  const std::int64_t context = settings.context;
  const std::int64_t length = context + settings.horizon;
  std::vector<Window> windows;
  for (int series = 0; series < static_cast<int>(settings.series.size()); ++series) {
    for (std::int64_t start = std::max<std::int64_t>(0, part.first - context);
         start + length <= part.end; start += stride) {
      windows.push_back({series, static_cast<int>(start)});
    }
  }
  return windows;
}

[[noreturn]] void refuse_short(const DataSettings& settings, const Part& part, int hours) {
  throw base::Error(
      {settings.file.string()},
      fmt::format("{} rows leave {} hours for the {} part, too few for one window (context {} + "
                  "horizon {}); use more rows, a larger share or a shorter context and horizon",
                  hours, part.end - part.first, part.name, settings.context, settings.horizon));
}

void check_values(const DataSettings& settings, const CsvTable& table) {
  constexpr int kFirstRow = 2;  // below the header
  for (std::size_t s = 0; s < table.columns.size(); ++s) {
    const auto& column = table.columns[s];
    const auto zero = std::find(column.begin(), column.end(), 0.0);
    if (zero == column.end()) continue;
    const int line = kFirstRow + static_cast<int>(zero - column.begin());
    throw base::Error({settings.file.string(), line},
                      fmt::format("the load in column '{}' is 0, against which no percentage error "
                                  "can be taken; fill the gap or leave the series out",
                                  table.names[s]));
  }
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Of the whole population: divided by n.
double deviation_of(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

[[noreturn]] void refuse_constant(const DataSettings& settings, const std::string& series) {
  throw base::Error({settings.file.string()},
                    fmt::format("column '{}' has one and the same value all through the training "
                                "part; leave it out of data.series",
                                series));
}

}  // namespace

LoadWindows LoadWindows::load(const DataSettings& settings) {
  CsvTable table = read_csv(settings.file, settings.series);
  check_values(settings, table);
  const auto parts = parts_of(settings, static_cast<int>(table.rows()));
  LoadWindows result;
  result.context_ = static_cast<int>(settings.context);
  result.horizon_ = static_cast<int>(settings.horizon);
  result.training_ = windows_of(settings, parts[0], settings.stride);
  result.validation_ = windows_of(settings, parts[1], settings.validation_stride);
  result.test_ = windows_of(settings, parts[2], settings.validation_stride);
  const std::array windows{&result.training_, &result.validation_, &result.test_};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (windows[i]->empty()) refuse_short(settings, parts[i], static_cast<int>(table.rows()));
  }
  for (std::size_t s = 0; s < table.columns.size(); ++s) {
    const auto training = std::span(table.columns[s]).first(static_cast<std::size_t>(parts[0].end));
    result.means_.push_back(mean_of(training));
    result.deviations_.push_back(deviation_of(training, result.means_.back()));
    if (result.deviations_.back() <= 0) refuse_constant(settings, table.names[s]);
  }
  result.series_ = std::move(table.columns);
  return result;
}

std::span<const Window> LoadWindows::held_out(pipeline::Split split) const {
  return split == pipeline::Split::kValidation ? validation_ : test_;
}

std::span<const double> LoadWindows::context_of(Window window) const {
  return values(window.series)
      .subspan(static_cast<std::size_t>(window.start), static_cast<std::size_t>(context_));
}

std::span<const double> LoadWindows::target_of(Window window) const {
  return values(window.series)
      .subspan(static_cast<std::size_t>(window.start) + context_of(window).size(),
               static_cast<std::size_t>(horizon_));
}

BatchSampler::BatchSampler(std::uint64_t seed, int samples, int batch)
    : seed_(seed), samples_(samples), batch_(batch) {
  assert(batch > 0 && batch <= samples);
}

std::vector<std::uint32_t> BatchSampler::batch_of(std::int64_t step) {
  assert(step >= 0);
  const std::int64_t batches = samples_ / batch_;
  const std::int64_t epoch = step / batches;
  if (epoch != epoch_) {
    const base::RandomStream stream(seed_, base::Purpose::kShuffle,
                                    static_cast<std::uint32_t>(epoch));
    order_ = base::permutation(static_cast<std::uint32_t>(samples_), stream);
    epoch_ = epoch;
  }
  const auto first = order_.begin() + step % batches * batch_;
  return {first, first + batch_};
}

}  // namespace frostline::models
