package dev.colony.node.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.inference.InferenceGateway;
import dev.colony.testkit.InstantModel;
import dev.colony.testkit.TestColony;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Agents whose code misbehaves end with a reason that they are told by, and the agents beside them
 * answer all the while.
 */
class ContainedAgentTest {

  private static final JsonNode NOTHING = JsonNodeFactory.instance.objectNode();

  /** Narrow bounds. */
  private static final String NARROW =
      """
      pekko.loglevel = OFF
      colony.agent {
        children.max = 5
      }
      """;

  private static TestColony node;
  private static Thread neighbour;
  private static final AtomicBoolean OVER = new AtomicBoolean();
  private static final AtomicInteger ANSWERS = new AtomicInteger();
  private static final AtomicReference<Throwable> SILENCE = new AtomicReference<>();

  @BeforeAll
  static void start() {
    node =
        TestColony.inMemory()
            .onlyTypes(new CulpritTypes())
            .service(InferenceGateway.class, new InstantModel())
            .settings(NARROW)
            .start();
    AgentHandle good = spawn(CulpritTypes.PLAIN);
    neighbour =
        Thread.ofPlatform()
            .start(() -> {
              try {
                while (!OVER.get()) {
                  assertThat(end(good, NOTHING).output().asText()).isEqualTo("well");
                  ANSWERS.incrementAndGet();
                }
              } catch (RuntimeException | AssertionError failure) {
                SILENCE.set(failure);
              }
            });
  }

  /** Nothing is left of them. */
  private static void endLoops() {
    CulpritTypes.ENOUGH.set(true);
    await().untilAsserted(() -> assertThat(CulpritTypes.LOOPING.get()).isZero());
    await()
        .untilAsserted(() ->
            assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("action-")));
    CulpritTypes.ENOUGH.set(false);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    endLoops();
    OVER.set(true);
    neighbour.join();
    node.close();
  }

  /** The neighbour was asked and has answered since. */
  @AfterEach
  void theOthersGoOn() {
    int before = ANSWERS.get();
    await()
        .atMost(30, TimeUnit.SECONDS)
        .until(() -> SILENCE.get() != null || ANSWERS.get() > before + 1);
    assertThat(SILENCE.get()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          throws          | the disk is full
          asserts         | this cannot be
          errs            | an error of its own
          recurses        | StackOverflowError
          shouts          | xxxx
          output          | the output is larger than 524288 bytes
          custom          | larger than 524288 bytes
          custom-external | larger than 524288 bytes
          prompt          | the prompt is larger than 4194304 bytes
          """)
  void aPolicyFailsItsRun(String how, String why) {
    AgentRun run =
        end(spawn(CulpritTypes.PLAIN), JsonNodeFactory.instance.objectNode().put("policy", how));
    failed(run, why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          constructor | throws   | the disk is full
          constructor | errs     | an error of its own
          constructor | recurses | StackOverflowError
          snapshot    | throws   | the disk is full
          snapshot    | errs     | an error of its own
          snapshot    | recurses | StackOverflowError
          snapshot    | returns  | the snapshot of moody is larger than 65536 bytes
          hook        | throws   | the disk is full
          hook        | errs     | an error of its own
          hook        | recurses | StackOverflowError
          handler     | errs     | an error of its own
          """)
  void aCapabilityFailsTheRun(String where, String how, String why) {
    failed(end(spawn(CulpritTypes.misbehaving(where, how)), NOTHING), why);
  }

  @ParameterizedTest
  @CsvSource({"throws", "recurses"})
  void aHandlerThatFailsIsNotedAndTheRunGoesOn(String how) {
    AgentRun run = end(spawn(CulpritTypes.misbehaving("handler", how)), NOTHING);
    assertThat(run.error()).isEmpty();
    assertThat(run.output().asText()).isEqualTo("well");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          raises             | FAILED: the disk is full
          errs               | FAILED: an error of its own
          recurses           | FAILED: it recursed until the stack was full
          blocks             | TIMED_OUT: it took longer than PT1S
          loops              | TIMED_OUT: it took longer than PT0.3S
          returns_much       | FAILED: the output is larger than 4194304 bytes
          emits_much         | FAILED: the event much is larger than 32768 bytes
          publishes_much     | FAILED:
          spawns_without_end | FAILED:
          """)
  void anActionsFaultIsItsResult(String action, String result) {
    AgentHandle agent = spawn(CulpritTypes.PLAIN);
    AgentRun run = end(agent, JsonNodeFactory.instance.objectNode().put("action", action));
    assertThat(run.error()).isEmpty();
    assertThat(run.output().asText()).startsWith(result);
    assertThat(end(agent, NOTHING).output().asText()).isEqualTo("well");
  }

  @Test
  void policiesThatLoopAreCutOffAndLeaveTwoThreadsEachAtMost() {
    endLoops();
    RunBudget brief = RunBudget.OF_NODE.time(Duration.ofMillis(500));
    JsonNode loop = JsonNodeFactory.instance.objectNode().put("policy", "loops");
    List<AgentHandle> loopers = new ArrayList<>();
    for (int i = 0; i <= Runtime.getRuntime().availableProcessors(); i++) {
      loopers.add(spawn(CulpritTypes.PLAIN.budget(brief)));
    }
    for (int round = 0; round < 3; round++) {
      List<RunHandle> runs = loopers.stream().map(agent -> run(agent, loop)).toList();
      runs.forEach(run -> failed(end(run), "the run took longer than PT0.5S"));
      theOthersGoOn();
    }
    // a run whose time is over before it has a thread loops nowhere
    assertThat(CulpritTypes.LOOPING.get()).isBetween(1, 2 * loopers.size());
    endLoops();
    loopers.forEach(agent -> assertThat(end(agent, NOTHING).error()).isEmpty());
  }

  private static void failed(AgentRun run, String why) {
    assertThat(run.status()).isEqualTo(Status.FAILED);
    assertThat(run.error().orElseThrow()).contains(why).hasSizeLessThan(3000);
  }

  private static AgentHandle spawn(AgentBlueprint blueprint) {
    AgentId id = new AgentId("acme", "contained", "a-" + UUID.randomUUID());
    return node.colony().spawn(id, blueprint).toCompletableFuture().join();
  }

  private static AgentRun end(AgentHandle agent, JsonNode input) {
    return end(run(agent, input));
  }

  private static RunHandle run(AgentHandle agent, JsonNode input) {
    return agent.run(input, RunOptions.namespace(CulpritTypes.NAMESPACE));
  }

  private static AgentRun end(RunHandle run) {
    return run.result().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }
}
