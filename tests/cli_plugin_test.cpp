// SPDX-License-Identifier: Apache-2.0
// Models of a user's own: begun by `asperity new`, built against the build tree, loaded, used and held
// to the laws; what is no plug-in for this program is refused before any of it runs.

#include <dlfcn.h>

#include <asperity/catalogue/plugin.hpp>
#include <asperity/error.hpp>
#include <nlohmann/json.hpp>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

class cli_plugin : public program_test {
 protected:
  // What the program was built with.
  static std::string built_with(const std::string& variable) {
    std::ifstream cache(ASPERITY_BINARY_DIR "/CMakeCache.txt");
    for (std::string line; std::getline(cache, line);)
      if (line.starts_with(variable + ":")) return line.substr(line.find('=') + 1);
    return "";
  }
  // Configures and builds the project in a folder, against the build tree.
  void build(const std::string& project) const {
    ASSERT_EQ(finish(launch({"cmake", "-S", project, "-B", project + "/build", "-G",
                             built_with("CMAKE_GENERATOR"),
                             "-DCMAKE_CXX_COMPILER=" + built_with("CMAKE_CXX_COMPILER"),
                             std::string("-Dasperity_DIR=") + ASPERITY_BINARY_DIR})),
              0)
        << content("out") << content("err");
    ASSERT_EQ(finish(launch({"cmake", "--build", project + "/build"})), 0)
        << content("out") << content("err");
  }
  void change(const std::string& file, const std::string& what, const std::string& by) const {
    std::string text = content(file);
    const auto at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    write(file, text.replace(at, what.size(), by));
  }
  bool says(const std::string& words) const {
    return (content("out") + content("err")).find(words) != std::string::npos;
  }
};

