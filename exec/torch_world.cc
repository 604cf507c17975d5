#include "exec/torch_world.h"

#include <ATen/Parallel.h>

#include <cassert>
#include <optional>

#include "exec/checkpoint.h"
#include "exec/evaluation.h"
#include "exec/plan_check.h"
#include "exec/stopwatch.h"
#include "exec/team.h"
#include "exec/training_step.h"
#include "pipeline/schedules/registry.h"

namespace frostline::exec {
namespace {

/// The whole model on one rank, nothing frozen.
pipeline::Plan whole_model_plan(const pipeline::UnitTable& units) {
  return {pipeline::make_schedule("gpipe", {1, 1, 1}), pipeline::Partition({units.layers()}),
          pipeline::FreezePlan(pipeline::FreezeMask(units.size())), pipeline::Cut::kPrefix};
}

}  // namespace

struct TorchWorld::Parts {
  Parts(const models::LearningTask& of, const pipeline::UnitTable& freezing,
        const policy::TrainSettings& train, int ranks, std::uint64_t run_seed)
      : task(of),
        units(freezing),
        settings(train),
        seed(run_seed),
        team(ranks),
        step(team, freezing.layers(), train.clip_norm) {}

  std::unique_ptr<Worker> make_worker(const pipeline::Plan& made_for, pipeline::Rank rank,
                                      HandOver& hand_over) const;
  void build(const pipeline::Plan& first);
  CheckpointHeader header() const;
  void check_contents(const base::TensorFile& file, const std::string& source) const;

  void begin_statistics(const pipeline::Order& order);
  std::vector<pipeline::UnitStatistics> finish_statistics();
  pipeline::StepRecord run_step(const pipeline::Order& order, const pipeline::Budget& budget);
  std::vector<base::Bytes> memory() const;

