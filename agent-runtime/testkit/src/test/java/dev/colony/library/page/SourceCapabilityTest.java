package dev.colony.library.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.blackboard.settings.Settings;
import dev.colony.library.page.SourceTrees.SourceToolSettings;
import dev.colony.library.plan.CacheAwareActionPolicy;
import dev.colony.library.plan.PlanArgs;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.schedule.Clearances;
import dev.colony.vcm.schedule.Sensitivity;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.StoreSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.eclipse.jgit.api.Git;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What agents do with the tools over mapped pages, by scripts and by models over HTTP. */
class SourceCapabilityTest {

  private static final Map<String, String> FILES =
      Map.of(
          "src/Merge.java",
              "/** Merges. */\n"
                  + "class Merge {\n"
                  + "  int mergeRuns(int a) {\n"
                  + "    return a + LIMIT;\n"
                  + "  }\n"
                  + "}\n",
          "src/Sort.java",
              "class Sort {\n"
                  + "  static final int LIMIT = 12;\n"
                  + "  int sort() {\n"
                  + "    return new Merge().mergeRuns(3);\n"
                  + "  }\n"
                  + "}\n",
          "test/MergeTest.java", "class MergeTest {\n  int tried = new Merge().mergeRuns(4);\n}\n");

  private final StoreSettings stored = new StoreSettings(1 << 20, 2, 3);
  private final PageStore pages =
      new BlackboardPageStore(
          new InMemoryBlackboards(),
          "test",
          "test",
          stored,
          new Clearances(
              Map.of("test", Sensitivity.INTERNAL),
              Sensitivity.PUBLIC,
              Map.of(),
              Sensitivity.RESTRICTED));

  @TempDir private Path directory;

  private void map(String id, String source, Map<String, String> files, PageLabel label) {
    List<VirtualContextPage> all = new ArrayList<>();
    new TreeMap<>(files)
        .forEach((path, text) -> all.add(PageText.page(path, text, label, new TokenCounter())));
    PageGroup group =
        new PageGroup(
            new PageGroupId(id.repeat(26)),
            "src",
            all.stream().map(VirtualContextPage::id).toList(),
            300);
    pages.save(new PageMap(id, source, List.of(group), files.size()), all);
  }

  private TestAgent.Builder with(AgentBlueprint blueprint, SourceCapability.Args args) {
    return TestAgent.of(
            blueprint.capability(
                CapabilityBlueprint.of(Blueprint.bind(SourceCapability.class, args))))
        .service(PageStore.class, pages)
        .service(
            SourceTrees.class,
            new SourceTrees(Settings.read(SourceToolSettings.class, ConfigFactory.load())));
  }

  private static AgentBlueprint does(String key, Object... params) {
    return AgentBlueprint.of(
        ScriptedActionPolicy.class,
        Script.of(
            ScriptedRule.first().act(key, params),
            ScriptedRule.after(key).succeeded().complete("$results.a1"),
            ScriptedRule.otherwise().fail("it failed")));
  }

  private JsonNode done(String key, Object... params) {
    try (TestAgent agent = with(does(key, params), SourceCapability.Args.of("m")).start()) {
      AgentRun run = agent.run("go");
      assertThat(agent.steps().actions().getFirst().error()).isEmpty();
      return run.output();
    }
  }

  private String refused(SourceCapability.Args args, String key, Object... params) {
    try (TestAgent agent = with(does(key, params), args).start()) {
      agent.run("go");
      return agent.steps().actions().getFirst().error().orElseThrow();
    }
  }

  private String refused(String key, Object... params) {
    return refused(SourceCapability.Args.of("m"), key, params);
  }

  private static List<String> places(JsonNode result) {
    return result
        .path("spans")
        .valueStream()
        .map(span ->
            "%s:%d-%d"
                .formatted(
                    span.path("file").asText(),
                    span.path("firstLine").asInt(),
                    span.path("lastLine").asInt()))
        .toList();
  }

