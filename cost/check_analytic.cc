#include <fmt/format.h>

#include "cost/analytic.h"

namespace frostline::cost {
namespace {

constexpr double kMostBytes = 1LL << 60;

double described_bytes(const models::ModelDescription& model) {
  double sum = 0;
  for (const auto& layer : model.layers) {
    sum += static_cast<double>(layer.activation.count) + static_cast<double>(layer.output.count);
  }
  return sum;
}

}  // namespace

void check_analytic(base::Document& document, const models::ModelDescription& model,
                    const ClusterSettings& cluster, std::int64_t batch) {
  if (model.layers.empty()) {
    document.problem(
        "cost.source",
        "cost.source = \"analytic\" needs a model; give model.kind, such as \"gpt\", or "
        "use source = \"table\"");
  }
  if (!cluster.given()) {
    document.problem("cost.source",
                     "cost.source = \"analytic\" needs cluster.devices; give them, such as devices "
                     "= \"a100\"");
  }
  if (described_bytes(model) * static_cast<double>(batch) < kMostBytes) return;
  document.problem("train.batch",
                   fmt::format("train.batch = {} makes activations of more than {:g} bytes; use "
                               "fewer samples or a smaller [model]",
                               batch, kMostBytes));
}

}  // namespace frostline::cost