// One test, since each is a process of its own and building takes ten seconds.
TEST_F(cli_plugin, AModelOfOnesOwnStandsAmongAllOthers) {
  ASSERT_EQ(run("new model my_law"), 0);
  ASSERT_NO_FATAL_FAILURE(build("my_law"));
  const std::string file = "my_law/build/my_law.so";
  if (fs::exists(path("my_law/build/my_law_test"))) {
    EXPECT_EQ(finish(launch({"my_law/build/my_law_test"})), 0) << content("out");
  }

  // Listed, shown, evaluated, run, swept, exported.
  ASSERT_EQ(run("models"), 0);
  EXPECT_FALSE(says("my_law"));
  ASSERT_EQ(run("--plugin " + file + " models"), 0);
  EXPECT_TRUE(says("\nmy_law "));
  const surroundings listed{.environment = {{"ASPERITY_PLUGINS", ":" + file + ":"}}};
  ASSERT_EQ(run("models --json", listed), 0);
  const json models = json::parse(content("out"));
  const auto mine = std::find_if(models.begin(), models.end(),
                                 [](const json& each) { return each["model"] == "my_law"; });
  ASSERT_NE(mine, models.end());
  EXPECT_EQ((*mine)["family"], "friction");
  ASSERT_EQ(run("show my_law", listed), 0);
  EXPECT_TRUE(says("z_dot = v - |v| K z/(F load)"));
  EXPECT_TRUE(says("friction force at load 1"));
  write("motion.csv", "t,x,v,load\n0,0,1,1\n1,1,1,1\n2,2,1,1\n");
  ASSERT_EQ(run("eval my_law --input motion.csv --set F=3", listed), 0);
  EXPECT_NEAR(std::stod(content("out").substr(content("out").rfind(',') + 1)), 3, 1e-6);
  const std::string mass =
      "run " + examples + "/stick_slip.toml --plot none --set run.duration=0.5 --set ";
  ASSERT_EQ(run(mass + "'friction={model=\"my_law\",F=\"2 N\"}' --out mine", listed), 0);
  EXPECT_TRUE(fs::exists(path("mine/series.csv")));
  ASSERT_EQ(run("sweep " + examples +
                    "/stick_slip.toml --set run.duration=0.1 --set "
                    "'friction={model=\"my_law\"}' --over friction.F=1,2 --measure 'maximum(f)' "
                    "--out two.sqlite",
                listed),
            0);
  ASSERT_EQ(run("export my_law --lang c --out -", listed), 0);
  EXPECT_TRUE(says("my_law_step"));
  EXPECT_EQ(run(mass + "'friction={model=\"my_law\"}' --out nothing"), 2) << "without the plug-in";

  // Held to the laws, which it keeps.
  ASSERT_EQ(run("check " + file), 0) << content("err");
  EXPECT_TRUE(says("OddSymmetry"));
  EXPECT_TRUE(says("18 of 18 laws are satisfied")) << content("out");
  ASSERT_EQ(run("check my_law --law OddSymmetry --seed 2 --json", listed), 0);
  EXPECT_EQ(json::parse(content("out")).size(), 1U);

  // Through the library and the C interface. Loaded again it is the same.
  const auto entries = load_plugin(path(file));
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(&find_entry("my_law"), entries.front());
  EXPECT_EQ(entries.front()->at, &ports::drive) << "ours, not the copy of the plug-in";
  EXPECT_EQ(plugin_of(*entries.front()), path(file));
  EXPECT_EQ(load_plugin(path(file)), entries);
  EXPECT_TRUE(std::is_sorted(catalogue().begin(), catalogue().end(), [](auto* a, auto* b) {
    return std::tie(a->family, a->key) < std::tie(b->family, b->key);
  }));
  const double z = 1e-6;
  double rate = 0;
  EXPECT_DOUBLE_EQ(any_model(*entries.front()).respond(&z, 0, 0, 1, &rate), 0.1);
  if (void* c = dlopen(ASPERITY_BINARY_DIR "/c/libasperity_c.so", RTLD_NOW | RTLD_LOCAL)) {
    const auto load = reinterpret_cast<int (*)(const char*)>(dlsym(c, "asperity_load_plugin"));
    const auto make = reinterpret_cast<int (*)(const char*, const char*, void**)>(
        dlsym(c, "asperity_model_create"));
    const auto destroy = reinterpret_cast<void (*)(void*)>(dlsym(c, "asperity_model_destroy"));
    void* model = nullptr;
    EXPECT_EQ(make("my_law", nullptr, &model), 1);
    EXPECT_EQ(load(path("missing.so").c_str()), 1);
    EXPECT_EQ(load(path(file).c_str()), 0);
    EXPECT_EQ(make("my_law", nullptr, &model), 0);
    destroy(model);
  }

  // Refused: a name that is taken, and what was built for another version of asperity.
  fs::copy_file(path(file), path("copy.so"));
  refuses("--plugin " + file + " --plugin copy.so models",
          {"copy.so", "the name 'my_law' is taken by the plug-in '" + file + "'"});
  EXPECT_EQ(run("--plugin " + file + " --plugin ./" + file + " models"), 0) << "one file, once";
  std::string bytes = content(file);
  for (auto at = bytes.find(", g++ "); at != std::string::npos; at = bytes.find(", g++ ", at + 1))
    bytes.replace(at, 6, ", xyz ");
  write("other.so", bytes);
  refuses("--plugin other.so models",
          {"other.so", "built for another version of asperity", ", xyz "});
  refuses("check other.so", {"other.so", "built for another version of asperity"});
  write("cut.so", content(file).substr(0, content(file).size() / 2));
  refuses("--plugin cut.so models", {"cut.so", "not a complete shared object"});
}