  @Test
  void theToolsShowWhatIsInTheMap() {
    map("m", "src", FILES, PageLabel.NONE);
    assertThat(places(done("source.grep", "pattern", "mergeRuns\\(\\d", "glob", "src")))
        .containsExactly("src/Sort.java:4-4");
    JsonNode read = done("source.read", "file", "Sort.java", "firstLine", 2, "lastLine", 3);
    assertThat(places(read)).containsExactly("src/Sort.java:2-3");
    assertThat(read.at("/spans/0/text").asText())
        .isEqualTo("  static final int LIMIT = 12;\n  int sort() {");
    assertThat(places(done("source.definition", "symbol", "Merge.mergeRuns")))
        .containsExactly("src/Merge.java:3-5");
    JsonNode usages = done("source.usages", "symbol", "mergeRuns", "limit", 1);
    assertThat(places(usages)).containsExactly("src/Sort.java:4-4");
    assertThat(usages.path("found").asInt()).isEqualTo(2);
    assertThat(usages.path("others").path("test/MergeTest.java").asInt()).isEqualTo(1);
    assertThat(done("source.definition", "symbol", "none").path("note").asText())
        .isEqualTo("no line looks like a definition of it: try source.grep");
    assertThat(done("source.grep", "pattern", "a", "glob", "*.go").path("note").asText())
        .isEqualTo("no file of the map fits *.go");
  }

  @Test
  void whatCannotBeIsRefusedByName() {
    map("m", "src", FILES, PageLabel.NONE);
    assertThat(refused(SourceCapability.Args.NONE, "source.usages", "symbol", "x"))
        .contains("name the page map: this agent has none");
    assertThat(refused("source.usages", "symbol", "x", "map", "gone"))
        .contains("no page map gone: map its source again");
    assertThat(refused("source.read", "file", "None.java"))
        .contains("the map has no file None.java");
    assertThat(refused("source.read", "file", "lib/Sort.java"))
        .contains("lib/Sort.java may be one of 1 files: src/Sort.java");
    assertThat(refused("source.read", "file", "Sort.java", "firstLine", 9, "lastLine", 3))
        .contains("the last line, 3, is before the first, 9");
    assertThat(refused("source.grep", "pattern", "(a"))
        .contains("the pattern (a is no regular expression of RE2");
    assertThat(refused("source.definition", "symbol", "two words"))
        .contains("two words is no name");
  }

  @Test
  void pagesOfAnotherTenantOrOfAHigherClassAreNotShown() {
    map("m", "src", FILES, PageLabel.of(Sensitivity.INTERNAL));
    assertThat(places(done("source.grep", "pattern", "LIMIT ="))).hasSize(1);
    SourceTrees shared =
        new SourceTrees(Settings.read(SourceToolSettings.class, ConfigFactory.load()));
    for (AgentId id :
        List.of(new AgentId("test", "test", "one"), new AgentId("other", "test", "two"))) {
      try (TestAgent agent =
          with(does("source.grep", "pattern", "LIMIT ="), SourceCapability.Args.of("m"))
              .service(SourceTrees.class, shared)
              .id(id)
              .start()) {
        agent.run("go");
        Optional<String> error = agent.steps().actions().getFirst().error();
        if (id.tenant().equals("test")) {
          assertThat(error).isEmpty();
        } else {
          assertThat(error.orElseThrow()).contains("is internal, and tenant other is cleared");
        }
      }
    }
    map("n", "src", FILES, new PageLabel(Optional.of("other"), Sensitivity.PUBLIC, Map.of()));
    assertThat(refused("source.read", "file", "Sort.java", "map", "n"))
        .contains("is another tenant's");
  }

  @Test
  void aMapThatIsTooLargeIsRefused() {
    map("m", "src", FILES, PageLabel.NONE);
    SourceToolSettings small = new SourceToolSettings(1_000, true);
    try (TestAgent agent =
        with(does("source.grep", "pattern", "a"), SourceCapability.Args.of("m"))
            .service(SourceTrees.class, new SourceTrees(small))
            .start()) {
      agent.run("go");
      assertThat(agent.steps().actions().getFirst().error().orElseThrow())
          .contains(
              "page map m has 300 tokens, which take more memory than colony.agent.source.memory,"
                  + " 1000 bytes");
    }
  }

