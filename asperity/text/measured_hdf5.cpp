// SPDX-License-Identifier: Apache-2.0
// HDF5 as a table: every dataset of numbers is a column, a matrix one for each of its columns, a
// compound one for each of its numbers. The library sees bytes in memory and no file: what such a
// file says of other files, filters to be loaded and places outside itself is not followed.

#include <asperity/error.hpp>
#include <asperity/text/measured_table.hpp>

#ifdef ASPERITY_WITH_HDF5

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <asperity/text.hpp>
#include <cmath>
#include <cstring>

namespace asperity {

bool reads_hdf5() { return true; }

namespace {

constexpr std::size_t most_datasets = 10'000;
constexpr hsize_t most_values_of_column = 250'000'000;  // of one column: 2 GB

// An open object, or none; closed in the end.
class handle {
 public:
  handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~handle() {
    if (id_ >= 0) close_(id_);
  }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  operator hid_t() const { return id_; }
  bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

handle access_to(std::string& bytes) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // we say ourselves what went wrong
  H5PLset_loading_state(0);                     // no code that a file asks for
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  constexpr std::size_t grows_by = 1 << 20;
  if (access >= 0 && (H5Pset_fapl_core(access, grows_by, false) < 0 ||
                      H5Pset_file_image(access, bytes.data(), bytes.size()) < 0)) {
    H5Pclose(access);
    return {-1, H5Pclose};
  }
  return {access, H5Pclose};
}

// A file in memory. Its name is one that no file can have.
class open_image {
 public:
  explicit open_image(std::string bytes)
      : access_(access_to(bytes)),
        file_(access_.is_open() ? H5Fopen("/dev/null/image", H5F_ACC_RDONLY, access_) : -1,
              H5Fclose) {}
  bool is_open() const { return file_.is_open(); }
  operator hid_t() const { return file_; }

 private:
  handle access_, file_;
};

bool is_number(hid_t type) {
  const H5T_class_t is = H5Tget_class(type);
  return is == H5T_INTEGER || is == H5T_FLOAT;
}

// Its numbers are in the file itself.
bool is_inside(hid_t data) {
  const handle made(H5Dget_create_plist(data), H5Pclose);
  if (!made.is_open()) return false;
  return H5Pget_external_count(made) == 0 && H5Pget_layout(made) != H5D_VIRTUAL;
}

// Rows and columns; 0 rows where it is neither a list nor a matrix.
struct shape {
  hsize_t rows = 0, columns = 0;
  int rank = 0;
  bool lies = false;  // a list that is written as one row
};
shape shape_of(hid_t data) {
  const handle space(H5Dget_space(data), H5Sclose);
  if (!space.is_open() || H5Sis_simple(space) <= 0) return {};
  const int rank = H5Sget_simple_extent_ndims(space);
  hsize_t size[2] = {0, 1};
  if (rank < 1 || rank > 2 || H5Sget_simple_extent_dims(space, size, nullptr) < 0) return {};
  if (rank == 2 && size[0] == 1 && size[1] > 1) return {size[1], 1, rank, true};
  return {size[0], size[1], rank, false};
}

std::string text_of_attribute(hid_t data, const char* name) {
  if (H5Aexists(data, name) <= 0) return "";
  const handle attribute(H5Aopen(data, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.is_open()) return "";
  const handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  constexpr std::size_t longest = 200;
  if (!type.is_open() || !space.is_open() || H5Tget_class(type) != H5T_STRING ||
      H5Sget_simple_extent_npoints(space) != 1)
    return "";
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute, type, &text) < 0 || text == nullptr) return "";
    std::string result(text, strnlen(text, longest));
    H5free_memory(text);
    return result;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > longest) return "";
  std::string result(size, '\0');
  if (H5Aread(attribute, type, result.data()) < 0) return "";
  result.resize(std::min(result.find('\0'), result.size()));
  return result;
}

// Called by the library, in C: nothing may be thrown.
herr_t note_link(hid_t, const char* name, const H5L_info_t* about, void* found) noexcept {
  auto& names = *static_cast<std::vector<std::string>*>(found);
  if (about->type != H5L_TYPE_HARD) return 0;
  if (names.size() >= most_datasets) return 1;
  try {
    names.emplace_back(name);
  } catch (...) {
    return -1;
  }
  return 0;
}

}  // namespace

