#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace frostline::base {

/// Where in the user's input something stands. Line and column count from 1; 0 means "not known".
struct Place {
  std::string source;  ///< a file's path, or "--set" for an override on the command line
  int line = 0;
  int column = 0;

  /// "file:3:7", "file:3", "file" or "".
  std::string text() const;
};

/// Something a user can cause and mend while the program runs: a missing file, a full disk, a
/// broken checkpoint. The message is one line that says where, what, what is allowed and how to
/// mend it. Ends the program with exit code 1. (A bug is an assert, never an Error.)
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what) : std::runtime_error(what) {}
  Error(const Place& place, const std::string& what);
};

/// One thing that is wrong with the scenario or the command line.
struct Problem {
  Place place;
  std::string what;

  std::string text() const;  ///< "place: what"
};

/// Everything that is wrong with the scenario or the command line, in file order, all at once.
/// Ends the program with exit code 2.
class InvalidInput : public Error {
 public:
  explicit InvalidInput(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace frostline::base