// A contact with friction of one's own is evaluated, but no sphere takes it: the message names what
// does, and on that the sphere slides as friction says.
TEST_F(cli_plugin, ASphereTakesANormalContactWhereOnesOwnIsRefused) {
  ASSERT_EQ(run("new model my_touch"), 0);
  const auto mine = [&](const char* suffix) {
    std::ifstream ours(std::string(ASPERITY_SOURCE_DIR) +
                       "/asperity/models/frictional_contact/dai_frictional_contact" + suffix);
    std::string text{std::istreambuf_iterator<char>(ours), {}};
    const std::string name = "struct dai_frictional_contact";
    if (const auto at = text.find(name); at != std::string::npos)
      text.replace(at, name.size(), "struct my_touch");
    write(std::string("my_touch/my_touch") + suffix, text);
  };
  mine(".hpp");
  mine(".md");
  write("my_touch/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.25)\nproject(my_touch LANGUAGES CXX)\n"
        "find_package(asperity COMPONENTS models REQUIRED)\n"
        "asperity_add_plugin(my_touch FAMILY frictional_contact my_touch.hpp)\n");
  ASSERT_NO_FATAL_FAILURE(build("my_touch"));
  const std::string tool = "--plugin my_touch/build/my_touch.so ";
  write("touch.csv", "t,gap,slip_x,slip_y\n0,-1e-4,0.1,0\n1,-1e-4,0.1,0\n");
  EXPECT_EQ(run(tool + "eval my_touch --input touch.csv"), 0);
  const auto thrown = [&](const std::string& contact) {
    write("thrown.toml", "system = { kind = 'sphere_on_plane', mass = 2, radius = 0.1 }\n" +
                             contact + "\ninitial = { v_x = 1 }\nrun = { duration = 0.1 }\n");
    return tool + "run thrown.toml --plot none --out result";
  };
  refuses(thrown("contact = { model = 'my_touch' }"),
          {"thrown.toml", "contact.model", "it comes from a plug-in", "take a normal contact"});
  ASSERT_EQ(run("models --family contact --json"), 0);
  EXPECT_TRUE(says("hunt_crossley"));
  ASSERT_EQ(run(thrown("contact = { model = 'hunt_crossley', K = 1e7 }\nfriction = { mu = 0.2 }")),
            0)
      << content("err");
  // It slides for 2 v/(7 mu g) = 0.146 s: until then friction takes mu g of its speed.
  const std::string rows = content("result/series.csv");
  const std::string head = rows.substr(0, rows.find('\n'));
  const auto column =
      std::count(head.begin(), head.begin() + static_cast<long>(head.find(",v_x")), ',') + 1;
  std::istringstream last(rows.substr(rows.rfind('\n', rows.size() - 2) + 1));
  std::string cell;
  for (long i = 0; i <= column; ++i) std::getline(last, cell, ',');
  EXPECT_NEAR(std::stod(cell), 1 - 0.2 * 9.81 * 0.1, 0.01) << head;
}

// A promise on the card that the equations do not keep.
TEST_F(cli_plugin, ACheckNamesTheLawThatAModelBreaks) {
  ASSERT_EQ(run("new model wrong_law"), 0);
  change("wrong_law/wrong_law.hpp", "f = K * z;", "f = K * z + lit<S>(0.1) * F;");
  fs::remove(path("wrong_law/wrong_law_test.cpp"));
  change("wrong_law/CMakeLists.txt", "if(GTest_FOUND)", "if(FALSE)");
  ASSERT_NO_FATAL_FAILURE(build("wrong_law"));
  const answer told = run("check wrong_law/build/wrong_law.so");
  EXPECT_EQ(told, 1);
  for (const char* each : {"wrong_law breaks OddSymmetry (claim 'odd')",
                           "wrong_law breaks CreatesNoEnergy (claim 'passive')", " F="})
    EXPECT_NE(told.err.find(each), std::string::npos) << told.err;
  EXPECT_NE(told.out.find("broken"), std::string::npos);
  EXPECT_EQ(told.err.find("UnitsAreThoseOfTheCard"), std::string::npos) << told.err;
  EXPECT_TRUE(prints(told.err, "docs/plugins.md", "asperity: error: wrong_law breaks")) << told.err;
  // So does an audit.
  const answer audited =
      run("--plugin wrong_law/build/wrong_law.so run hysteresis_loop --audit --plot none --set "
          "'friction={model=\"wrong_law\"}'");
  EXPECT_EQ(audited, 1);
  EXPECT_TRUE(prints(audited.err, "docs/systems.md", "asperity: error: audit:")) << audited.err;
}

TEST_F(cli_plugin, WhatIsNoPluginIsRefused) {
  refuses("--plugin missing.so models", {"--plugin", "missing.so", "there is no such file"});
  write("text.so", "not a shared object\n");
  refuses("--plugin text.so models",
          {"text.so", "is not a plug-in of asperity", "asperity new model"});
  write("empty.so", "");
  refuses("check empty.so", {"empty.so", "is not a plug-in of asperity"});
  fs::create_directory(path("folder.so"));
  refuses("--plugin folder.so models", {"folder.so", "not a plain file"});
  ASSERT_EQ(mkfifo(path("pipe.so").c_str(), 0600), 0);
  refuses("--plugin pipe.so models", {"pipe.so", "not a plain file"});
  // A shared object of somebody else is not even opened.
  fs::copy_file(program, path("program.so"));
  EXPECT_EQ(run("--plugin program.so models"), 2);
  // The mark alone, in a file that cannot be loaded.
  write("mark.so", "asperity-plugin-abi: asperity 9.9.9");
  refuses("--plugin mark.so models", {"built for another version of asperity", "asperity 9.9.9"});
  EXPECT_EQ(run("models", {.environment = {{"ASPERITY_PLUGINS", "missing.so"}}}), 2);
  EXPECT_TRUE(says("ASPERITY_PLUGINS: plug-in 'missing.so'"));
  refuses("models --plugin text.so", {"--plugin must be given before the command"});
  refuses("run x.toml --plugin=text.so", {"--plugin must be given before the command"});
  refuses("check lugr", {"did you mean 'lugre'?"});
  refuses("check lugre --law Nothing", {"--law Nothing", "OddSymmetry"});
}

