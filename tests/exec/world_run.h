#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/safetensors.h"
#include "exec/torch_world.h"

namespace frostline::exec {

/// [train] for small runs: AdamW, constant learning rate.
policy::TrainSettings small_settings(const std::string& optimizer = "adamw");

/// So many steps that are one judging step, without statistics.
pipeline::Order order_of(int steps, const policy::TrainSettings& settings = small_settings());

/// What the world's parameters and buffers hold, by global name.
std::map<std::string, std::vector<std::byte>> weights_of(TorchWorld& world);

}  // namespace frostline::exec
