// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables as instruments and spreadsheets write them: CSV with commas, semicolons, tabs or blanks,
// decimal commas, comments, with or without names, with a line of units; and HDF5. What is plainly
// meant is read, all else is refused. Tables of our own are read by csv_table.

#include <string>
#include <string_view>
#include <vector>

namespace asperity {

class measured_table {
 public:
  struct column {
    std::string name;  // may be empty; of HDF5 the path of a dataset
    std::string unit;  // as the file has it, apart from the name: a line of units, an attribute
  };

  // A CSV or HDF5 file; "run.h5:/group" is a part of one. `skip` lines of text are passed over.
  // Throws asperity::error.
  static measured_table read(const std::string& path, long skip = 0);
  static measured_table parse(std::string bytes, const std::string& file, long skip = 0);

  const std::string& file() const { return file_; }
  const std::string& bytes() const { return bytes_; }
  bool is_hdf5() const { return !datasets_.empty(); }
  // ":/group" where that is all that was asked for.
  std::string part() const { return group_ == "/" ? "" : ":" + group_; }
  const std::vector<column>& columns() const { return columns_; }
  std::vector<std::string> names() const;
  // "rig.csv:1", the line of names, for a message about a column.
  std::string place_of_names() const;
  // "rig.csv:12", or "run.h5: row 12".
  std::string place_of(std::size_t row) const;
  // Of the file, for each row; none where it is no text.
  const std::vector<long>& lines() const { return numbers_; }

  // Columns by their places, all of one length; NaN where a number is missing. Throws
  // asperity::error where a cell is something else, and where lines are not as long as the first.
  std::vector<std::vector<double>> values(const std::vector<std::size_t>& places) const;

 private:
  struct line {
    std::size_t begin, length;
  };
  // A column of numbers in a dataset of HDF5.
  struct dataset {
    std::string path, member;  // of a compound type
    std::size_t column = 0;    // of a matrix
  };

  std::string file_, bytes_;
  std::vector<column> columns_;
  // Text.
  std::vector<line> rows_;
  std::vector<long> numbers_;
  char separator_ = ',';
  long names_line_ = 0;  // 0: there are no names
  // HDF5.
  std::vector<dataset> datasets_;
  std::string group_ = "/";

  void read_text(long skip);
  void find_datasets();
  std::vector<std::vector<double>> text_values(const std::vector<std::size_t>& places) const;
  std::vector<std::vector<double>> dataset_values(const std::vector<std::size_t>& places) const;
};

// Whether this build reads HDF5.
bool reads_hdf5();

}  // namespace asperity