void measured_table::find_datasets() {
  const open_image image(bytes_);
  if (!image.is_open()) throw error(fmt::format("{}: this is not a complete HDF5 file", file_));
  const auto add = [&](hid_t data, const std::string& path, const std::string& name) {
    if (!is_inside(data)) return;
    const shape is = shape_of(data);
    const handle type(H5Dget_type(data), H5Tclose);
    if (is.rows == 0 || !type.is_open()) return;
    const std::string in = text_of_attribute(data, "unit");
    const std::string text = in.empty() ? text_of_attribute(data, "units") : in;
    if (is_number(type)) {
      if (columns_.size() + is.columns > most_datasets) return;
      for (std::size_t i = 0; i < is.columns; ++i) {
        columns_.push_back({is.columns == 1 ? name : fmt::format("{}#{}", name, i + 1), text});
        datasets_.push_back({path, "", i});
      }
      return;
    }
    if (H5Tget_class(type) != H5T_COMPOUND || is.rank != 1) return;
    const int members = H5Tget_nmembers(type);
    for (int i = 0; i < members && columns_.size() < most_datasets; ++i) {
      const auto index = static_cast<unsigned>(i);
      const handle of(H5Tget_member_type(type, index), H5Tclose);
      char* member = H5Tget_member_name(type, index);
      if (member == nullptr) continue;
      const std::string its(member);
      H5free_memory(member);
      if (!of.is_open() || !is_number(of)) continue;
      columns_.push_back({name.empty() ? its : fmt::format("{}.{}", name, its), ""});
      datasets_.push_back({path, its, 0});
    }
  };
  // A link that leads elsewhere is not followed on the way to the group, either.
  for (std::size_t at = group_.find_first_not_of('/'); at < group_.size();) {
    const std::size_t end = std::min(group_.find('/', at), group_.size());
    const std::string part = group_.substr(0, end);
    H5L_info_t about;
    if (H5Lget_info(image, part.c_str(), &about, H5P_DEFAULT) < 0)
      throw error(fmt::format("{}: there is no '{}' in this file", file_, shortened(part, 60)));
    if (about.type != H5L_TYPE_HARD)
      throw error(fmt::format("{}: '{}' is a link to another file, which is not followed", file_,
                              shortened(part, 60)));
    at = end + 1;
  }
  const handle whole(H5Oopen(image, group_.c_str(), H5P_DEFAULT), H5Oclose);
  if (!whole.is_open())
    throw error(fmt::format("{}: there is no '{}' in this file", file_, shortened(group_, 60)));
  if (H5Iget_type(whole) == H5I_DATASET) {
    const std::string name = group_.substr(group_.find_last_of('/') + 1);
    const handle type(H5Dget_type(whole), H5Tclose);
    add(whole, group_, type.is_open() && H5Tget_class(type) == H5T_COMPOUND ? "" : name);
  } else {
    std::vector<std::string> names;
    if (H5Lvisit(whole, H5_INDEX_NAME, H5_ITER_INC, note_link, &names) < 0)
      throw error(fmt::format("{}: this HDF5 file cannot be read: it is damaged", file_));
    for (const std::string& name : names) {
      const handle object(H5Oopen(whole, name.c_str(), H5P_DEFAULT), H5Oclose);
      if (object.is_open() && H5Iget_type(object) == H5I_DATASET)
        add(object, group_ == "/" ? "/" + name : fmt::format("{}/{}", group_, name), name);
    }
  }
  if (columns_.empty())
    throw error(
        fmt::format("{}: there is no dataset of numbers in '{}'", file_, shortened(group_, 60)));
}

std::vector<std::vector<double>> measured_table::dataset_values(
    const std::vector<std::size_t>& places) const {
  const open_image image(bytes_);
  std::vector<std::vector<double>> result;
  for (const std::size_t place : places) {
    const dataset& from = datasets_[place];
    const std::string name = shortened(columns_[place].name, 40);
    const auto fail = [&](const std::string& message) {
      throw error(fmt::format("{}: dataset '{}': {}", file_, name, message));
    };
    const handle data(H5Dopen2(image, from.path.c_str(), H5P_DEFAULT), H5Dclose);
    const shape is = data.is_open() ? shape_of(data) : shape{};
    if (is.rows == 0) fail("it cannot be read: the file is damaged");
    if (is.rows > most_values_of_column)
      fail(fmt::format("it has {} values, but at most {} can be read", is.rows,
                       most_values_of_column));
    if (!result.empty() && is.rows != result.front().size())
      fail(fmt::format("it has {} values, but '{}' has {}", is.rows,
                       shortened(columns_[places.front()].name, 40), result.front().size()));
    std::vector<double> values(is.rows);
    const handle space(H5Dget_space(data), H5Sclose);
    if (is.rank == 2 && !is.lies) {
      const hsize_t first[2] = {0, from.column}, count[2] = {is.rows, 1};
      if (H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, count, nullptr) < 0)
        fail("it cannot be read: the file is damaged");
    }
    const hsize_t length = is.rows;
    const handle memory(H5Screate_simple(1, &length, nullptr), H5Sclose);
    const handle type(
        from.member.empty() ? H5Tcopy(H5T_NATIVE_DOUBLE) : H5Tcreate(H5T_COMPOUND, sizeof(double)),
        H5Tclose);
    if (!from.member.empty()) H5Tinsert(type, from.member.c_str(), 0, H5T_NATIVE_DOUBLE);
    if (H5Dread(data, type, memory, space, H5P_DEFAULT, values.data()) < 0)
      fail(
          "it cannot be read: it is damaged, or compressed with a filter that is not part of HDF5");
    for (std::size_t row = 0; row < values.size(); ++row)
      if (std::isinf(values[row]))
        fail(fmt::format("row {} = '{}': it must be a finite number", row + 1, values[row]));
    result.push_back(std::move(values));
  }
  return result;
}

}  // namespace asperity

#else

namespace asperity {

bool reads_hdf5() { return false; }

void measured_table::find_datasets() {
  throw error(file_ + ": this build cannot read HDF5 (libhdf5-dev was not found): give a CSV file");
}

std::vector<std::vector<double>> measured_table::dataset_values(
    const std::vector<std::size_t>&) const {
  return {};
}

}  // namespace asperity

#endif