  const models::LearningTask& task;
  const pipeline::UnitTable& units;
  policy::TrainSettings settings;
  std::uint64_t seed;
  Team team;
  TrainingStep step;
  policy::Ledger ledger;
  std::int64_t steps = 0;  // done, over the whole run
  std::optional<pipeline::Plan> plan;
  pipeline::Schedule schedule;               // the plan's, as it is executed
  std::optional<base::TensorFile> restored;  // a checkpoint's tensors until the first transition
  std::string restored_from;
};

TorchWorld::TorchWorld(const models::LearningTask& task, const pipeline::UnitTable& units,
                       const policy::TrainSettings& settings, int ranks, std::uint64_t seed) {
  at::set_num_threads(1);  // the controller's own thread; the ranks' set theirs
  parts_ = std::make_unique<Parts>(task, units, settings, ranks, seed);
}

TorchWorld::~TorchWorld() = default;

pipeline::Measure TorchWorld::measure() const { return parts_->task.measure(); }

// ---- plans ----

std::unique_ptr<Worker> TorchWorld::Parts::make_worker(const pipeline::Plan& made_for,
                                                       pipeline::Rank rank,
                                                       HandOver& hand_over) const {
  return std::make_unique<Worker>(task, units, settings, made_for, rank, hand_over, seed);
}

void TorchWorld::Parts::build(const pipeline::Plan& first) {
  team.build([&](pipeline::Rank rank) {
    auto worker = make_worker(first, rank, team.hand_over());
    if (restored) worker->restore(*restored, restored_from);
    return worker;
  });
  restored.reset();
}

base::Duration TorchWorld::transition(const pipeline::Plan& plan) {
  const Stopwatch watch;
  Parts& parts = *parts_;
  pipeline::Schedule schedule = pipeline::executable_schedule(plan, parts.units);
  check_plan(plan, schedule, parts.units, parts.team.ranks());
  if (parts.plan) check_same_placement(*parts.plan, plan);
  if (parts.team.built()) {
    parts.team.run([&](pipeline::Rank, Worker& worker) { worker.apply(plan); });
  } else {
    parts.build(plan);
  }
  parts.schedule = std::move(schedule);
  parts.plan = plan;
  return watch.elapsed();
}

// ---- steps ----

pipeline::Report TorchWorld::run_steps([[maybe_unused]] const pipeline::Plan& plan,
                                       const pipeline::Order& order) {
  Parts& parts = *parts_;
  assert(parts.plan && plan == *parts.plan);
  parts.begin_statistics(order);
  pipeline::Report report;
  pipeline::Budget budget = order.budget;
  bool go_on = true;
  while (go_on && std::ssize(report.steps) < order.steps && !budget.exhausted()) {
    const auto& record = report.steps.emplace_back(parts.run_step(order, budget));
    budget.charge_step(record.time);
    go_on = !order.after_step || order.after_step(record);
  }
  const bool all_run = std::ssize(report.steps) == order.steps;
  if (all_run && order.ends_judging_step) report.statistics = parts.finish_statistics();
  report.memory = parts.memory();
  return report;
}

void TorchWorld::Parts::begin_statistics(const pipeline::Order& order) {
  const bool drift = order.statistics.change == pipeline::Change::kDrift;
  step.observe(order.statistics.units, drift);
  if (!order.begins_judging_step) {
    assert(ledger.order() == order.statistics);
    return;
  }
  for (const auto& worker : team.workers()) worker->gradients().release_running_sums();
  ledger.begin(order.statistics);
}

std::vector<pipeline::UnitStatistics> TorchWorld::Parts::finish_statistics() {
  const auto& order = ledger.order();
  if (order.change != pipeline::Change::kDrift) return ledger.finish();
  std::vector<double> squared_norms(order.units.size(), 0.0);
  team.run([&](pipeline::Rank, Worker& worker) {
    worker.gradients().write_squared_norms_of_sums(order.units, squared_norms);
    worker.gradients().release_running_sums();
  });
  return ledger.finish(squared_norms);
}

pipeline::StepRecord TorchWorld::Parts::run_step(const pipeline::Order& order,
                                                 const pipeline::Budget& budget) {
  pipeline::StepRecord record;
  record.number = steps + 1;
  record.budget_share = budget.share();
  record.learning_rate = order.learning_rate.at(record.budget_share);
  const Stopwatch watch;
  const StepResult result = step.run(steps, schedule, record.learning_rate);
  ledger.observe(step.samples());
  record.wall = watch.elapsed();
  record.time = order.step_time.value_or(record.wall);
  record.loss = result.loss;
  record.gradient_norm = result.gradient_norm;
  ++steps;
  return record;
}

std::vector<base::Bytes> TorchWorld::Parts::memory() const {
  std::vector<base::Bytes> bytes;
  for (const auto& worker : team.workers()) bytes.push_back(worker->memory());
  return bytes;
}

// ---- validation ----

pipeline::Validation TorchWorld::validate(pipeline::Split split) {
  Parts& parts = *parts_;
  assert(parts.plan);
  const Stopwatch watch;
  const auto schedule = forward_schedule(*parts.plan, parts.task.held_out_batches(split));
  parts.team.run([&](pipeline::Rank rank, Worker& worker) {
    worker.evaluate(split, schedule.actions.at(rank.index()));
  });
  Worker& last = parts.team.worker(schedule.rank_of(schedule.last_stage()));
  const std::vector<at::Tensor> outputs = last.stage().take_outputs();
  const double score = parts.task.score(split, outputs);
  return {score, watch.elapsed()};
}

// ---- checkpoints ----

CheckpointHeader TorchWorld::Parts::header() const {
  return {task.model().kind, settings.optimizer, seed, steps, ledger.save(), ""};
}

base::Duration TorchWorld::save(const std::filesystem::path& file, const std::string& loop_state) {
  const Stopwatch watch;
  assert(parts_->team.built());
  CheckpointHeader header = parts_->header();
  header.loop = loop_state;
  base::write_safetensors(file, make_checkpoint(parts_->team, header));
  return watch.elapsed();
}

void TorchWorld::export_weights(const std::filesystem::path& file) {
  assert(parts_->team.built());
  base::write_safetensors(file, make_weights(parts_->team, parts_->task.model().kind));
}

std::string TorchWorld::load(const std::filesystem::path& file) {
  Parts& parts = *parts_;
  assert(!parts.team.built());
  base::TensorFile contents = base::read_safetensors(file);
  const CheckpointHeader header = read_header(contents, file.string());
  check_header(header, parts.header(), file.string());
  parts.check_contents(contents, file.string());
  parts.ledger.load(header.ledger);
  parts.steps = header.steps;
  parts.restored = std::move(contents);
  parts.restored_from = file.string();
  return header.loop;
}

/// Every name and shape, before anything depends on them: by restoring into a model that is thrown
/// away.
void TorchWorld::Parts::check_contents(const base::TensorFile& file,
                                       const std::string& source) const {
  HandOver unused;
  const auto worker = make_worker(whole_model_plan(units), {0}, unused);
  check_all_known(file, worker->restore(file, source), source);
}

}  // namespace frostline::exec
