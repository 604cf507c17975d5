#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cost/cluster_settings.h"

namespace frostline::cost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

pipeline::PipelineSettings shape(std::int64_t ranks, std::int64_t replicas = 1) {
  pipeline::PipelineSettings settings;
  settings.ranks = ranks;
  settings.replicas = replicas;
  return settings;
}

/// The problems of a [cluster] section, as texts.
std::vector<std::string> problems(const std::string& lines,
                                  const pipeline::PipelineSettings& pipeline = shape(4)) {
  base::Document document = base::Document::from_text("[cluster]\n" + lines, "s.toml");
  check_cluster(document, cluster_section().read(document), pipeline);
  std::vector<std::string> texts;
  try {
    document.throw_if_invalid();
  } catch (const base::InvalidInput& invalid) {
    for (const base::Problem& problem : invalid.problems()) texts.push_back(problem.text());
  }
  return texts;
}

std::vector<std::string> problems_with_devices(
    const std::string& lines, const pipeline::PipelineSettings& pipeline = shape(4)) {
  return problems("devices = \"a100\"\n" + lines, pipeline);
}

TEST(CheckCluster, AcceptsWhatFits) {
  EXPECT_THAT(problems(""), IsEmpty());
  EXPECT_THAT(problems_with_devices(""), IsEmpty());
  EXPECT_THAT(problems("devices = [\"a100\", \"a100\", \"v100\", \"h200\"]"), IsEmpty());
  EXPECT_THAT(problems_with_devices("devices_per_node = 2\nregions = [\"n\", \"s\"]\n"
                                    "region_links = [\"s-n\"]\nregion_gbit_s = 1\n"),
              IsEmpty());
  EXPECT_THAT(problems_with_devices("straggler_devices = [3, 3]\nstraggler_factors = [2, 3]\n"
                                    "straggler_from_s = [0, 9]\nstraggler_until_s = [5, 10]\n"),
              IsEmpty());
}

TEST(CheckCluster, AcceptsEveryKeyAtItsDefault) {
  base::Document document =
      base::Document::from_text(cluster_section().to_toml(ClusterSettings()), "s.toml");
  check_cluster(document, cluster_section().read(document), shape(4));
  EXPECT_TRUE(document.valid());
}

TEST(CheckCluster, RefusesBucketsWithoutReplicas) {
  EXPECT_THAT(problems_with_devices("bucket_mib = 1\n"),
              ElementsAre(HasSubstr("cluster.bucket_mib has no effect with pipeline.replicas = "
                                    "1")));
  EXPECT_THAT(problems_with_devices("bucket_mib = 1\n", shape(2, 2)), IsEmpty());
  EXPECT_THAT(problems_with_devices("bucket_mib = 0\n", shape(2, 2)),
              ElementsAre(HasSubstr("cluster.bucket_mib = 0.0 is not allowed")));
}

TEST(CheckCluster, RefusesTimesOfFailuresThatNeverCome) {
  EXPECT_THAT(problems_with_devices("failure_detection_s = 1\nfailure_restart_s = 2\n"),
              ElementsAre(HasSubstr("cluster.failure_detection_s has no effect with "
                                    "cluster.failure_mtbf_h = 0"),
                          HasSubstr("cluster.failure_restart_s has no effect")));
  EXPECT_THAT(problems_with_devices("failure_mtbf_h = 9\nfailure_restart_s = 2\n"), IsEmpty());
}

TEST(CheckCluster, SuggestsTheNearestDevice) {
  EXPECT_THAT(problems("devices = [\"h20\"]"),
              ElementsAre("s.toml:2:11: cluster.devices: element 1 = \"h20\" is not allowed; use "
                          "one of h200, h100, a100, v100, rtx_3090, rtx_4090, cpu_core; did you "
                          "mean 'h200'?"));
}

TEST(CheckCluster, RefusesListsOfAnotherLength) {
  EXPECT_THAT(problems("devices = [\"a100\", \"a100\"]"),
              ElementsAre("s.toml:2:11: cluster.devices has 2 values; give 1 (for all) or 4 (one a "
                          "device: ranks x replicas)"));
  EXPECT_THAT(problems_with_devices("devices_per_node = 3\nregions = [\"a\", \"a\", \"a\"]"),
              ElementsAre(HasSubstr("cluster.regions has 3 values; give 1 (for all) or 2 (one a "
                                    "node of 3 devices)")));
  EXPECT_THAT(problems_with_devices("region_ms = [1, 2]"),
              ElementsAre(HasSubstr("cluster.region_ms has 2 values; give 1")));
  EXPECT_THAT(problems_with_devices("region_gbit_s = []\nregions = [\"a\"]"), IsEmpty())
      << "there is no link";
  EXPECT_THAT(problems_with_devices("straggler_devices = [1, 2]\nstraggler_factors = 2"),
              ElementsAre(HasSubstr("cluster.straggler_factors has 1 value with 2 in "
                                    "cluster.straggler_devices; give one a straggler")));
}

