#include "exec/optimizer.h"

#include <gtest/gtest.h>
#include <torch/optim.h>

#include "models/torch/weights.h"
#include "tests/base/throws.h"

namespace frostline::exec {
namespace {

constexpr int kSteps = 6;

policy::TrainSettings settings(const std::string& optimizer) {
  policy::TrainSettings settings;
  settings.optimizer = optimizer;
  settings.weight_decay = 0.05;
  settings.momentum = 0.9;
  return settings;
}

at::Tensor start(int parameter) {
  return at::linspace(-1, 1 + parameter, 12 + parameter).reshape({-1}).clone();
}

/// Differs in size from step to step and from element to element.
at::Tensor gradient(const at::Tensor& parameter, int step) {
  return at::sin(at::arange(parameter.numel(), at::kFloat) + step) * (step + 1) * 0.1;
}

Parameters two_parameters() {
  Parameters parameters;
  for (int i = 0; i < 2; ++i) {
    at::Tensor tensor = start(i);
    tensor.set_requires_grad(true);
    parameters.push_back({"p" + std::to_string(i), tensor, {i}, {i}});
  }
  return parameters;
}

/// The second one is frozen in the steps 2 and 3.
bool is_frozen(int parameter, int step) { return parameter == 1 && (step == 2 || step == 3); }

void set_gradients(const Parameters& parameters, int step) {
  for (int i = 0; i < 2; ++i) {
    const at::Tensor& tensor = parameters[static_cast<std::size_t>(i)].tensor;
    tensor.mutable_grad() = is_frozen(i, step) ? at::Tensor() : gradient(tensor, step);
  }
}

double learning_rate(int step) { return 0.01 * (step + 1); }

std::unique_ptr<torch::optim::Optimizer> reference(const std::string& name,
                                                   const std::vector<at::Tensor>& tensors) {
  const auto s = settings(name);
  if (name == "sgd") {
    return std::make_unique<torch::optim::SGD>(
        tensors, torch::optim::SGDOptions(0).momentum(s.momentum).weight_decay(s.weight_decay));
  }
  const auto betas = std::tuple(s.beta1, s.beta2);
  if (name == "adam") {
    return std::make_unique<torch::optim::Adam>(
        tensors,
        torch::optim::AdamOptions(0).betas(betas).eps(s.epsilon).weight_decay(s.weight_decay));
  }
  return std::make_unique<torch::optim::AdamW>(
      tensors,
      torch::optim::AdamWOptions(0).betas(betas).eps(s.epsilon).weight_decay(s.weight_decay));
}

class Optimizers : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Optimizers, testing::Values("sgd", "adam", "adamw"),
                         [](const auto& one) { return one.param; });

/// Freezing and thawing included: LibTorch's skip undefined gradients too.
TEST_P(Optimizers, EqualLibTorchs) {
  const Parameters ours = two_parameters();
  const Parameters theirs = two_parameters();
  const auto optimizer = make_optimizer(settings(GetParam()), ours);
  const auto expected = reference(GetParam(), {theirs[0].tensor, theirs[1].tensor});
  for (int step = 0; step < kSteps; ++step) {
    set_gradients(ours, step);
    set_gradients(theirs, step);
    optimizer->step(learning_rate(step));
    for (auto& group : expected->param_groups()) group.options().set_lr(learning_rate(step));
    expected->step();
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(at::allclose(ours[i].tensor, theirs[i].tensor, 1e-6, 1e-6)) << "step " << step;
    }
  }
}

std::map<std::string, base::TensorBlob> state_of(const Optimizer& optimizer) {
  std::map<std::string, base::TensorBlob> state;
  optimizer.state().visit([&](const std::string& name, const at::Tensor& tensor) {
    state[name] = models::to_blob(tensor);
  });
  return state;
}

TEST_P(Optimizers, LeaveAFrozenParameterAndItsStateBitwiseUntouched) {
  const Parameters parameters = two_parameters();
  const auto optimizer = make_optimizer(settings(GetParam()), parameters);
  for (int step = 0; step < 2; ++step) {
    set_gradients(parameters, step);
    optimizer->step(learning_rate(step));
  }
  const auto weights = models::to_blob(parameters[1].tensor).bytes;
  const auto state = state_of(*optimizer);
  set_gradients(parameters, 2);
  optimizer->step(learning_rate(2));
  EXPECT_EQ(models::to_blob(parameters[1].tensor).bytes, weights);
  for (const auto& [name, blob] : state_of(*optimizer)) {
    EXPECT_EQ(blob.bytes == state.at(name).bytes, name.ends_with(".p1")) << name;
  }
}

TEST_P(Optimizers, MakeStateAtTheFirstStepOfAParameter) {
  const Parameters parameters = two_parameters();
  const auto optimizer = make_optimizer(settings(GetParam()), parameters);
  EXPECT_EQ(optimizer->state().bytes(), 0);
  set_gradients(parameters, 2);  // the second one is frozen
  optimizer->step(0.1);
  for (const auto& [name, blob] : state_of(*optimizer)) EXPECT_TRUE(name.ends_with(".p0")) << name;
  const std::int64_t counters = GetParam() == "sgd" ? 0 : 4;
  const std::int64_t tensors = GetParam() == "sgd" ? 1 : 2;
  EXPECT_EQ(optimizer->state().bytes(), tensors * 12 * 4 + counters);
}

TEST_P(Optimizers, GoOnFromARestoredState) {
  const Parameters parameters = two_parameters();
  const auto optimizer = make_optimizer(settings(GetParam()), parameters);
  set_gradients(parameters, 0);
  optimizer->step(0.1);
  Parameters copies = two_parameters();
  for (std::size_t i = 0; i < 2; ++i) {
    copies[i].tensor = parameters[i].tensor.detach().clone().set_requires_grad(true);
  }
  const auto other = make_optimizer(settings(GetParam()), copies);
  for (const auto& [name, blob] : state_of(*optimizer))
    EXPECT_TRUE(other->state().restore(name, blob));
  set_gradients(parameters, 1);
  set_gradients(copies, 1);
  optimizer->step(0.1);
  other->step(0.1);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(at::equal(parameters[i].tensor, copies[i].tensor));
}

TEST(Optimizer, RefusesStateThatIsNotItsOwn) {
  const Parameters parameters = two_parameters();
  const auto optimizer = make_optimizer(settings("sgd"), parameters);
  const base::TensorBlob blob = models::to_blob(start(0));
  EXPECT_FALSE(optimizer->state().restore("optimizer.first_moment.p0", blob));
  EXPECT_FALSE(optimizer->state().restore("optimizer.momentum.p2", blob));
  EXPECT_FALSE(optimizer->state().restore("p0", blob));
  const auto message =
      base::message_of([&] { optimizer->state().restore("optimizer.momentum.p1", blob); });
  EXPECT_NE(message.find("optimizer.momentum.p1"), std::string::npos) << message;
}

TEST(Optimizer, RefusesAnUnknownName) {
  const Parameters parameters = two_parameters();
  EXPECT_EQ(base::message_of([&] { make_optimizer(settings("lion"), parameters); }),
            "train.optimizer = \"lion\" is not known; use sgd, adam or adamw");
}

}  // namespace
}  // namespace frostline::exec
