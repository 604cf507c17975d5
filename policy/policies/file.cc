#include "policy/policies/kinds.h"
#include "policy/recorded_masks.h"

namespace frostline::policy {
namespace {

class Replay : public Policy {
 public:
  explicit Replay(RecordedMasks record) : record_(std::move(record)) {}

  pipeline::FreezeMask initial_mask() const override { return record_.start; }
  pipeline::StatisticsOrder needs(const Situation&) const override { return {}; }
  Decision decide(const Situation& situation, std::span<const pipeline::UnitStatistics>) override {
    return {record_.after(situation.steps), {}, ""};
  }
  /// Only a run that was fixed from the start itself goes on with everything frozen.
  bool fixed_from_the_start() const override { return record_.start.all(); }

 private:
  RecordedMasks record_;
};

std::unique_ptr<Policy> make(const FreezeSettings& settings, const pipeline::UnitTable& units) {
  return std::make_unique<Replay>(
      read_recorded_masks(settings.file / "log.jsonl", units, settings.judging_step));
}

}  // namespace

PolicyKind file_kind() {
  return {"file", "replays the masks of the finished run in the folder that file names", true,
          make};
}

}  // namespace frostline::policy
