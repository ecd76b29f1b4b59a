// SPDX-License-Identifier: Apache-2.0
#pragma once

// A MuJoCo model and its data from a text, for demos and tests.

#include <mujoco/mujoco.h>

#include <asperity/error.hpp>
#include <memory>
#include <string>

namespace asperity::mujoco {

struct scene {
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data{nullptr, mj_deleteData};

  explicit scene(const std::string& xml) {
    // MuJoCo reads files; this one it is given in memory.
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    if (mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(xml.size())) != 0)
      throw error("MuJoCo has no memory for the model");
    const int at = mj_findFileVFS(files.get(), "scene.xml");
    std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[at]));
    char problem[1000] = "";
    model.reset(mj_loadXML("scene.xml", files.get(), problem, sizeof problem));
    mj_deleteVFS(files.get());
    if (model == nullptr) throw error(std::string("MuJoCo cannot read the model: ") + problem);
    data.reset(mj_makeData(model.get()));
  }
  mjModel* m() const { return model.get(); }
  mjData* d() const { return data.get(); }
};

}  // namespace asperity::mujoco
