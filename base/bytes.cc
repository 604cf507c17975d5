#include "base/bytes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace frostline::base {

std::string to_text(Bytes bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  // From here on two decimals round up to 1024.00, which is one of the next unit.
  constexpr double kFull = 1023.995;
  double amount = static_cast<double>(bytes.count);
  std::size_t unit = 0;
  while (std::abs(amount) >= kFull && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes.count);
  return fmt::format("{:.2f} {}", amount, kUnits[unit]);
}

}  // namespace frostline::base
