#pragma once

#include "models/layer_description.h"
#include "models/settings.h"

namespace frostline::models {

/// A language model in the manner of GPT-2 (Radford et al., 2019); a sample is one sequence of
/// tokens. It is described, so that it can be simulated; there are no modules of it yet. Layers:
///  * "embedding": a learned vector for each word and for each position;
///  * "blocks.0" ...: as in transformer_block.h;
///  * "head": normalises and maps each token to a score for each word, with the embedding's weights
///    if they are tied, and keeps the scores' logarithms for the loss.
ModelDescription describe_gpt(const ModelSettings& model);

}  // namespace frostline::models
