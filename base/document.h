#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "base/to_toml.h"

namespace frostline::base {

/// A parsed scenario file with the overrides of the command line laid over it. Knows where every
/// value stands, collects problems instead of stopping at the first, and notices keys that nobody
/// asked for.
///
/// Keys are written "section.key". A key without a dot stands at the top of the file.
class Document {
 public:
  /// Throws Error when the file cannot be read, InvalidInput when it is not TOML.
  static Document from_file(const std::filesystem::path& path);
  /// `name` stands for the file in messages; relative paths resolve against `folder`.
  static Document from_text(std::string_view text, const std::string& name,
                            const std::filesystem::path& folder = {});

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  /// Lays one "section.key=value" over the file; the value is TOML, or a bare word taken as a
  /// string. A malformed assignment is a problem. `option` is where messages say it stands.
  void set(std::string_view assignment, const std::string& option = "--set");

  bool has(const std::string& key) const;
  bool has_section(const std::string& section) const;
  /// The place of the key's value; of its section if the key is absent; of the file if that is too.
  Place place(const std::string& key) const;

  /// Reads a key if present. A value of another type is a problem (says both types) and leaves
  /// `out` as it is. An integer is accepted where a number is wanted, one value where a list is.
  /// NaN and infinities are problems. Returns whether `out` was set.
  bool read(const std::string& key, bool& out);
  bool read(const std::string& key, std::int64_t& out);
  bool read(const std::string& key, double& out);
  bool read(const std::string& key, std::string& out);
  bool read(const std::string& key, std::filesystem::path& out);  ///< made absolute; "" stays ""
  bool read(const std::string& key, NameOrFile& out);             ///< a file is made absolute too
  bool read(const std::string& key, Integers& out);
  bool read(const std::string& key, Numbers& out);
  bool read(const std::string& key, Words& out);
  bool read(const std::string& key, std::variant<std::string, Integers>& out);

  /// Notes a problem at the place of `key`.
  void problem(const std::string& key, const std::string& what);
  /// A key or section of the document that is not among `known` ("section.key") is a problem that
  /// names the nearest known one.
  void reject_unknown(const Words& known);
  bool valid() const;
  /// Throws InvalidInput with all problems in file order (overrides last) if there are any.
  void throw_if_invalid() const;

 private:
  struct Contents;
  explicit Document(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents_;
};

}  // namespace frostline::base
