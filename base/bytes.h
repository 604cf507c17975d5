#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace frostline::base {

/// An amount of memory or of data on a link.
struct Bytes {
  std::int64_t count = 0;

  friend auto operator<=>(Bytes, Bytes) = default;
  Bytes& operator+=(Bytes other) {
    count += other.count;
    return *this;
  }
  Bytes& operator-=(Bytes other) {
    count -= other.count;
    return *this;
  }
  friend Bytes operator+(Bytes a, Bytes b) { return a += b; }
  friend Bytes operator-(Bytes a, Bytes b) { return a -= b; }
  friend Bytes operator*(Bytes a, std::int64_t n) { return {a.count * n}; }
};

/// For people, in binary multiples: "512 B", "1.50 MiB", "2.25 GiB".
std::string to_text(Bytes bytes);

}  // namespace frostline::base
