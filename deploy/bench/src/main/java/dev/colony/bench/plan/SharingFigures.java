package dev.colony.bench.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.bench.load.Figures;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.library.page.PageCapability;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.prompt.PlanningPrompt;
import dev.colony.library.stream.ActionKeySubstringFilter;
import dev.colony.library.stream.ConversationFormatter;
import dev.colony.library.stream.EventContextKeyFilter;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import dev.colony.vcm.PageStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * How much of each prompt of an agent is the beginning of the one before, as the server gets them:
 * tools, system message, pages, messages; in characters, 0 to 1.
 *
 * @param chat an agent that answers a visitor; each message of the visitor is a run
 * @param planner one that takes an action in each step of one run
 * @param research likewise, which has pages before it, and searches and reads them
 * @param outgrown the same with results that are larger than the history has room for, so that the
 *     oldest are cut again now and then
 */
public record SharingFigures(Shares chat, Shares planner, Shares research, Shares outgrown) {

  /** The least that is asked of each prompt. */
  public static final double ASKED = 0.85;

  private static final int SEED = 30;
  private static final int PAGES = 8;
  private static final int MOST_ENTRIES = 1_000;
  private static final int LINES = 3;
  private static final int FEW = 2;
  private static final int MANY = 20;

  /**
   * Of the prompts behind the first one.
   *
   * @param prompts all of them
   * @param below how many share less than is asked
   */
  public record Shares(int prompts, double least, double mean, int below) {

    static Shares of(FakeModel model) {
      List<String> sent = model.prompts().stream().map(FakeModel.Prompt::text).toList();
      List<Double> shares = new ArrayList<>();
      for (int i = 1; i < sent.size(); i++) {
        shares.add(PlanningPrompt.shared(sent.get(i - 1), sent.get(i)));
      }
      return new Shares(
          sent.size(),
          shares.stream().mapToDouble(one -> one).min().orElse(0),
          shares.stream().mapToDouble(one -> one).average().orElse(0),
          (int) shares.stream().filter(one -> one < ASKED).count());
    }

    private ObjectNode toJson() {
      return JsonNodeFactory.instance
          .objectNode()
          .put("prompts", prompts)
          .put("least", Figures.rounded(least))
          .put("mean", Figures.rounded(mean))
          .put("below", below);
    }

    private String toText() {
      return String.format(
          Locale.ROOT,
          "at least %.2f, %.2f on average, %d of them less than is asked",
          least,
          mean,
          below);
    }
  }

  static SharingFigures measure(PlanLoad load) {
    int steps = load.steps();
    return new SharingFigures(
        chat(steps), planner(steps), research(steps, FEW), research(steps, MANY));
  }

  private static Shares chat(int steps) {
    AgentBlueprint host =
        AgentBlueprint.of(
            MinimalActionPolicy.class,
            PlannerArgs.NONE.role("You look after visitors.").goals("Answer each visitor."))
            .capability(CapabilityBlueprint.of(Blueprint.of(PlanTypes.Desk.TYPE)))
            .stream(
                ConsciousnessStream.bind("conversation", ConversationFormatter.bind())
                    .events(EventContextKeyFilter.bind(ConversationFormatter.USER_CONTEXT_KEY))
                    .actions(ActionKeySubstringFilter.bind(PlanTypes.Desk.ANSWER))
                    .maxEntries(MOST_ENTRIES));
    try (FakeModel model = FakeModel.start()) {
      for (int i = 0; i < steps; i++) {
        model
            .expect()
            .calls(
                PlanTypes.Desk.ANSWER,
                Map.of("message", "The answer to question %d is on the board.".formatted(i)),
                "idle",
                Map.of());
      }
      try (TestAgent agent = TestAgent.of(host).model(model).start()) {
        for (int i = 0; i < steps; i++) {
          Write question =
              Write.of(
                  PlanTypes.Desk.VISITOR + i,
                  JsonNodeFactory.instance.textNode("Question %d: what comes next?".formatted(i)));
          agent.blackboard().write(question).toCompletableFuture().join();
          agent.settle();
        }
      }
      return Shares.of(model);
    }
  }

  private static Shares planner(int steps) {
    AgentBlueprint clerk =
        AgentBlueprint.of(
                MinimalActionPolicy.class, PlannerArgs.NONE.role("You keep the papers in order."))
            .capability(CapabilityBlueprint.of(Blueprint.of(PlanTypes.Desk.TYPE)));
    try (FakeModel model = FakeModel.start()) {
      for (int i = 1; i < steps; i++) {
        model.expect().act(PlanTypes.Desk.WRITE, Map.of("text", "paper number " + i));
      }
      model.expect().complete("done");
      try (TestAgent agent = TestAgent.of(clerk).model(model).start()) {
        agent.run("Write the papers of the day");
      }
      return Shares.of(model);
    }
  }

  /**
   * @param size of results: hits of a search, and a few lines of a page for each
   */
  private static Shares research(int steps, int size) {
    BenchPages pages = BenchPages.make(PAGES, new Random(SEED));
    AgentBlueprint reader =
        AgentBlueprint.of(
                MinimalActionPolicy.class,
                PlannerArgs.NONE.role("You answer from the source text."))
            .capability(
                CapabilityBlueprint.of(
                    Blueprint.bind(PageCapability.class, PageCapability.Source.BOUND)))
            .pages(BenchPages.GROUP);
    try (InMemoryBlackboards boards = new InMemoryBlackboards();
        FakeModel model = FakeModel.start()) {
      for (int i = 1; i < steps; i++) {
        if (i % 2 == 1) {
          model
              .expect()
              .act(
                  "page_search",
                  Map.of("question", "where is value%d weighed?".formatted(i), "limit", size));
        } else {
          model
              .expect()
              .act(
                  "page_fetch",
                  Map.of("page", pages.id(i % PAGES, 0), "from", 1, "lines", LINES * size));
        }
      }
      model.expect().complete("done");
      try (TestAgent agent =
          TestAgent.of(reader).service(PageStore.class, pages.store(boards)).model(model).start()) {
        agent.run("Where are the values weighed?");
      }
      return Shares.of(model);
    }
  }

  private Map<String, Shares> all() {
    Map<String, Shares> all = new LinkedHashMap<>();
    all.put("chat", chat);
    all.put("planner", planner);
    all.put("research", research);
    all.put("outgrown", outgrown);
    return all;
  }

  ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    all().forEach((name, shares) -> json.set(name, shares.toJson()));
    return json.put("asked", ASKED);
  }

  String toText() {
    return String.format(
        Locale.ROOT,
        """
        of each of %d prompts the beginning of the one before; at least %.2f is asked
          chat                  %s
          planner               %s
          research              %s
          with larger results   %s\
        """,
        chat.prompts(),
        ASKED,
        chat.toText(),
        planner.toText(),
        research.toText(),
        outgrown.toText());
  }
}
