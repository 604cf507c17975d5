#pragma once

#include <vector>

namespace frostline::exec {

/// Measurements of one and the same thing, in nanoseconds.
class Figure {
 public:
  void add(double nanoseconds) { samples_.push_back(nanoseconds); }
  void add(const Figure& other);
  bool empty() const { return samples_.empty(); }
  /// 0 if there are none.
  double median() const { return quantile(0.5); }
  /// (third quartile - first quartile) / median; 0 if there are none.
  double spread() const;

 private:
  double quantile(double share) const;

  std::vector<double> samples_;
};

}  // namespace frostline::exec
