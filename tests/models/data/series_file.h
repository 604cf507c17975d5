#pragma once

#include <functional>
#include <string>

#include "base/file.h"
#include "models/settings.h"
#include "tests/base/temporary_folder.h"

namespace frostline::models {

/// A CSV file of one series "load" with a value for each hour.
class SeriesFile {
 public:
  SeriesFile(int hours, const std::function<double(int)>& value) {
    std::string text = "hour,load\n";
    for (int h = 0; h < hours; ++h) {
      text += std::to_string(h) + "," + std::to_string(value(h)) + "\n";
    }
    base::write_file_atomically(path(), text);
  }

  std::filesystem::path path() const { return folder_ / "load.csv"; }
  DataSettings settings(std::int64_t context, std::int64_t horizon) const {
    DataSettings settings;
    settings.file = path();
    settings.series = {"load"};
    settings.context = context;
    settings.horizon = horizon;
    return settings;
  }

 private:
  base::TemporaryFolder folder_;
};

}  // namespace frostline::models
