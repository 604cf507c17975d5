#include "models/data/csv_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/base/temporary_folder.h"
#include "tests/base/throws.h"

namespace frostline::models {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CsvTableTest : public ::testing::Test {
 protected:
  CsvTable read(const std::string& text, const std::vector<std::string>& columns) {
    base::write_file_atomically(folder_ / "load.csv", text);
    return read_csv(folder_ / "load.csv", columns);
  }

  /// The message without the folder.
  std::string fault(const std::string& text, const std::vector<std::string>& columns) {
    const std::string message = base::message_of([&] { read(text, columns); });
    const std::string folder = folder_.path().string() + "/";
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
  }

  base::TemporaryFolder folder_;
};

TEST_F(CsvTableTest, ReadsTheColumnsAskedForInThatOrder) {
  const CsvTable table = read("Hour,1,2\n0,10,20\n1,11.5,-2e1\n", {"2", "1"});
  EXPECT_THAT(table.names, ElementsAre("2", "1"));
  EXPECT_THAT(table.columns, ElementsAre(ElementsAre(20, -20), ElementsAre(10, 11.5)));
  EXPECT_EQ(table.rows(), 2u);
}

TEST_F(CsvTableTest, TakesWindowsLinesQuotesBlanksAndNoLastLineEnd) {
  const CsvTable table = read("\xef\xbb\xbf\"a, b\" , c\r\n \"1\",2 \r\n3,\t4", {"a, b", "c"});
  EXPECT_THAT(table.columns, ElementsAre(ElementsAre(1, 3), ElementsAre(2, 4)));
}

TEST_F(CsvTableTest, DropsBlankLinesAtTheEndOnly) {
  EXPECT_EQ(read("a\n1\n2\n\n \n", {"a"}).rows(), 2u);
  EXPECT_EQ(fault("a,b\n1,2\n\n3,4\n", {"a"}),
            "load.csv:3: this row has 1 fields, the header has 2");
}

TEST_F(CsvTableTest, HasNoRowsWithAHeaderAlone) { EXPECT_EQ(read("a,b\n", {"a"}).rows(), 0u); }

TEST_F(CsvTableTest, IgnoresWhatStandsInOtherColumns) {
  EXPECT_THAT(read("a,b\n1,n/a\n", {"a"}).columns, ElementsAre(ElementsAre(1)));
}

struct Fault {
  std::string text;
  std::string column;
  std::string message;
};

TEST_F(CsvTableTest, SaysWhereAndWhat) {
  const std::vector<Fault> faults{
      {"", "a", "load.csv: the file is empty; it needs a header line and rows"},
      {"\n\n", "a", "load.csv: the file is empty; it needs a header line and rows"},
      {"a,2\n1,3\n2, n/a\n", "2", "load.csv:3:4: 'n/a' in column '2' is not a number"},
      {"a,b\n1,\n", "b", "load.csv:2:3: '' in column 'b' is not a number"},
      {"a,b\n1,2 MW\n", "b", "load.csv:2:3: '2 MW' in column 'b' is not a number"},
      {"a,b\n1,nan\n", "b", "load.csv:2:3: 'nan' in column 'b' is not a finite number"},
      {"a,b\n-inf,2\n", "a", "load.csv:2:1: '-inf' in column 'a' is not a finite number"},
      {"a,b\n1e999,2\n", "a", "load.csv:2:1: '1e999' in column 'a' is not a finite number"},
      {"a,b\n1,2\n3,4,5\n", "a", "load.csv:3: this row has 3 fields, the header has 2"},
      {"a,b\n1\n", "a", "load.csv:2: this row has 1 fields, the header has 2"},
      {"a,a\n1,2\n", "a", "load.csv:1: two columns are called 'a'; rename one of them"},
      {"hour,region_1\n", "regoin_1",
       "load.csv:1: there is no column 'regoin_1', only hour, region_1; did you mean 'region_1'?"},
      {"hour,north\n", "3", "load.csv:1: there is no column '3', only hour, north"},
  };
  for (const Fault& expected : faults) {
    EXPECT_EQ(fault(expected.text, {expected.column}), expected.message);
  }
}

TEST_F(CsvTableTest, ShortensALongListOfColumns) {
  EXPECT_THAT(fault("a,b,c,d,e,f,g,h,i,j,k,l,m\n", {"zebra"}), HasSubstr("only a, b"));
  EXPECT_THAT(fault("a,b,c,d,e,f,g,h,i,j,k,l,m\n", {"zebra"}), HasSubstr("k, l, ..."));
}

TEST_F(CsvTableTest, NamesAMissingFile) {
  EXPECT_THAT(base::message_of([&] { read_csv(folder_ / "none.csv", {"a"}); }),
              HasSubstr("none.csv"));
}

}  // namespace
}  // namespace frostline::models