  @Test
  void theHistoryIsThatOfTheRepositoryOrOfThePages() throws Exception {
    try (Git git = Git.init().setDirectory(directory.toFile()).call()) {
      for (String path : List.of("src/Merge.java", "src/Sort.java")) {
        Files.createDirectories(directory.resolve(path).getParent());
        Files.writeString(directory.resolve(path), FILES.get(path));
        git.add().addFilepattern(path).call();
        git.commit().setMessage("Add " + path).setAuthor("Ada", "a@b").setSign(false).call();
      }
    }
    map("m", directory.toString(), FILES, PageLabel.NONE);
    JsonNode ofSymbol = done("source.history", "symbol", "Merge.mergeRuns");
    assertThat(ofSymbol.path("from").asText()).isEqualTo("repository");
    assertThat(ofSymbol.at("/of/0").asText()).isEqualTo("src/Merge.java");
    assertThat(ofSymbol.path("changes")).hasSize(1);
    assertThat(ofSymbol.at("/changes/0/message").asText()).isEqualTo("Add src/Merge.java");
    assertThat(ofSymbol.at("/changes/0/files/src~1Merge.java").asText()).isEqualTo("A");
    assertThat(done("source.history").path("changes")).hasSize(2);

    Map<String, String> logged = new TreeMap<>(FILES);
    logged.put(
        ".git/log/2026-01-02T03-04-05-0123456789ab.txt",
        "commit 0123456789abcdef\n"
            + "author Ada\n"
            + "date 2026-01-02T03:04:05Z\n\n"
            + "Begin\n\n"
            + "A src/Sort.java\n");
    map("n", "board:a", logged, PageLabel.NONE);
    JsonNode ofPages = done("source.history", "file", "Sort.java", "map", "n");
    assertThat(ofPages.path("from").asText()).isEqualTo("pages");
    assertThat(ofPages.at("/changes/0/commit").asText()).isEqualTo("0123456789ab");
    assertThat(done("source.history", "file", "Merge.java", "map", "n").path("changes")).isEmpty();
    assertThat(places(done("source.grep", "pattern", "Begin", "map", "n")))
        .as("commits are no files of the tree")
        .isEmpty();

    map("o", "board:a", FILES, PageLabel.NONE);
    assertThat(refused("source.history", "map", "o"))
        .contains("map o of board:a has no history: its source is no directory; map it as git:");
    map("p", directory.resolve("none").toString(), FILES, PageLabel.NONE);
    assertThat(refused("source.history", "map", "p"))
        .contains("this node sees no git repository there");
    map("q", directory.toString(), Map.of("other.txt", "x"), PageLabel.NONE);
    assertThat(refused("source.history", "map", "q"))
        .contains("the directory that this node sees holds other files");
  }

  @Test
  void aModelIsShownTheToolsAndGoesOnFromWhatTheyFound() {
    map("m", "src", FILES, PageLabel.NONE);
    try (FakeModel model = FakeModel.start()) {
      model
          .expect("Who merges?", "source_grep", "source_history", "a regular expression in RE2")
          .act("source.usages", Map.of("symbol", "mergeRuns"));
      model
          .expect("new Merge().mergeRuns(3)")
          .act("source.read", Map.of("file", "Sort.java", "firstLine", 0));
      model
          .expect("firstLine: must have a minimum value of 1")
          .act("source.read", Map.of("file", "Sort.java", "firstLine", 3));
      model.expect("src/Sort.java has 6 lines").complete("Sort merges");
      try (TestAgent agent =
          with(
                  AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE),
                  SourceCapability.Args.of("m"))
              .model(model)
              .start()) {
        assertThat(agent.run(Map.of("goals", "Who merges?")).output().asText())
            .isEqualTo("Sort merges");
      }
    }
  }

  @Test
  void aPlanTakesThemOneAfterAnother() {
    map("m", "src", FILES, PageLabel.NONE);
    ObjectNode plan = JsonNodeFactory.instance.objectNode();
    plan.putArray("actions")
        .add(call("d", "source.definition").set("parameters", params("symbol", "sort")))
        .add(
            call("r", "source.read")
                .<ObjectNode>set("parameters", params("file", "$results.d.spans.0.file"))
                .set("after", JsonNodeFactory.instance.arrayNode().add("d")));
    plan.put("result", "$results.r.spans.0.text");
    try (FakeModel model = FakeModel.start()) {
      model.expect("Plan how your goals are reached.").calls("plan", plan);
      try (TestAgent agent =
          with(
                  AgentBlueprint.of(CacheAwareActionPolicy.class, PlanArgs.NONE),
                  SourceCapability.Args.of("m"))
              .model(model)
              .start()) {
        assertThat(agent.run("Read").output().asText())
            .isEqualTo(FILES.get("src/Sort.java").strip());
      }
    }
  }

  private static ObjectNode call(String name, String key) {
    return JsonNodeFactory.instance.objectNode().put("name", name).put("action", key);
  }

  private static ObjectNode params(String name, String value) {
    return JsonNodeFactory.instance.objectNode().put(name, value);
  }
}
