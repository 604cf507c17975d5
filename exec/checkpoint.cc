#include "exec/checkpoint.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "models/torch/weights.h"

namespace frostline::exec {
namespace {

constexpr const char* kCheckpoint = "frostline-checkpoint";
constexpr const char* kWeights = "frostline-weights";
constexpr const char* kWorld = "torch";

std::string field(const base::TensorFile& file, const std::string& key, const std::string& source) {
  const auto found = file.metadata.find(key);
  if (found != file.metadata.end()) return found->second;
  throw base::Error({source},
                    fmt::format("the checkpoint's metadata lack '{}'; the file is broken, "
                                "use an earlier checkpoint",
                                key));
}

template <class Number>
Number number(const base::TensorFile& file, const std::string& key, const std::string& source) {
  const std::string text = field(file, key, source);
  Number value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc() && end == text.data() + text.size()) return value;
  throw base::Error({source}, fmt::format("the checkpoint's metadata have {} = '{}', which is no "
                                          "number; the file is broken, use an earlier checkpoint",
                                          key, text));
}

void check_kind(const base::TensorFile& file, const std::string& source) {
  const auto is = [&](const char* key, const char* value) {
    const auto found = file.metadata.find(key);
    return found != file.metadata.end() && found->second == value;
  };
  if (is("kind", kCheckpoint) && is("world", kWorld)) return;
  if (is("kind", kCheckpoint)) {
    throw base::Error({source}, "is the checkpoint of a simulated run; resume it with simulate");
  }
  throw base::Error({source},
                    is("kind", kWeights)
                        ? "holds weights alone, not a run; start from it with model.weights"
                        : "is not a checkpoint; use the one that train wrote");
}

void check_equal(const char* what, const std::string& found, const std::string& wanted,
                 const std::string& source) {
  if (found == wanted) return;
  throw base::Error({source},
                    fmt::format("the checkpoint was made with {0} = {1}, this run has {2}; "
                                "resume with {0} = {1}",
                                what, found, wanted));
}

}  // namespace

base::TensorFile make_checkpoint(const Team& team, const CheckpointHeader& header) {
  base::TensorFile file;
  for (const auto& worker : team.workers()) {
    worker->visit_all([&](const std::string& name, const at::Tensor& tensor) {
      file.tensors.emplace(name, models::to_blob(tensor));
    });
  }
  file.metadata = {{"kind", kCheckpoint},
                   {"world", kWorld},
                   {"model", header.model},
                   {"optimizer", header.optimizer},
                   {"seed", std::to_string(header.seed)},
                   {"steps", std::to_string(header.steps)},
                   {"ledger", header.ledger},
                   {"loop", header.loop}};
  return file;
}

base::TensorFile make_weights(const Team& team, const std::string& model) {
  base::TensorFile file;
  for (const auto& worker : team.workers()) {
    worker->visit_weights([&](const std::string& name, const at::Tensor& tensor) {
      file.tensors.emplace(name, models::to_blob(tensor));
    });
  }
  file.metadata = {{"kind", kWeights}, {"model", model}};
  return file;
}

CheckpointHeader read_header(const base::TensorFile& file, const std::string& source) {
  check_kind(file, source);
  CheckpointHeader header;
  header.model = field(file, "model", source);
  header.optimizer = field(file, "optimizer", source);
  header.seed = number<std::uint64_t>(file, "seed", source);
  header.steps = number<std::int64_t>(file, "steps", source);
  header.ledger = field(file, "ledger", source);
  header.loop = field(file, "loop", source);
  return header;
}

void check_header(const CheckpointHeader& found, const CheckpointHeader& wanted,
                  const std::string& source) {
  check_equal("model.kind", found.model, wanted.model, source);
  check_equal("train.optimizer", found.optimizer, wanted.optimizer, source);
  check_equal("seed", std::to_string(found.seed), std::to_string(wanted.seed), source);
}

void check_all_known(const base::TensorFile& file, const std::set<std::string>& known,
                     const std::string& source) {
  for (const auto& [name, blob] : file.tensors) {
    if (known.contains(name)) continue;
    throw base::Error({source},
                      fmt::format("tensor '{}' is not one of this run's model and optimizer; "
                                  "resume with the scenario that it was made with",
                                  name));
  }
}

}  // namespace frostline::exec
