package dev.colony.examples;

import static dev.colony.agent.action.ActionType.Effect.EXTERNAL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.fixture.Guide;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/guides/testing.md: tests as the author of an agent writes them. */
class TestingGuideTest {

  // guide: agent
  /** Where tickets are opened: a system beside Colony. */
  public interface Tickets {

    /** Opens a ticket, once for each key. */
    String open(String text, String key);
  }

  @Registered(value = "docs.desk", summary = "Helps customers.")
  public static final class DeskCapability extends AgentCapability {

    public DeskCapability(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "What a customer has ordered.")
    List<String> orders(@Param("the customer's name") String customer) {
      if (customer.isBlank()) {
        throw new IllegalArgumentException("which customer?");
      }
      return List.of("a lamp for " + customer);
    }

    @ActionExecutor(effect = EXTERNAL, summary = "Opens a ticket.")
    String openTicket(@Param("what is wrong") String text, IdempotencyKey key) {
      return agent().service(Tickets.class).open(text, key.value());
    }
  }

  static final AgentBlueprint DESK =
      AgentBlueprint.of(MinimalActionPolicy.class, PlannerArgs.NONE.role("You help customers."))
          .capability(DeskCapability.class);

  // guide end

  /** Makes the type known, as a service in {@code META-INF/services}. */
  public static final class DeskTypes implements TypeProvider {
    @Override
    public void register(Types types) {
      types.add(DeskCapability.class);
    }
  }

  /** A ticket system of the test. */
  private static final class PlayedTickets implements Tickets {
    private final Map<String, String> byKey = new HashMap<>();

    @Override
    public synchronized String open(String text, String key) {
      return byKey.computeIfAbsent(key, fresh -> "T-" + (byKey.size() + 1));
    }
  }

  @Test
  void thePageShowsWhatRuns() throws Exception {
    Guide.showsWhatRuns(
        "guides/testing.md",
        TestingGuideTest.class,
        ColonyTestingGuideTest.class,
        ContainerGuideTest.class);
  }

  // guide: first
  @Test
  void itLooksUpOrdersBeforeItAnswers() {
    try (FakeModel model = FakeModel.start();
        TestAgent desk = TestAgent.of(DESK).model(model).start()) {
      model.expect("what did Ann buy?").act("docs.desk.orders", Map.of("customer", "Ann"));
      model.expect("a lamp for Ann").complete("Ann bought a lamp.");

      AgentRun run = desk.run(Map.of("goals", "what did Ann buy?"));

      assertThat(run.output().asText()).isEqualTo("Ann bought a lamp.");
      desk.steps()
          .assertActions("docs.desk.orders")
          .assertParameters("docs.desk.orders", Map.of("customer", "Ann"))
          .assertOutput("docs.desk.orders", List.of("a lamp for Ann"))
          .assertNoFailures()
          .assertModelCalls(2);
    }
  }

  // guide end

  // guide: failures
  @Test
  void itTellsTheModelWhatWentWrong() {
    try (FakeModel model = FakeModel.start();
        TestAgent desk = TestAgent.of(DESK).model(model).start()) {
      model.expect("buy?").fail(503);
      model.expect("buy?").cutOff();
      model.expect("buy?").act("docs.desk.orders", Map.of("customer", ""));
      model.expect("which customer?").giveUp("no customer is named");

      AgentRun run = desk.run(Map.of("goals", "what did they buy?"));

      assertThat(run.error()).contains("gave up: no customer is named");
      desk.steps().assertFailed("docs.desk.orders", "which customer?");
    }
  }

  // guide end

  // guide: recorded
  /** {@code mvn test -Dmodel=http://127.0.0.1:8000/v1} asks the server and writes the file anew. */
  static FakeModel recorded(Path file) {
    String server = System.getProperty("model");
    return server == null
        ? FakeModel.replaying(file)
        : FakeModel.recording(URI.create(server), file);
  }

  void itAnswersWhatAnnBought(Path file) {
    try (FakeModel model = recorded(file);
        TestAgent desk = TestAgent.of(DESK).model(model).start()) {
      AgentRun run = desk.run(Map.of("goals", "what did Ann buy?"));

      assertThat(run.output().asText()).isEqualTo("Ann bought a lamp.");
      desk.steps().assertActions("docs.desk.orders");
    }
  }

  // guide end

  @Test
  void whatWasRecordedIsReplayed(@TempDir Path folder) {
    Path file = folder.resolve("ann.jsonl");
    try (FakeModel real = FakeModel.start()) {
      real.expect("what did Ann buy?").act("docs.desk.orders", Map.of("customer", "Ann"));
      real.expect("a lamp for Ann").complete("Ann bought a lamp.");
      System.setProperty("model", real.uri().toString());
      itAnswersWhatAnnBought(file);
    } finally {
      System.clearProperty("model");
    }
    itAnswersWhatAnnBought(file);
  }

  // guide: killed
  @Test
  void itOpensOneTicketWhereverTheProcessDies() {
    int writes =
        KillPoint.walk(point -> {
          PlayedTickets tickets = new PlayedTickets();
          try (FakeModel model = FakeModel.start();
              TestAgent desk =
                  TestAgent.of(DESK)
                      .model(model)
                      .service(Tickets.class, tickets)
                      .killed(point)
                      .start()) {
            model.expect("T-1").anyTimes().complete("We look into it.");
            model.expect().anyTimes().act("docs.desk.open_ticket", Map.of("text", "broken"));

            AgentRun run = desk.run(Map.of("goals", "my lamp is broken"));

            assertThat(run.output().asText()).isEqualTo("We look into it.");
            assertThat(tickets.byKey).hasSize(1);
          }
        });
    assertThat(writes).isGreaterThanOrEqualTo(8);
  }

  // guide end

  // guide: time
  @Test
  void itGivesUpWhenItsTimeIsOver() {
    try (FakeModel model = FakeModel.start();
        TestAgent desk =
            TestAgent.of(DESK.budget(DESK.budget().time(Duration.ofMinutes(10))))
                .model(model)
                .start()) {
      model.expect().idle();

      var run = desk.ask(Map.of("goals", "wait for the customer"));
      desk.settle();
      assertThat(desk.state()).isEqualTo(AgentState.WAITING);

      desk.advance(Duration.ofMinutes(11));
      assertThat(desk.result(run).orElseThrow().status()).isEqualTo(AgentRun.Status.FAILED);
    }
  }

  // guide end

  /** What the page says of a script that does not fit. */
  @Test
  void aScriptThatDoesNotFitFailsTheTestInOneLine() {
    FakeModel model = FakeModel.start();
    try (TestAgent desk = TestAgent.of(DESK).model(model).start()) {
      model.expect("Bob").complete("nothing");
      AgentRun run = desk.run(Map.of("goals", "what did Ann buy?"));
      assertThat(run.error().orElseThrow()).contains("no expectation of the test");
    }
    assertThatThrownBy(model::close)
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("the model was asked what nothing expects: ")
        .hasMessageEndingWith("; was not asked for \"Bob\"")
        .message()
        .doesNotContain("\n");
  }
}
