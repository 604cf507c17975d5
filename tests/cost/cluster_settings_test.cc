#include "cost/cluster_settings.h"

#include <gtest/gtest.h>

namespace frostline::cost {
namespace {

ClusterSettings read(const std::string& lines) {
  base::Document document = base::Document::from_text("[cluster]\n" + lines, "s.toml");
  ClusterSettings settings = cluster_section().read(document);
  EXPECT_TRUE(document.valid());
  return settings;
}

TEST(ClusterSettings, TakeOneKindForAllOrOneADevice) {
  EXPECT_FALSE(read("").given());
  EXPECT_EQ(read("devices = \"h100\"").kind(5).name, "h100");
  const ClusterSettings two = read("devices = [\"h100\", \"v100\"]");
  EXPECT_TRUE(two.given());
  EXPECT_EQ(two.kind(1).name, "v100");
}

TEST(ClusterSettings, TakeWhatTheDeviceHasUnlessTold) {
  const ClusterSettings built_in = read("devices = \"v100\"");
  EXPECT_DOUBLE_EQ(built_in.sustained_flop_s(0), 125e12 * 0.31);
  EXPECT_EQ(built_in.memory(0), base::Bytes{32'000'000'000});
  const ClusterSettings told = read("devices = \"v100\"\nefficiency = 0.5\nmemory_gib = 1.5");
  EXPECT_DOUBLE_EQ(told.sustained_flop_s(0), 62.5e12);
  EXPECT_EQ(told.memory(0), base::Bytes{3LL << 29});
}

TEST(ClusterSettings, FillNodesInOrder) {
  const ClusterSettings settings =
      read("devices = \"a100\"\ndevices_per_node = 2\nregions = [\"north\", \"south\"]");
  EXPECT_EQ(settings.node(1), 0);
  EXPECT_EQ(settings.node(2), 1);
  EXPECT_EQ(settings.region(0), "north");
  EXPECT_EQ(settings.region(1), "south");
  EXPECT_EQ(read("regions = \"west\"").region(7), "west");
  EXPECT_EQ(read("").region(7), "");
}

TEST(ClusterSettings, ReadBackAsWritten) {
  ClusterSettings settings = read("devices = [\"h100\", \"v100\"]\nregion_ms = 7.5\njitter = 0.1");
  settings.straggler_devices = {1};
  settings.overlap = false;
  const std::string text = cluster_section().to_toml(settings);
  base::Document document = base::Document::from_text(text, "s.toml");
  EXPECT_EQ(cluster_section().to_toml(cluster_section().read(document)), text);
}

TEST(JoinedRegions, AreTheTwoNamesAroundADash) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(joined_regions("south-north", {"north", "south"}), Pair("south", "north"));
  EXPECT_EQ(joined_regions("eu-west-eu-east", {"eu-west", "eu-east"}), Pair("eu-west", "eu-east"));
  EXPECT_EQ(joined_regions("north", {"north"}), Pair());
  EXPECT_EQ(joined_regions("north-east", {"north"}), Pair());
  EXPECT_EQ(joined_regions("a-b-c", {"a", "a-b", "b-c", "c"}), Pair()) << "may mean either";
}

}  // namespace
}  // namespace frostline::cost
