#include "app/trace.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "cost/rank_memory.h"
#include "pipeline/dependencies.h"
#include "pipeline/step_places.h"

namespace frostline::app {
namespace {

using base::Duration;
using nlohmann::json;
using pipeline::ActionKind;
using pipeline::Rank;
using pipeline::Span;
using pipeline::Step;

// The process that the events belong to.
constexpr int kProcess = 0;

/// The nearest number that readers who cut off after the nanoseconds do not take for the one
/// before.
double microseconds(Duration time) {
  const auto count = static_cast<double>(time.count());
  const double value = count / 1e3;
  if (std::floor(value * 1e3) >= count) return value;
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}

json event(const char* phase, std::string name) {
  return {{"ph", phase}, {"pid", kProcess}, {"name", std::move(name)}};
}

json thread_name(int thread, std::string name) {
  auto named = event("M", "thread_name");
  named["tid"] = thread;
  named["args"] = {{"name", std::move(name)}};
  return named;
}

json thread_order(int thread) {
  auto order = event("M", "thread_sort_index");
  order["tid"] = thread;
  order["args"] = {{"sort_index", thread}};
  return order;
}

json counter(std::string name, Duration time, const char* unit, const json& value) {
  auto count = event("C", std::move(name));
  count["ts"] = microseconds(time);
  count["args"] = {{unit, value}};
  return count;
}

std::string category(const pipeline::Action& action) {
  if (action.is_overlap()) return "overlap";
  switch (action.first().kind) {
    case ActionKind::kForward:
      return "forward";
    case ActionKind::kBackward:
      return "backward";
    case ActionKind::kInputGradient:
      return "input_gradient";
    default:
      return "weight_gradient";
  }
}

/// The computations of a schedule by the step: where each ran.
class SpanIndex {
 public:
  explicit SpanIndex(const StepDetail& detail)
      : schedule_(detail.schedule), places_(detail.schedule), spans_(detail.step.timeline.spans) {
    std::int64_t next = 0;
    for (const auto& actions : schedule_.actions) {
      auto& of_rank = at_.emplace_back();
      for (const auto& action : actions)
        of_rank.push_back(pipeline::is_computation(action) ? next++ : -1);
    }
    assert(next == static_cast<std::int64_t>(spans_.size()));
  }

  const Span& at(const Step& computation) const {
    const auto place = *places_.find(computation);
    const auto index = at_.at(place.rank.index()).at(static_cast<std::size_t>(place.position));
    return spans_.at(static_cast<std::size_t>(index));
  }
  pipeline::Steps inputs_of(const Step& computation) const {
    return pipeline::inputs_of(computation, places_, schedule_.last_stage());
  }

 private:
  const pipeline::Schedule& schedule_;
  pipeline::StepPlaces places_;
  const std::vector<Span>& spans_;
  std::vector<std::vector<std::int64_t>> at_;  // by rank and position; -1 for transfers
};

/// The events of one step.
class StepEvents {
 public:
  StepEvents(const StepDetail& detail, Duration start, JsonListFile& events, std::int64_t& flows)
      : detail_(detail), start_(start), events_(events), flows_(flows), index_(detail) {}

  void add(std::int64_t number) {
    const auto& timeline = detail_.step.timeline;
    for (const Span& span : timeline.spans) add_span(span, number);
    for (const Span& span : timeline.spans) add_flows(span);
    add_memory();
    add_step(number);
    const double percent = 100 * detail_.frozen_share;
    for (const Duration time : {Duration::zero(), detail_.step.time()})
      events_.add(counter("frozen share", start_ + time, "percent", percent));
  }

 private:
  /// A step is a span of its own, below the ranks, with the optimizer at its end.
  void add_step(std::int64_t number) {
    const auto makespan = detail_.step.timeline.makespan();
    const int thread = detail_.step.timeline.ranks;
    events_.add(complete(thread, fmt::format("step {}", number), "step", {}, detail_.step.time()));
    if (detail_.step.step_end == Duration::zero()) return;
    events_.add(complete(thread, "clip and optimizer", "optimizer", makespan,
                         makespan + detail_.step.step_end));
  }

