package dev.colony.node.entity;

import static dev.colony.node.entity.JournaledAgents.join;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ModelCall;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Registered;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.blackboard.value.Text;
import dev.colony.client.AgentSignal;
import dev.colony.core.lifecycle.Intent;
import dev.colony.node.entity.EntityClient.AcceptReply;
import dev.colony.testkit.FakeModel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Any text that Java and JSON can carry, through every way into what is stored, against a real
 * Redis: it is stored and read back equal, or refused by name; no agent is recovered for it, and
 * nothing is done twice. The JDK's own strict encoder says what can be stored.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoredTextFuzzTest {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final String HALF = "half a surrogate pair at character ";
  private static final int BATCH = 25;

  /** What an input or an output may hold at least as it is, by default. */
  private static final int SMALL_BYTES = 100_000;

  /** What of an output stands in the step's record itself, at most. */
  private static final int INLINE_BYTES = 32 * 1024;

  private static final Pattern NUMBERED = Pattern.compile("#(\\d+)#");
  private static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of(PlayedPolicy.TYPE), Blueprint.of(Echo.TYPE));
  private static final ConsciousnessStream STREAM =
      new ConsciousnessStream("said", null, Map.of(StreamEntry.EVENT, entry -> true), 100_000);

  private final AnyText any = new AnyText();

  /** An empty one is none: the gateway asks again. */
  private final List<String> replies =
      any.texts(of(1_000)).stream().filter(text -> !text.isEmpty()).toList();

  private RedisBlackboards boards;
  private FakeModel model;
  private JournaledAgents world;

  /** Does once what the test says, and counts it under its key. */
  @Registered(Echo.TYPE)
  static final class Echo extends AgentCapability {

    static final String TYPE = "test.echo";
    static final ConcurrentMap<String, Integer> DONE = new ConcurrentHashMap<>();
    static final ConcurrentMap<String, Object> ANSWERS = new ConcurrentHashMap<>();

    Echo(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(effect = Effect.EXTERNAL)
    Object act(ActionContext context) {
      DONE.merge(context.idempotencyKey().value(), 1, Integer::sum);
      Object answer = ANSWERS.get(context.actionId());
      if (answer instanceof RuntimeException failure) {
        throw failure;
      }
      return answer == null ? "done" : answer;
    }
  }

  /** How many texts are tried of those that {@link StoredTextsFuzzTest} tries. */
  int of(int all) {
    return all / 5;
  }

  @BeforeAll
  void start() {
    boards =
        new RedisBlackboards(
            new RedisConnections(TestRedis.shared().uri(), Duration.ofSeconds(20)),
            BlackboardSettings.DEFAULTS);
    model = FakeModel.start();
    model.expect().anyTimes().usage(1, 0, 1).answer(this::reply);
    world =
        new JournaledAgents(
            """
            colony.agent.run.usual.iterations = 100000
            colony.agent.max-output = 16 MiB
            colony.agent.max-recoveries = 3
            """,
            boards,
            model.gateway());
  }

  @AfterAll
  void stop() {
    world.close();
    model.close();
  }

  private String reply(FakeModel.Prompt prompt) {
    Matcher number = NUMBERED.matcher(prompt.text());
    return number.find() ? replies.get(Integer.parseInt(number.group(1))) : "?";
  }

  private static ArrayNode array(List<String> texts) {
    ArrayNode array = JSON.arrayNode();
    texts.forEach(array::add);
    return array;
  }

  private static List<List<String>> batches(List<String> texts) {
    List<List<String>> batches = new ArrayList<>();
    for (int i = 0; i < texts.size(); i += BATCH) {
      batches.add(texts.subList(i, Math.min(texts.size(), i + BATCH)));
    }
    return batches;
  }

  /** The same, of which none is too large for an input or an output. */
  private static List<List<String>> small(List<String> texts) {
    return batches(texts).stream()
        .flatMap(batch ->
            array(batch).toString().getBytes(UTF_8).length < SMALL_BYTES
                ? Stream.of(batch)
                : batch.stream().map(List::of))
        .toList();
  }

  @Test
  void whatARunIsGivenAndEndsWith() {
    AgentId id = world.id("input-" + UUID.randomUUID());
    PlayedPolicy.play(
        id.name(),
        (context, state) ->
            ActionPolicyIterationResult.completed(ActionPolicyOutput.of(state.request().input())));
    ActorRef<AgentMessage> agent = spawn(id);
    List<String> sound = new ArrayList<>();
    for (String text : any.texts(of(3_000))) {
      if (AnyText.whole(text)) {
        sound.add(text);
      } else {
        assertThatThrownBy(() -> world.agents.colony.agent(id).run(array(List.of(text)), options()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("the input cannot be stored: $[0] holds " + HALF);
      }
    }
    for (List<String> batch : small(sound)) {
      RunHandle asked = world.agents.colony.agent(id).run(array(batch), options());
      join(asked.stored());
      String run = asked.runId().value();
      // As a node takes it from the inbox.
      RunRequest request =
          RunRequest.fromJson(
              join(boards.open(id.scope().namespace("test"), "fuzz").read("request:run:" + run))
                  .orElseThrow()
                  .value());
      assertThat(world.accept(agent, id, run, request.input()))
          .isEqualTo(new AcceptReply.Accepted());
      assertThat(world.result(id, run).output()).isEqualTo(array(batch));
    }
    assertThat(world.look(id).incarnation()).isEqualTo(1);
  }

  @Test
  void whatAnActionReturnsItsFailureAndWhatAModelReplies() throws Exception {
    AgentId id = world.id("steps-" + UUID.randomUUID());
    String name = id.name();
    List<Object> answers = new ArrayList<>();
    List<String> sound = new ArrayList<>();
    for (String text : any.texts(of(3_000))) {
      if (AnyText.whole(text)) {
        sound.add(text);
      } else {
        answers.add(text);
      }
    }
    answers.addAll(small(sound));
    any.texts(of(900)).forEach(text -> answers.add(new IllegalStateException(text)));
    List<List<String>> entries =
        batches(any.texts(of(1_600)).stream().filter(AnyText::whole).toList());
    List<List<String>> asked = batches(replies);
    AtomicReference<JsonNode> replayed = new AtomicReference<>();
    CountDownLatch restarted = new CountDownLatch(1);
    CountDownLatch stepped = new CountDownLatch(1);
    for (int i = 0; i < answers.size(); i++) {
      Echo.ANSWERS.put(name + "." + i, answers.get(i));
    }
    PlayedPolicy.play(
        name,
        (context, state) -> {
          int step = state.iterationNum();
          if (step == answers.size()) {
            stepped.countDown();
            restarted.await();
            replayed.set(told(state));
            return ActionPolicyIterationResult.completed(ActionPolicyOutput.of(JSON.nullNode()));
          }
          ObjectNode params = JSON.objectNode();
          if (step < asked.size()) {
            ArrayNode said = JSON.arrayNode();
            for (int i = 0; i < asked.get(step).size(); i++) {
              String prompt = "#" + (step * BATCH + i) + "#";
              ModelCall call = new ModelCall("", List.of(), prompt, Optional.empty(), 100_000);
              said.add(context.agent().inference().infer("c" + i, call).text());
            }
            state.custom().set("r" + step, said);
          }
          if (step < entries.size()) {
            state.consider(STREAM, entry(entries.get(step)));
          }
          Action action = Action.of(name + "." + step, Echo.TYPE + ".act", params);
          return ActionPolicyIterationResult.acted(action, context.dispatcher().dispatch(action));
        });
    ActorRef<AgentMessage> first = spawn(id);
    world.accept(first, id, "r1", JSON.nullNode());
    assertThat(stepped.await(120, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    // What follows is what another incarnation has read from the journal.
    world.stop(first);
    start(id);
    restarted.countDown();
    AgentRun run = world.result(id, "r1");
    assertThat(run.status()).as(run.error().orElse("")).isEqualTo(Status.COMPLETED);

    JsonNode calls = replayed.get().path("calls");
    assertThat(calls.size()).isEqualTo(answers.size());
    for (int i = 0; i < answers.size(); i++) {
      JsonNode call = calls.get(i);
      switch (answers.get(i)) {
        case String half ->
            assertThat(call.path("error").asText())
                .contains("the output cannot be stored: $", HALF);
        case IllegalStateException failure ->
            assertThat(call.path("error").asText()).isEqualTo(line(failure.getMessage()));
        case List<?> batch ->
            assertGiven(
                call.path("output"), array(batch.stream().map(String.class::cast).toList()));
        default -> throw new AssertionError();
      }
      if (i < asked.size()) {
        assertThat(call.path("replies"))
            .isEqualTo(array(asked.get(i).stream().map(Text::wellFormed).toList()));
      }
    }
    assertThat(replayed.get().path("entries").size()).isEqualTo(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      // The stream cuts a large entry before it is stored.
      assertThat(replayed.get().path("entries").get(i))
          .isEqualTo(STREAM.kept(entry(entries.get(i))).content());
    }
    assertThat(Echo.DONE.keySet().stream().filter(key -> key.contains(name)).count())
        .isEqualTo(answers.size());
    assertThat(Echo.DONE.values()).containsOnly(1);
    assertThat(world.look(id).incarnation()).isEqualTo(2);
  }

  private static StreamEntry entry(List<String> texts) {
    return new StreamEntry(StreamEntry.EVENT, Instant.EPOCH, array(texts));
  }

  /** A large output stands on the blackboard, and its beginning in the history. */
  private static void assertGiven(JsonNode output, ArrayNode given) {
    String text = given.toString();
    if (text.getBytes(UTF_8).length <= INLINE_BYTES) {
      assertThat(output).isEqualTo(given);
    } else {
      assertThat(output.textValue()).endsWith("...");
      assertThat(text).startsWith(output.textValue().replaceFirst("\\.\\.\\.$", ""));
    }
  }

  /** Never the text alone: a failure without a message is told by its class. */
  private static String line(String message) {
    return message.isBlank() ? "IllegalStateException" : Text.line(message, 1_000);
  }

  private static JsonNode told(ActionPolicyExecutionState state) {
    ObjectNode told = JSON.objectNode();
    ArrayNode calls = told.putArray("calls");
    for (ActionCall call : state.history()) {
      ObjectNode one = calls.addObject().put("error", call.result().error());
      one.set("output", call.result().output());
      String step = call.action().actionId().substring(call.action().actionId().indexOf('.') + 1);
      one.set("replies", state.custom().path("r" + step));
    }
    ArrayNode entries = told.putArray("entries");
    state.entries(STREAM).forEach(entry -> entries.add(entry.content()));
    return told;
  }

  @Test
  void whatEndsARunIsStatedAndNothingIsDoneTwice() {
    AgentId id = world.id("ends-" + UUID.randomUUID());
    ActorRef<AgentMessage> agent = spawn(id);
    List<String> halves =
        any.texts(of(800)).stream().filter(text -> !AnyText.whole(text)).limit(90).toList();
    for (int i = 0; i < halves.size(); i++) {
      String half = halves.get(i);
      int way = i % 3;
      PlayedPolicy.play(
          id.name(),
          (context, state) -> {
            ObjectNode params = JSON.objectNode();
            if (way == 0) {
              params.put("text", half);
            }
            Action action = Action.of("p", Echo.TYPE + ".act", params);
            var result = context.dispatcher().dispatch(action);
            if (way == 1) {
              state.consider(
                  STREAM, new StreamEntry(StreamEntry.EVENT, Instant.EPOCH, JSON.textNode(half)));
            }
            return way == 2
                ? ActionPolicyIterationResult.completed(
                    ActionPolicyOutput.of(JSON.arrayNode().add(half)))
                : ActionPolicyIterationResult.acted(action, result);
          });
      String run = "r" + i;
      world.accept(agent, id, run, JSON.nullNode());
      AgentRun ended = world.result(id, run);
      assertThat(ended.status()).isEqualTo(Status.FAILED);
      assertThat(ended.error().orElseThrow()).contains("cannot be stored: $", HALF);
    }
    assertThat(Echo.DONE.values()).containsOnly(1);
    assertThat(Echo.DONE.keySet().stream().filter(key -> key.contains(id.name())).count())
        .isEqualTo(halves.size() - (halves.size() + 2) / 3);
    assertThat(world.look(id).incarnation()).isEqualTo(1);
  }

  @Test
  void reasons() {
    AgentId id = world.id("reasons-" + UUID.randomUUID());
    ActorRef<AgentMessage> agent = spawn(id);
    int signal = 0;
    for (String text : any.texts(of(200))) {
      if (!AnyText.whole(text)) {
        assertThatThrownBy(() -> AgentSignal.suspend(id, Optional.empty(), text))
            .hasMessageContaining("the reason holds " + HALF);
        continue;
      }
      String reason = AgentSignal.suspend(id, Optional.empty(), text).reason();
      Position at = new Position(1, ++signal);
      assertThat(
              world.told(
                  agent,
                  replyTo ->
                      new AgentMessage.Apply(
                          new Intent.Suspend(SuspensionCause.EXPLICIT, reason, Optional.empty()),
                          Optional.of(at),
                          replyTo)))
          .isEqualTo(new AcceptReply.Accepted());
      assertThat(world.look(id).reason().orElse("")).isEqualTo(Text.line(reason, 2_000));
      assertThat(
              world.told(
                  agent,
                  replyTo ->
                      new AgentMessage.Apply(
                          new Intent.Resume(OptionalLong.empty(), reason),
                          Optional.empty(),
                          replyTo)))
          .isEqualTo(new AcceptReply.Accepted());
    }
    assertThat(world.look(id).recoveries()).isZero();
  }

  private static RunOptions options() {
    return RunOptions.namespace("test");
  }

  private ActorRef<AgentMessage> spawn(AgentId id) {
    join(world.agents.colony.spawn(id, BLUEPRINT));
    return start(id);
  }

  private ActorRef<AgentMessage> start(AgentId id) {
    return world.start(
        id,
        "node",
        types -> {
          world.types.register(types);
          types.add(Echo.class);
        });
  }
}
