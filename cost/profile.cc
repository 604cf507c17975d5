#include "cost/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/time.h"
#include "cost/object_reader.h"

namespace frostline::cost {
namespace {

constexpr const char* kKind = "frostline-profile";
constexpr int kVersion = 1;
constexpr double kLongestNs = base::kLongestMs * 1e6;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;  // a pebibyte

/// The figures of a layer and of the whole, in the order of the file.
struct TimeKey {
  const char* name;
  double LayerCost::* value;
};
constexpr TimeKey kLayerTimes[] = {{"forward_ns", &LayerCost::forward_ns},
                                   {"forward_below_ns", &LayerCost::forward_below_ns},
                                   {"input_gradient_ns", &LayerCost::input_gradient_ns},
                                   {"weight_gradient_ns", &LayerCost::weight_gradient_ns},
                                   {"frozen_backward_ns", &LayerCost::frozen_backward_ns},
                                   {"optimizer_ns", &LayerCost::optimizer_ns}};
struct BytesKey {
  const char* name;
  base::Bytes LayerCost::* value;
};
constexpr BytesKey kLayerBytes[] = {
    {"activation_bytes", &LayerCost::activation},
    {"activation_after_input_gradient_bytes", &LayerCost::activation_after_input_gradient}};
struct ModelKey {
  const char* name;
  double ModelCost::* value;
  double most;
};
constexpr ModelKey kModelNumbers[] = {
    {"partial_freeze_overhead", &ModelCost::partial_freeze_overhead, 1.0},
    {"send_ns", &ModelCost::send_ns, kLongestNs},
    {"step_ns", &ModelCost::step_ns, kLongestNs},
    {"validation_ns", &ModelCost::validation_ns, kLongestNs}};
struct CountKey {
  const char* name;
  int Profile::* value;
};
constexpr CountKey kCounts[] = {{"micro_batch_size", &Profile::micro_batch_size},
                                {"ranks", &Profile::ranks},
                                {"repeats", &Profile::repeats}};

Json parse(const std::filesystem::path& file) {
  try {
    return Json::parse(base::read_file(file));
  } catch (const Json::exception& fault) {
    throw base::Error({file.string()}, fmt::format("is no JSON: {}", fault.what()));
  }
}

void check_kind(ObjectReader& reader) {
  const std::string kind = reader.word("kind");
  if (kind != kKind) reader.refuse("kind", kind, fmt::format("\"{}\", a profile", kKind));
  reader.integer("version", kVersion, kVersion);
}

LayerCost read_layer(ObjectReader& reader) {
  LayerCost cost;
  for (const TimeKey& key : kLayerTimes) cost.*key.value = reader.number(key.name, kLongestNs);
  for (const BytesKey& key : kLayerBytes) {
    cost.*key.value = {reader.integer(key.name, 0, kMostBytes)};
  }
  if (cost.activation_after_input_gradient > cost.activation) {
    reader.refuse(kLayerBytes[1].name, cost.activation_after_input_gradient.count,
                  fmt::format("at most activation_bytes = {}", cost.activation.count));
  }
  return cost;
}

void read_layers(const std::filesystem::path& file, const Json& layers, Profile& profile) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    ObjectReader reader(file, fmt::format("layers[{}]", i), layers[i]);
    profile.layer_names.push_back(reader.word("name"));
    profile.cost.layers.push_back(read_layer(reader));
    reader.reject_rest();
  }
}

Json layer_json(const std::string& name, const LayerCost& cost) {
  Json layer{{"name", name}};
  for (const TimeKey& key : kLayerTimes) {
    assert(std::isfinite(cost.*key.value));
    layer[key.name] = cost.*key.value;
  }
  for (const BytesKey& key : kLayerBytes) layer[key.name] = (cost.*key.value).count;
  return layer;
}

}  // namespace

Profile read_profile(const std::filesystem::path& file) {
  const Json json = parse(file);
  ObjectReader reader(file, "", json);
  check_kind(reader);
  Profile profile;
  profile.device = reader.word("device");
  for (const CountKey& key : kCounts) {
    profile.*key.value = static_cast<int>(reader.integer(key.name, 1, 1 << 30));
  }
  profile.spread = reader.number("spread", 1e9);
  for (const ModelKey& key : kModelNumbers) {
    profile.cost.*key.value = reader.number(key.name, key.most);
  }
  read_layers(file, reader.list("layers"), profile);
  reader.reject_rest();
  return profile;
}

void write_profile(const std::filesystem::path& file, const Profile& profile) {
  assert(profile.layer_names.size() == profile.cost.layers.size());
  Json json{{"kind", kKind}, {"version", kVersion}, {"device", profile.device}};
  for (const CountKey& key : kCounts) json[key.name] = profile.*key.value;
  json["spread"] = profile.spread;
  for (const ModelKey& key : kModelNumbers) json[key.name] = profile.cost.*key.value;
  json["layers"] = Json::array();
  for (std::size_t i = 0; i < profile.layer_names.size(); ++i) {
    json["layers"].push_back(layer_json(profile.layer_names[i], profile.cost.layers[i]));
  }
  base::write_file_atomically(file, json.dump(2) + "\n");
}

ModelCost profile_cost(const Profile& profile, const std::vector<std::string>& layer_names,
                       const std::filesystem::path& file) {
  const auto& measured = profile.layer_names;
  const auto differ =
      std::mismatch(measured.begin(), measured.end(), layer_names.begin(), layer_names.end());
  if (differ.first == measured.end() && differ.second == layer_names.end()) return profile.cost;
  const auto name = [](auto at, const auto& names) {
    return at == names.end() ? std::string("no layer") : fmt::format("\"{}\"", *at);
  };
  throw base::Error(
      {file.string()},
      fmt::format(
          "was measured on another model: layer {} is {} there and {} in the scenario; use a "
          "profile of this model (frostline profile measures one)",
          differ.first - measured.begin(), name(differ.first, measured),
          name(differ.second, layer_names)));
}

}  // namespace frostline::cost