TEST_F(cli_plugin, OurOwnModelsCanBeCheckedByName) {
  ASSERT_EQ(run("check hertz stop"), 0) << content("err");
  EXPECT_TRUE(says("laws are satisfied"));
}

class cli_new : public cli_plugin {};

TEST_F(cli_new, NothingIsReplacedAndNamesAreChecked) {
  ASSERT_EQ(run("new model mine --family contact --out there"), 0);
  EXPECT_NE(
      content("there/CMakeLists.txt").find("asperity_add_plugin(mine FAMILY contact mine.hpp)"),
      std::string::npos);
  const std::string before = content("there/mine.hpp");
  refuses("new model mine --out there", {"mine.hpp", "exists and is not replaced"});
  EXPECT_EQ(content("there/mine.hpp"), before);
  refuses("new model other --out there", {"CMakeLists.txt", "exists"});
  EXPECT_FALSE(fs::exists(path("there/other.hpp"))) << "all or nothing";
  refuses("new model 'a b'", {"'a b'", "letters, digits and _"});
  refuses("new model ../up", {"letters, digits and _"});
  refuses("new scenario 1st", {"begin with a letter"});
  refuses("new model double", {"reserved in C++"});
  refuses("new model lugre", {"'lugre' is taken by a model of the family friction"});
  refuses("new system mass_on_belt", {"'mass_on_belt' is taken by a system"});
  refuses("new model x --family thing", {"--family thing", "friction, contact"});
  refuses("new scenario x --family friction", {"--family friction"});
  refuses("new thing x", {"'thing'", "allowed: ", "model", "scenario", "inclusion", "system"});
  write("file", "");
  refuses("new scenario x --out file", {"file"});
}

TEST_F(cli_new, ScenariosAndInclusionsRunAsTheyAre) {
  ASSERT_EQ(run("new scenario first"), 0);
  ASSERT_EQ(run("run first/first.toml --set run.duration=1 --plot none --out one"), 0);
  ASSERT_EQ(run("new inclusion second"), 0);
  ASSERT_EQ(run("run second/second.toml --plot none --audit --out two"), 0) << content("err");
  EXPECT_EQ(content("err"), "") << "no warning";
  ASSERT_EQ(run("inclusion second/second.toml --show"), 0);
}

// The headers of all families compile, and so does a system; the page of the system has a scenario.
TEST_F(cli_new, ModelsOfAllFamiliesAndSystemsCompile) {
  std::string includes;
  for (const char* family : {"friction", "contact", "hysteresis", "curve", "planar"}) {
    const std::string name = std::string("my_") + family;
    ASSERT_EQ(run("new model " + name + " --family " + family), 0);
    includes += fmt::format(
        "#include \"{0}/{0}.hpp\"\nasperity::{0}<double> a_{0};\nasperity::{0}<float> b_{0};\n",
        name);
  }
  write("all.cpp", includes);
  ASSERT_EQ(run("new system my_rig --out asperity/systems"), 0);
  for (const char* file : {"all.cpp", "asperity/systems/my_rig.cpp"})
    EXPECT_EQ(
        finish(launch({"c++", "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                       "-fsyntax-only", "-I.", std::string("-I") + ASPERITY_SOURCE_DIR, file})),
        0)
        << file << content("err");
  for (const char* suffix : {".hpp", ".cpp", ".md", "_test.cpp"})
    EXPECT_TRUE(fs::exists(path(std::string("asperity/systems/my_rig") + suffix))) << suffix;
}

}  // namespace
}  // namespace asperity::testing
