package dev.colony.library.policy;

import static dev.colony.library.policy.PolicyRun.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.blackboard.Position;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.ToolCall;
import dev.colony.inference.provider.Attempt;
import dev.colony.inference.provider.ModelServer;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.provider.UsageTally;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.replica.EmbeddedReplicaSettings;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Planning with the embedded replica, over HTTP, as on a laptop without a model server. */
class LaptopPlanningTest {

  private static final Config CONFIG = ConfigFactory.load();

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<String> names = new ArrayList<>();
  private EmbeddedReplica replica;
  private HttpClient http;
  private TestAgent agent;

  @BeforeEach
  void start() throws IOException {
    replica = EmbeddedReplica.start("laptop", EmbeddedReplicaSettings.fromConfig(CONFIG));
    ProviderSettings settings = ProviderSettings.fromConfig(CONFIG);
    http = ModelServer.httpClient(settings, threads);
    ModelServer client = new ModelServer(replica.uri(), settings, http);
    agent = TestAgent.of("tester", (name, call) -> ask(client, name, call));
  }

  @AfterEach
  void stop() {
    replica.close();
    http.close();
    threads.close();
  }

  private String ask(ModelServer client, String name, ModelCall call) {
    names.add(name);
    InferenceRequest request =
        InferenceRequest.of(
            name,
            new Prompt(call.preamble(), List.of(), call.messages()),
            call.reply(),
            CallContext.within(Duration.ofMinutes(1)));
    try {
      return switch (client.complete(
          request, "replica", Duration.ofMinutes(1), part -> {}, new UsageTally())) {
        case Attempt.Answered answered -> said(answered);
        case Attempt.Failed failed -> throw failed.failure();
      };
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private static String said(Attempt.Answered answered) {
    ObjectNode said = JsonNodeFactory.instance.objectNode().put("say", answered.text());
    for (ToolCall call : answered.toolCalls()) {
      ObjectNode one = said.withArray("calls").addObject().put("tool", call.name());
      one.set("arguments", call.arguments());
    }
    return said.toString();
  }

  private PolicyRun run(FakeDispatcher dispatcher, String input, ConsciousnessStream... streams) {
    return new PolicyRun(
        new MinimalActionPolicy(
            new PolicyContext(agent, dispatcher, List.of(streams)), PlannerArgs.NONE),
        json(input));
  }

  @Test
  void theGoalsAreServedOneAfterTheOtherAndTheRunCompletes() throws Exception {
    FakeDispatcher dispatcher =
        FakeDispatcher.notes()
            .outcome(
                found(action ->
                    action.key().equals("notes.search") ? json("[\"buy milk\"]") : json("\"n1\"")));
    PolicyRun run =
        run(
            dispatcher,
            """
            {"goals": ["Store a note that says \\"buy milk\\"", "Find the notes about \\"milk\\""]}
            """);
    ActionPolicyIterationResult last = untilTheEnd(run);
    assertThat(dispatcher.dispatched)
        .containsExactly(
            Action.of("a1", "notes.write", json("{\"text\": \"buy milk\"}")),
            Action.of("a2", "notes.search", json("{\"query\": \"milk\"}")));
    assertThat(last.success()).isTrue();
    assertThat(last.output().orElseThrow().finalResult().asText()).isEqualTo("[\"buy milk\"]");
    assertThat(names).containsExactly("plan", "plan", "plan");
  }

  @Test
  void amongManyActionsTheParametersAreFilledAfterwards() throws Exception {
    List<ActionDescription> others =
        new ArrayList<>(FakeDispatcher.notes().groups().get(0).actions());
    IntStream.range(0, 30)
        .forEach(i ->
            others.add(
                FakeDispatcher.action("gauge.g" + i, "Reads a gauge.", "{\"type\": \"object\"}")));
    FakeDispatcher dispatcher = new FakeDispatcher(new ActionGroup("all", "", others));
    untilTheEnd(run(dispatcher, "{\"goals\": \"Store a note that says \\\"buy milk\\\"\"}"));
    assertThat(dispatcher.dispatched)
        .containsExactly(Action.of("a1", "notes.write", json("{\"text\": \"buy milk\"}")));
    assertThat(names).containsExactly("plan", "parameters", "plan");
  }

  @Test
  void theResultHasTheFieldsThatThePolicyDeclares() throws Exception {
    ActionPolicyIO io = ActionPolicyIO.builder().output("answer", String.class).build();
    PolicyRun run =
        new PolicyRun(
            new MinimalActionPolicy(
                new PolicyContext(agent, FakeDispatcher.notes(), List.of()),
                PlannerArgs.NONE.io(io)),
            json("{\"goals\": \"Find the notes about \\\"milk\\\"\"}"));
    ActionPolicyIterationResult last = untilTheEnd(run);
    assertThat(last.output().orElseThrow().finalResult())
        .isEqualTo(json("{\"answer\": \"done a1\"}"));
  }

  /** Knows what a chat message is. */
  private static final class Chat extends AgentCapability {

    Chat(CapabilityContext context) {
      super(context);
    }

    @EventHandler(pattern = "chat:*", contextKey = "user_chat_message")
    Map<String, JsonNode> onMessage(EventBatch.Event event) {
      return Map.of("message", event.value().orElseThrow());
    }
  }

  @Test
  void anEventIsAnsweredAndTheConversationIsShown() throws Exception {
    agent.with(new Chat(agent.capabilityContext("chat")));
    ConsciousnessStream conversation =
        new ConsciousnessStream(
            "conversation",
            entries ->
                entries.isEmpty()
                    ? ""
                    : "## Conversation\n**User**: "
                        + entries.getLast().content().at("/user_chat_message/message").asText(),
            Map.of(StreamEntry.EVENT, entry -> true),
            20);
    FakeDispatcher dispatcher =
        new FakeDispatcher(
            new ActionGroup(
                "session",
                "",
                List.of(
                    FakeDispatcher.action(
                        "session.respond_to_user",
                        "Answers the user's message.",
                        """
                        {"type": "object", "required": ["text"],
                         "properties": {"text": {"type": "string"}}}
                        """))));
    PlannerArgs args = PlannerArgs.NONE.goals("Answer the user's message");
    PolicyRun run =
        new PolicyRun(
            new MinimalActionPolicy(
                new PolicyContext(agent, dispatcher, List.of(conversation)), args),
            EventBatch.NAMESPACE,
            hello().toJson());
    run.next(hello());
    untilTheEnd(run);
    assertThat(dispatcher.dispatched)
        .containsExactly(
            Action.of("a1", "session.respond_to_user", json("{\"text\": \"hello there\"}")));
  }

  private EventBatch hello() {
    return new EventBatch(
        agent.id().scope(),
        List.of(
            new EventBatch.Event(
                "chat:1",
                Position.parse("0-1"),
                PolicyRun.AT,
                "user",
                0,
                1,
                Set.of(),
                Optional.of(json("\"hello there\"")))),
        false);
  }

  private static Function<Action, ActionResult> found(Function<Action, JsonNode> output) {
    return action -> ActionResult.succeeded(action.actionId(), output.apply(action));
  }

  private static ActionPolicyIterationResult untilTheEnd(PolicyRun run) throws Exception {
    for (int i = 0; i < 10; i++) {
      ActionPolicyIterationResult result = run.next();
      if (result.policyCompleted()) {
        return result;
      }
    }
    throw new AssertionError("no end after 10 iterations: " + run.history);
  }
}
