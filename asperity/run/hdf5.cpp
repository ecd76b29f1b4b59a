// SPDX-License-Identifier: Apache-2.0
// Series as HDF5: one dataset per column with its unit, and the times of events. The library builds
// the file in memory, for where it cannot write a part it keeps that part and fails when it is
// closed, or at exit. The bytes are written like any other text.

#include <asperity/error.hpp>
#include <asperity/run/output.hpp>

#ifdef ASPERITY_WITH_HDF5

#include <fmt/format.h>
#include <hdf5.h>

namespace asperity {

bool has_hdf5() { return true; }

namespace {

// An open HDF5 object. Its closing function differs from kind to kind.
class handle {
 public:
  handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw error("cannot write this run as HDF5: the library refused it");
  }
  ~handle() { close_(id_); }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void write_dataset(hid_t where, const std::string& name, unit in,
                   const std::vector<double>& values) {
  const hsize_t size = values.size();
  const handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const handle options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(options, false);  // the same run gives the same bytes
  const handle data(
      H5Dcreate2(where, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, options, H5P_DEFAULT),
      H5Dclose);
  if (size > 0 &&
      H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw error(
        fmt::format("cannot write this run as HDF5: the library refused column '{}'", name));

  const std::string text = to_string(in);
  const handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, text.size());
  const handle one(H5Screate(H5S_SCALAR), H5Sclose);
  const handle attribute(H5Acreate2(data, "unit", type, one, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (H5Awrite(attribute, type, text.data()) < 0)
    throw error(
        fmt::format("cannot write this run as HDF5: the library refused the unit of '{}'", name));
}

}  // namespace

std::string series_hdf5(const run_data& data) {
  constexpr std::size_t grows_by = 1 << 20;     // bytes
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // we say ourselves what went wrong
  const handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (H5Pset_fapl_core(access, grows_by, false) < 0)
    throw error("cannot write this run as HDF5: the library does not support files in memory");
  // The library opens a file of this name before it makes one in memory, so it must be a name that
  // no file can have.
  const handle out(H5Fcreate("/dev/null/series", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  for (const auto& each : data.columns) write_dataset(out, each.name, each.in, each.values);
  {
    const handle options(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(options, false);
    const handle events(H5Gcreate2(out, "events", H5P_DEFAULT, options, H5P_DEFAULT), H5Gclose);
    for (const auto& name : data.event_names)
      write_dataset(events, name, units::second, data.times_of(name));
  }
  const bool complete = H5Fflush(out, H5F_SCOPE_GLOBAL) >= 0;
  const ssize_t size = complete ? H5Fget_file_image(out, nullptr, 0) : -1;
  std::string bytes(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  if (size <= 0 || H5Fget_file_image(out, bytes.data(), bytes.size()) != size)
    throw error("cannot write this run as HDF5: the library did not finish");
  return bytes;
}

}  // namespace asperity

#else

namespace asperity {

bool has_hdf5() { return false; }

std::string series_hdf5(const run_data&) {
  throw error("this build cannot write HDF5 (libhdf5-dev was not found): use --format csv");
}

}  // namespace asperity

#endif
