#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/safetensors.h"
#include "base/safetensors_format.h"
#include "base/to_toml.h"

namespace frostline::base {
namespace {

using nlohmann::json;

/// What is wrong with a file, before its name is added.
struct Flaw {
  std::string what;
};

/// From and to where in the data a tensor lies.
using Extent = std::pair<std::int64_t, std::int64_t>;

void demand(bool condition, const std::string& otherwise) {
  if (!condition) throw Flaw{otherwise};
}

/// The header, and the data after it.
std::pair<std::string_view, std::string_view> split(std::string_view file) {
  demand(file.size() >= kLengthBytes, "it is shorter than the 8 bytes of the header's length");
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(file[i]);
  }
  file.remove_prefix(kLengthBytes);
  demand(length <= file.size(), fmt::format("its header's length of {} runs past its end", length));
  return {file.substr(0, length), file.substr(length)};
}

/// Keeps the parser from taking the last of two equal names, and from deep nests.
class Strictness {
 public:
  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    constexpr int kDeepest = 2;  // file, tensor, shape
    const bool starts = event == Event::object_start || event == Event::array_start;
    demand(!starts || depth <= kDeepest, "its header nests too deep");
    if (event == Event::object_start) names_.emplace_back();
    if (event == Event::object_end) names_.pop_back();
    if (event == Event::key) see(parsed.get<std::string>());
    return true;
  }

 private:
  void see(const std::string& name) {
    demand(names_.back().insert(name).second, fmt::format("{} is there twice", to_toml(name)));
  }

  std::vector<std::set<std::string>> names_;
};

json parse_header(std::string_view text) {
  // The reference implementation's limit too.
  constexpr std::size_t kLongest = 100'000'000;
  demand(text.size() <= kLongest, fmt::format("its header is longer than {} bytes", kLongest));
  demand(!text.empty() && text.front() == '{', "its header does not begin with '{'");
  try {
    return json::parse(text, Strictness());
  } catch (const json::exception&) {
    throw Flaw{"its header is not JSON"};
  }
}

std::map<std::string, std::string> metadata_of(const json& entry) {
  demand(entry.is_object(), "its metadata is not an object");
  for (const auto& item : entry.items()) {
    demand(item.value().is_string(),
           fmt::format("metadata {} is not a string", to_toml(item.key())));
  }
  return entry.get<std::map<std::string, std::string>>();
}

std::int64_t count_from(const json& value, const std::string& what) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  demand(value.is_number_unsigned() && value.get<std::uint64_t>() <= kMost,
         what + " is not a list of whole numbers");
  return value.get<std::int64_t>();
}

std::vector<std::int64_t> counts_from(const json& list, const std::string& what) {
  demand(list.is_array(), what + " is not a list of whole numbers");
  std::vector<std::int64_t> counts;
  for (const json& value : list) counts.push_back(count_from(value, what));
  return counts;
}

DType dtype_from(const json& value, const std::string& tensor) {
  const auto dtype = value.is_string() ? dtype_named(value.get<std::string>()) : std::nullopt;
  demand(dtype.has_value(),
         fmt::format("tensor {} has a dtype that is none of {}", to_toml(tensor), dtype_names()));
  return *dtype;
}

bool has_size(const TensorBlob& blob, std::int64_t size) {
  auto factors = blob.shape;
  factors.push_back(static_cast<std::int64_t>(size_of(blob.dtype)));
  return product(factors) == size;
}

Extent extent_from(const json& value, std::size_t size, const std::string& what) {
  const auto offsets = counts_from(value, what);
  demand(offsets.size() == 2 && offsets[0] <= offsets[1], what + " are not a begin and an end");
  const Extent extent(offsets[0], offsets[1]);
  demand(static_cast<std::uint64_t>(extent.second) <= size, what + " run past the end of the file");
  return extent;
}

/// Fills in `blob`; returns where in the data its bytes lie.
Extent read_tensor(const std::string& name, const json& entry, std::string_view data,
                   TensorBlob& blob) {
  const bool complete = entry.is_object() && entry.size() == 3 && entry.contains("dtype") &&
                        entry.contains("shape") && entry.contains("data_offsets");
  demand(complete,
         fmt::format("tensor {} has not just dtype, shape and data_offsets", to_toml(name)));
  blob.dtype = dtype_from(entry["dtype"], name);
  blob.shape = counts_from(entry["shape"], fmt::format("the shape of tensor {}", to_toml(name)));
  const std::string what = fmt::format("the data_offsets of tensor {}", to_toml(name));
  const Extent extent = extent_from(entry["data_offsets"], data.size(), what);
  demand(has_size(blob, extent.second - extent.first), what + " do not match its shape");
  const auto* begin = reinterpret_cast<const std::byte*>(data.data());
  blob.bytes.assign(begin + extent.first, begin + extent.second);
  return extent;
}

void demand_gapless(std::vector<Extent> extents, std::size_t size) {
  std::sort(extents.begin(), extents.end());
  std::int64_t covered = 0;
  for (const auto& [begin, end] : extents) {
    demand(begin >= covered, fmt::format("tensors overlap at byte {} of the data", begin));
    demand(begin == covered, fmt::format("no tensor has byte {} of the data", covered));
    covered = end;
  }
  demand(static_cast<std::uint64_t>(covered) == size,
         fmt::format("no tensor has byte {} of the data", covered));
}

TensorFile parse(std::string_view bytes) {
  const auto [header, data] = split(bytes);
  TensorFile file;
  std::vector<Extent> extents;
  const json parsed = parse_header(header);
  for (const auto& item : parsed.items()) {
    if (item.key() == kMetadataKey) {
      file.metadata = metadata_of(item.value());
    } else {
      extents.push_back(read_tensor(item.key(), item.value(), data, file.tensors[item.key()]));
    }
  }
  demand_gapless(std::move(extents), data.size());
  return file;
}

}  // namespace

TensorFile read_safetensors(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  try {
    return parse(bytes);
  } catch (const Flaw& flaw) {
    throw Error({path.string()}, fmt::format("this is no sound safetensors file: {}; restore it "
                                             "from a copy or write it again",
                                             flaw.what));
  }
}

}  // namespace frostline::base