  json complete(int thread, std::string name, std::string kind, Duration from, Duration to) const {
    auto whole = event("X", std::move(name));
    whole["cat"] = std::move(kind);
    whole["tid"] = thread;
    whole["ts"] = microseconds(start_ + from);
    whole["dur"] = microseconds(to - from);
    return whole;
  }

  void add_span(const Span& span, std::int64_t number) {
    auto computation = complete(span.rank.value, to_text(span.action), category(span.action),
                                span.start, span.end);
    bool frozen = true;
    for (const Step& step : span.action.steps()) frozen = frozen && detail_.is_frozen(step);
    computation["args"] = {{"step", number},
                           {"stage", span.action.first().stage.value},
                           {"micro_batch", span.action.first().micro_batch->value},
                           {"frozen", frozen}};
    events_.add(computation);
  }

  void add_flows(const Span& span) {
    for (const Step& step : span.action.steps()) {
      for (const Step& input : index_.inputs_of(step)) {
        const Span& producer = index_.at(input);
        if (producer.rank != span.rank) add_flow(producer, span, to_text(pipeline::send_of(input)));
      }
    }
  }

  /// An arrow begins in the span that its start falls into: a nanosecond before the end.
  void add_flow(const Span& from, const Span& to, const std::string& name) {
    const Duration before_end = from.end > from.start ? from.end - Duration(1) : from.start;
    const std::int64_t id = flows_++;
    events_.add(flow("s", from.rank, before_end, name, id));
    auto finish = flow("f", to.rank, to.start, name, id);
    finish["bp"] = "e";  // into the span that it falls into, not the next one
    events_.add(finish);
  }

  json flow(const char* phase, Rank rank, Duration time, const std::string& name,
            std::int64_t id) const {
    auto end = event(phase, name);
    end["cat"] = "transfer";
    end["id"] = id;
    end["tid"] = rank.value;
    end["ts"] = microseconds(start_ + time);
    return end;
  }

  /// What a computation makes is held from its start, what it uses up until its end.
  void add_memory() {
    std::size_t next = 0;
    for (const Rank rank : base::ids<Rank>(detail_.step.timeline.ranks)) {
      add_held(rank, {}, {});
      base::Bytes before;
      cost::visit_held(detail_.schedule.actions[rank.index()], detail_.times,
                       [&](std::size_t, const cost::HeldActivations& held) {
                         const Span& span = detail_.step.timeline.spans.at(next++);
                         if (held.during != before) add_held(rank, held.during, span.start);
                         if (held.after != held.during) add_held(rank, held.after, span.end);
                         before = held.after;
                       });
    }
  }

  void add_held(Rank rank, base::Bytes held, Duration time) {
    events_.add(counter(fmt::format("activations of rank {}", rank.value), start_ + time, "bytes",
                        held.count));
  }

  const StepDetail& detail_;
  Duration start_;
  JsonListFile& events_;
  std::int64_t& flows_;
  SpanIndex index_;
};

}  // namespace

TraceFile::TraceFile(const std::filesystem::path& file, const std::string& name, int ranks)
    : events_(file, {{"displayTimeUnit", "ms"}, {"otherData", {{"scenario", name}}}},
              "traceEvents") {
  auto process = event("M", "process_name");
  process["args"] = {{"name", name}};
  events_.add(process);
  for (int thread = 0; thread <= ranks; ++thread) {
    events_.add(thread_name(thread, thread < ranks ? fmt::format("rank {}", thread) : "steps"));
    events_.add(thread_order(thread));
  }
}

void TraceFile::add(const StepDetail& detail, std::int64_t number, Duration start) {
  StepEvents(detail, start, events_, flows_).add(number);
}

void TraceFile::finish() { events_.finish(); }

}  // namespace frostline::app