TEST(CheckCluster, FindsRegionsThatAreNotJoined) {
  const std::string nodes = "devices_per_node = 1\nregions = [\"n\", \"n\", \"s\", \"w\"]\n";
  EXPECT_THAT(
      problems_with_devices(nodes + "region_links = [\"n-s\"]\n"),
      ElementsAre("s.toml:5:16: cluster.region_links joins \"s\" and \"w\" by no link, and device "
                  "2 (\"s\") sends to device 3 (\"w\"); add \"s-w\""));
  EXPECT_THAT(problems_with_devices(nodes + "region_links = [\"n-s\", \"s-w\"]\n"), IsEmpty());
}

/// Ranks 0 and 1 of replica 0 stand in n, of replica 1 in s: no pipeline crosses, the ring does.
TEST(CheckCluster, FindsReplicasThatAreNotJoined) {
  EXPECT_THAT(problems_with_devices("devices_per_node = 2\nregions = [\"n\", \"s\"]", shape(2, 2)),
              ElementsAre(HasSubstr("device 0 (\"n\") sends to device 2 (\"s\"); add \"n-s\"")));
}

/// Chunks that go around come from the last rank back to the first; in a V they do not.
TEST(CheckCluster, FindsTheWayBackOfSeveralChunks) {
  const std::string lines =
      "devices_per_node = 1\nregions = [\"n\", \"s\", \"w\"]\nregion_links = [\"n-s\", \"s-w\"]";
  auto pipeline = shape(3);
  EXPECT_THAT(problems_with_devices(lines, pipeline), IsEmpty());
  pipeline.chunks = 2;
  EXPECT_THAT(problems_with_devices(lines, pipeline),
              ElementsAre(HasSubstr("device 2 (\"w\") sends to device 0 (\"n\"); add \"w-n\"")));
  pipeline.schedule = {"zb_v"};
  EXPECT_THAT(problems_with_devices(lines, pipeline), IsEmpty());
}

TEST(CheckCluster, RefusesLinksOfUnknownRegions) {
  const std::string nodes = "devices_per_node = 2\nregions = [\"n\", \"s\"]\n";
  EXPECT_THAT(problems_with_devices(nodes + "region_links = [\"n-x\"]"),
              ElementsAre(HasSubstr("cluster.region_links: \"n-x\" does not name two regions; "
                                    "write two of n, s with '-' between them")));
  EXPECT_THAT(problems_with_devices(nodes + "region_links = [\"n-n\"]"),
              ElementsAre(HasSubstr("does not name two regions")));
  EXPECT_THAT(problems_with_devices(nodes + "region_links = [\"n-s\", \"s-n\"]"),
              ElementsAre(HasSubstr("joins \"s\" and \"n\" twice; remove one")));
}

TEST(CheckCluster, RefusesImpossibleValues) {
  const auto expect_refused = [](const std::string& line) {
    EXPECT_THAT(problems_with_devices(line), ElementsAre(HasSubstr("s.toml:3:"))) << line;
  };
  for (const char* line :
       {"network_gbit_s = 0", "network_gbit_s = -1", "network_gbit_s = nan", "network_gbit_s = inf",
        "network_gbit_s = 1e300", "region_gbit_s = [0]", "network_us = -1", "region_ms = 1e9",
        "devices_per_node = 0", "efficiency = 1.5", "memory_gib = -1", "straggler_devices = -1",
        "duplex = \"both\"", "jitter = -0.1", "failure_mtbf_h = nan", "regions = \"\"",
        "disk_gbit_s = 0"})
    expect_refused(line);
}

TEST(CheckCluster, RefusesStragglersThatCannotBe) {
  EXPECT_THAT(problems_with_devices("straggler_devices = 4\nstraggler_factors = 2"),
              ElementsAre("s.toml:3:21: cluster.straggler_devices names device 4 with "
                          "pipeline.ranks = 4; use 0 to 3"));
  EXPECT_THAT(problems_with_devices("straggler_devices = 0\nstraggler_factors = 2\n"
                                    "straggler_from_s = 5\nstraggler_until_s = 5"),
              ElementsAre(HasSubstr("cluster.straggler_until_s: element 1 = 5 is not after its "
                                    "cluster.straggler_from_s = 5; use a later time")));
}

TEST(CheckCluster, RefusesKeysThatHaveNoEffect) {
  EXPECT_THAT(problems("jitter = 0.1\nduplex = \"half\"\nsend = \"non_blocking\""),
              ElementsAre("s.toml:2:10: cluster.jitter has no effect without cluster.devices; add "
                          "devices, such as devices = \"a100\", or remove it",
                          HasSubstr("cluster.duplex has no effect")));
}

TEST(CheckCluster, RefusesRealRunsThatAreNotThere) {
  EXPECT_THAT(problems("device = \"cuda\"\nlink = \"nccl\""),
              ElementsAre("s.toml:2:10: cluster.device = \"cuda\" is not there yet; use \"cpu\"",
                          HasSubstr("cluster.link = \"nccl\" is not there yet; use \"local\"")));
}

TEST(CheckCluster, RefusesMoreDevicesThanCanBeSimulated) {
  EXPECT_THAT(problems_with_devices("", shape(4096, std::int64_t{1} << 60)),
              ElementsAre(HasSubstr("are too many devices")));
}

}  // namespace
}  // namespace frostline::cost
