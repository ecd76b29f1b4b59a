// SPDX-License-Identifier: Apache-2.0
// Series as HDF5: one dataset per column with its unit, and the times of events.

#include <asperity/error.hpp>
#include <asperity/scenario/output.hpp>

#ifdef ASPERITY_WITH_HDF5

#include <fmt/format.h>
#include <hdf5.h>

namespace asperity {

bool has_hdf5() { return true; }

namespace {

// An open HDF5 object. Its closing function differs from kind to kind.
class handle {
 public:
  handle(hid_t id, herr_t (*close)(hid_t), const std::string& file) : id_(id), close_(close) {
    if (id < 0) throw error(fmt::format("cannot write '{}': HDF5 refused", file));
  }
  ~handle() { close_(id_); }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void write_dataset(hid_t where, const std::string& name, unit in, const std::vector<double>& values,
                   const std::string& file) {
  const hsize_t size = values.size();
  const handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, file);
  const handle options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, file);
  H5Pset_obj_track_times(options, false);  // the same run gives the same bytes
  const handle data(
      H5Dcreate2(where, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, options, H5P_DEFAULT),
      H5Dclose, file);
  if (size > 0 &&
      H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw error(fmt::format("cannot write '{}': HDF5 refused column '{}'", file, name));

  const std::string text = to_string(in);
  const handle type(H5Tcopy(H5T_C_S1), H5Tclose, file);
  H5Tset_size(type, text.size());
  const handle one(H5Screate(H5S_SCALAR), H5Sclose, file);
  const handle attribute(H5Acreate2(data, "unit", type, one, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         file);
  if (H5Awrite(attribute, type, text.data()) < 0)
    throw error(fmt::format("cannot write '{}': HDF5 refused the unit of '{}'", file, name));
}

}  // namespace

void write_hdf5(const run_data& data, const std::string& file) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // we say ourselves what went wrong
  const handle out(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                   file);
  for (const auto& each : data.columns) write_dataset(out, each.name, each.in, each.values, file);
  const handle options(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, file);
  H5Pset_obj_track_times(options, false);
  const handle events(H5Gcreate2(out, "events", H5P_DEFAULT, options, H5P_DEFAULT), H5Gclose, file);
  for (const auto& name : data.event_names)
    write_dataset(events, name, units::second, data.times_of(name), file);
}

}  // namespace asperity

#else

namespace asperity {

bool has_hdf5() { return false; }

void write_hdf5(const run_data&, const std::string&) {
  throw error("this build cannot write HDF5 (libhdf5-dev was not found): use --format csv");
}

}  // namespace asperity

#endif
