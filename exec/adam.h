#pragma once

#include "exec/optimizer.h"

namespace frostline::exec {

enum class WeightDecay {
  kIntoGradient,  ///< Adam: L2 regularisation
  kDecoupled,     ///< AdamW
};

/// Adam (Kingma and Ba, arXiv 1412.6980) and AdamW (Loshchilov and Hutter, arXiv 1711.05101). Each
/// parameter counts its own steps, so bias correction after a thaw goes on where it stood.
class Adam : public Optimizer {
 public:
  Adam(const policy::TrainSettings& settings, const Parameters& parameters, WeightDecay decay);
  void step(double learning_rate) override;

 private:
  struct Lists {
    std::vector<at::Tensor> parameters, gradients, first_moments, second_moments, steps;
  };
  void add(std::size_t parameter, Lists& lists);
  void update(Lists& lists, double learning_rate) const;

  double beta1_;
  double beta2_;
  double epsilon_;
  double weight_decay_;
  WeightDecay decay_;
};

}  // namespace frostline::exec
