#include "models/describe.h"

#include <cassert>

#include "models/forecaster.h"
#include "models/gpt.h"

namespace frostline::models {

ModelDescription describe_model(const ModelSettings& model, const DataSettings& data) {
  if (model.kind == "gpt") return describe_gpt(model);
  assert(model.kind == "forecaster");
  return describe_forecaster(model, data);
}

}  // namespace frostline::models
