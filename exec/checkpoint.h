#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/safetensors.h"
#include "exec/team.h"

namespace frostline::exec {

/// What a checkpoint says besides its tensors.
struct CheckpointHeader {
  std::string model;  ///< its kind
  std::string optimizer;
  std::uint64_t seed = 0;
  std::int64_t steps = 0;  ///< done
  std::string ledger;      ///< its own text
  std::string loop;        ///< the training loop's own text
};

/// One file of all ranks' tensors under their global names, independent of the number of ranks.
base::TensorFile make_checkpoint(const Team& team, const CheckpointHeader& header);
/// Parameters and buffers alone, as starting weights for another run.
base::TensorFile make_weights(const Team& team, const std::string& model);

/// Throws base::Error if the file is no checkpoint of a real run.
CheckpointHeader read_header(const base::TensorFile& file, const std::string& source);
/// Throws base::Error, saying how, if a run with `wanted`'s model, optimizer and seed cannot go on
/// from `found`.
void check_header(const CheckpointHeader& found, const CheckpointHeader& wanted,
                  const std::string& source);
/// Throws base::Error if the file has a tensor that is not among `known`.
void check_all_known(const base::TensorFile& file, const std::set<std::string>& known,
                     const std::string& source);

}  // namespace frostline::exec
