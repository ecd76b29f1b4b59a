// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/publish/reference.hpp>

namespace asperity {
namespace {

TEST(reference, AHeaderSaysWhatItIsAndWhatItDeclares) {
  const documented_file found = read_header(R"cpp(// SPDX-License-Identifier: Apache-2.0
#pragma once

                                                  // What it is for.
                                                  // In two lines.

#include <vector>
#define TWO_LINES 1 + 1

                                                  namespace asperity {

                                                  // A pair.
                                                  struct pair {
                                                    int a = 0, b = 0;  // of numbers
                                                  };

                                                  // Adds; a brace in a default is no body.
                                                  template <class S>
                                                  S add(const S& a, const pair& b = {1, 2});

                                                  inline int twice(int a) { return add(a, {a, 0}); }

                                                  // Stands apart.

                                                  constexpr int limit = 3;

                                                  namespace detail {
                                                  // Nobody's business.
                                                  int hidden(int);
                                                  }  // namespace detail

                                                  int add(int a);

                                                  }  // namespace asperity
  )cpp");
  EXPECT_EQ(found.about, "What it is for.\nIn two lines.\n");
  std::vector<std::string> names;
  for (const auto& each : found.names) names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"pair", "add", "twice", "limit", "add"}));
  EXPECT_EQ(found.names[0].text, "A pair.\n");
  EXPECT_NE(found.names[0].declaration.find("int a = 0"), std::string::npos);
  EXPECT_EQ(found.names[1].text, "Adds; a brace in a default is no body.\n");
  EXPECT_EQ(found.names[2].declaration, "inline int twice(int a)");
  EXPECT_EQ(found.names[3].text, "");
  const std::string html = reference_html(found, "h-");
  EXPECT_NE(html.find("id=\"h-add\""), std::string::npos);
  EXPECT_NE(html.find("id=\"h-add-1\""), std::string::npos);
}

TEST(reference, AHeaderOfCToo) {
  const documented_file found = read_header(
      "/* SPDX-License-Identifier: Apache-2.0 */\n#ifndef H\n#define H\n/* All\n * of it. */\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
      "/* The version. */\nASPERITY_API const char* version(void);\n"
      "typedef struct point { double x; } point;\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
  EXPECT_EQ(found.about, "All\nof it.\n");
  ASSERT_EQ(found.names.size(), 2U);
  EXPECT_EQ(found.names[0].name, "version");
  EXPECT_EQ(found.names[0].text, "The version.\n");
  EXPECT_EQ(found.names[1].name, "point");
}

// Damaged text ends, whatever it is.
TEST(reference, TextThatIsCutEnds) {
  const std::string text =
      "// a\nnamespace asperity {\n/* b */ struct c { int d[] = {1, 2}; };\nint e(int f = "
      "{3});\n}\n";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    (void)read_header(text.substr(0, size));
    (void)read_header(text.substr(size));
  }
  const std::string module =
      "\"\"\"A.\"\"\"\nclass B:\n    \"\"\"C.\"\"\"\n    def d(self,\n  e):\n";
  for (std::size_t size = 0; size <= module.size(); ++size) {
    (void)read_module(module.substr(0, size));
    (void)read_module(module.substr(size));
  }
}

TEST(reference, AModuleHasFunctionsClassesAndMethods) {
  EXPECT_EQ(comment_html("Make one of :mod:`asperity.models`, such as ``lugre(F_s=1.5)``: a <b>."),
            "Make one of <code>asperity.models</code>, such as <code>lugre(F_s=1.5)</code>: a "
            "&lt;b&gt;.");
  EXPECT_EQ(comment_html("see: `x` and ` alone"), "see: <code>x</code> and ` alone");
  EXPECT_EQ(comment_html("``"), "``");
  EXPECT_EQ(exported_names("__all__ = [\n    \"Model\",\n    \"run\",\n]\n"),
            (std::vector<std::string>{"Model", "run"}));
  EXPECT_TRUE(exported_names("x = 1").empty());
  const documented_file found = read_module(R"py("""What it is."""

def run(scenario,
        set=None):
    """Runs it.

    More.
    """

def _hidden():
    """No."""

class Model:
    """A model."""

    def step(self, h):
        """A step."""

    @property
    def state(self):
        """Its state."""

    def __call__(self, t):
        """Along a motion."""
)py");
  EXPECT_EQ(found.about, "What it is.");
  std::vector<std::string> declarations;
  for (const auto& each : found.names) declarations.push_back(each.declaration);
  EXPECT_EQ(declarations,
            (std::vector<std::string>{"run(scenario, set=None)", "class Model", "Model.step(h)",
                                      "Model.state", "Model object(t)"}));
  EXPECT_EQ(found.names[0].text, "Runs it.\n\nMore.");
}

}  // namespace
}  // namespace asperity
