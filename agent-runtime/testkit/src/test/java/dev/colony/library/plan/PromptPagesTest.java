package dev.colony.library.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.StoreSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The pages that stand in the prompts of an agent with a plan, as its server gets them. */
class PromptPagesTest {

  /** Looks at what the prompt shows. */
  @Registered(value = "test.looking", summary = "Looks.")
  public static final class Looking extends AgentCapability {

    public Looking(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(key = "looking.look", summary = "Looks.")
    String look() {
      return "seen";
    }
  }

  private static final TypeProvider TYPES = types -> types.add(Looking.class);
  private static final PageGroupId GROUP = new PageGroupId("g".repeat(26));

  private final FakeModel model = FakeModel.start();
  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final PageStore pages =
      new BlackboardPageStore(boards, "test", "test", new StoreSettings(1 << 20, 2, 3));

  PromptPagesTest() {
    PageGroup group = new PageGroup(GROUP, "src", List.of(id('p'), id('o')), 200);
    pages.save(
        new PageMap("m", "src", List.of(group), 5),
        List.of(page('p', 100), page('o', 100), page('q', 100), page('r', 100), page('s', 100)));
  }

  @AfterEach
  void end() {
    model.close();
    boards.close();
  }

  private static PageId id(char letter) {
    return new PageId(String.valueOf(letter).repeat(26));
  }

  private static VirtualContextPage page(char letter, int tokens) {
    String file = letter + ".txt";
    return new VirtualContextPage(
        id(letter),
        "=== %s (lines 1-1)\nletter=%s".formatted(file, letter),
        tokens,
        List.of(new PageSegment(file, 1, 1)));
  }

  private static ObjectNode look(String name, String letters) {
    ObjectNode action =
        JsonNodeFactory.instance.objectNode().put("name", name).put("action", "looking.look");
    action.putObject("parameters");
    letters.chars().forEach(letter -> action.withArray("pages").add(id((char) letter).value()));
    return action;
  }

  private static ObjectNode plan(ObjectNode... actions) {
    ObjectNode plan = JsonNodeFactory.instance.objectNode();
    List.of(actions).forEach(plan.putArray("actions")::add);
    return plan;
  }

  private TestAgent agent(String settings) {
    return TestAgent.of(
            AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE))
                .capability(CapabilityBlueprint.of(Blueprint.of("test.looking")))
                .pages(GROUP))
        .types(TYPES)
        .settings(settings)
        .service(PageStore.class, pages)
        .model(model)
        .start();
  }

  /** The pages of each prompt, in their order. */
  private List<String> sent() {
    return model.prompts().stream()
        .map(prompt -> prompt.text().replaceAll("(?s).*?letter=([a-z])|.+", "$1"))
        .toList();
  }

  @Test
  void thePagesOfTheGroupStandFirstAndThenThoseThatMostActionsRead() {
    model
        .expect("Plan how your goals are reached.")
        .calls("plan", plan(look("a", "q"), look("b", "qr"), look("c", "rp"), look("d", "rz")));
    model
        .expect("exhausted")
        .calls("plan", plan(look("e", "q"), look("f", "q"), look("g", "sq")).put("mode", "add"));
    model.expect("exhausted", "- g [done]").calls("complete", Map.of("result", "done"));
    try (TestAgent agent = agent("")) {
      assertThat(agent.run("Look").output().asText()).isEqualTo("done");
    }
    assertThat(sent())
        .as("a page keeps its place, whatever is planned; one that is not stored has none")
        .containsExactly("po", "porq", "porqs");
  }

  @Test
  void pagesThatDoNotFitAreLeftOut() {
    model
        .expect("Plan how your goals are reached.")
        .calls("plan", plan(look("a", "q"), look("b", "qr"), look("c", "q")));
    model.expect("exhausted").calls("complete", Map.of("result", "done"));
    try (TestAgent agent = agent("colony.agent.prompt.pages = 350")) {
      assertThat(agent.run("Look").output().asText()).isEqualTo("done");
    }
    assertThat(sent()).containsExactly("po", "poq");
  }
}
