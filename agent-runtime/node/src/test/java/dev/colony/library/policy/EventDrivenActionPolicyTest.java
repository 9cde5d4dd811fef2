package dev.colony.library.policy;

import static dev.colony.library.policy.PolicyRun.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunRequest;
import dev.colony.agent.SessionId;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.PolicySettings;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EventDrivenActionPolicyTest {

  /** Knows what a chat message is. */
  private static class Chat extends AgentCapability {

    private final List<String> handled = new ArrayList<>();

    Chat(CapabilityContext context) {
      super(context);
    }

    record Message(String message, Optional<String> session) {}

    @EventHandler(pattern = "chat:*", contextKey = "user_chat_message")
    Map<String, String> onMessage(Message message) {
      handled.add(message.message());
      return Map.of("message", message.message());
    }
  }

  /** Fails at every event. */
  private static class Broken extends AgentCapability {

    Broken(CapabilityContext context) {
      super(context);
    }

    @EventHandler(pattern = "chat:*")
    void onMessage(EventBatch.Event event) {
      throw new IllegalStateException("out of order");
    }
  }

  /** Handles the requests of its namespace. */
  private static final class Requests extends AgentCapability {

    Requests(CapabilityContext context) {
      super(context);
    }

    @EventHandler(protocol = AgentRunProtocol.class, contextKey = "request")
    JsonNode onRequest(RunRequest request) {
      return request.input();
    }
  }

  private final TestAgent agent = TestAgent.named("tester");
  private final Chat chat = new Chat(agent.capabilityContext("chat"));
  private final FakeDispatcher dispatcher = FakeDispatcher.notes();
  private final ConsciousnessStream messages = stream("messages", StreamEntry.EVENT);
  private final ConsciousnessStream everything =
      new ConsciousnessStream(
          "everything",
          entries -> entries.size() + " entries",
          Map.of(StreamEntry.EVENT, entry -> true, StreamEntry.ACTION, entry -> true),
          20);

  private static ConsciousnessStream stream(String name, String kind) {
    return new ConsciousnessStream(
        name, entries -> entries.size() + " entries", Map.of(kind, entry -> true), 20);
  }

  private PolicyContext context(ConsciousnessStream... streams) {
    return new PolicyContext(agent, dispatcher, List.of(streams));
  }

  private EventBatch batch(String... values) {
    List<EventBatch.Event> events = new ArrayList<>();
    for (String value : values) {
      events.add(
          new EventBatch.Event(
              "chat:" + events.size(),
              Position.parse("0-" + (events.size() + 1)),
              PolicyRun.AT,
              "user",
              0,
              1,
              Set.of(),
              Optional.of(json(value))));
    }
    return new EventBatch(agent.id().scope(), events, false);
  }

  @Test
  void anAgentThatOnlyReactsHandsEventsOnAndIsIdle() throws Exception {
    agent.with(chat);
    EventDrivenActionPolicy policy = new EventDrivenActionPolicy(context(messages));
    PolicyRun run = new PolicyRun(policy, "woken", batch("{\"message\": \"hi\"}").toJson());
    assertThat(run.next(batch("{\"message\": \"hi\"}", "{\"message\": \"there\"}")).idle())
        .isTrue();
    assertThat(chat.handled).containsExactly("hi", "there");
    assertThat(run.state.received().contexts())
        .extracting(JsonNode::toString)
        .containsExactly(
            "{\"user_chat_message\":{\"message\":\"hi\"}}",
            "{\"user_chat_message\":{\"message\":\"there\"}}");
    assertThat(run.next().idle()).isTrue();
    assertThat(chat.handled).hasSize(2);
    assertThat(policy.takesEvents()).isTrue();
  }

  @Test
  void eachEventIsAnEntryOfEveryStreamWithItsTime() throws Exception {
    agent.with(chat);
    PolicyRun run =
        new PolicyRun(new EventDrivenActionPolicy(context(messages, everything)), json("{}"));
    run.next(batch("{\"message\": \"hi\"}", "{\"message\": \"there\"}"));
    assertThat(run.memory.streams().get("messages")).hasSize(2);
    assertThat(run.memory.streams().get("everything")).hasSize(2);
    assertThat(run.memory.streams().get("messages").getFirst())
        .isEqualTo(
            new StreamEntry(
                StreamEntry.EVENT,
                PolicyRun.AT,
                json("{\"user_chat_message\": {\"message\": \"hi\"}}")));
    assertThat(run.state.received().untaken()).isEmpty();
  }

  @Test
  void whatNoStreamTakesIsSaidToBeUntaken() throws Exception {
    agent.with(chat);
    PolicyRun run =
        new PolicyRun(
            new EventDrivenActionPolicy(context(stream("actions", StreamEntry.ACTION))),
            json("{}"));
    run.next(batch("{\"message\": \"hi\"}"));
    assertThat(run.state.received().untaken()).hasSize(1);
    assertThat(run.memory.streams()).isEmpty();
  }

  @Test
  void anEventBringsItsSessionAndAFieldThatNamesNoneBringsNone() throws Exception {
    agent.with(chat);
    PolicyRun run = new PolicyRun(new EventDrivenActionPolicy(context()), json("{}"));
    run.next(batch("{\"message\": \"hi\", \"session\": \"s-1\"}"));
    assertThat(run.session).contains(new SessionId("s-1"));
    run.next(batch("{\"message\": \"hi\", \"session\": \"no/session\"}", "{\"message\": \"x\"}"));
    assertThat(run.session).contains(new SessionId("s-1"));
  }

  @Test
  void aHandlerAlreadyRunsInTheSessionOfItsEvent() throws Exception {
    List<Optional<SessionId>> seen = new ArrayList<>();
    ActionPolicyExecutionState[] current = new ActionPolicyExecutionState[1];
    ConsciousnessStream watching =
        new ConsciousnessStream(
            "watching",
            entries -> "",
            Map.of(
                StreamEntry.EVENT,
                entry -> {
                  seen.add(current[0].session());
                  return false;
                }),
            20);
    agent.with(chat);
    EventDrivenActionPolicy policy = new EventDrivenActionPolicy(context(watching));
    ActionPolicy capturing =
        state -> {
          current[0] = state;
          return policy.executeIteration(state);
        };
    new PolicyRun(capturing, json("{}"))
        .next(
            batch(
                "{\"message\": \"a\", \"session\": \"s-1\"}",
                "{\"message\": \"b\", \"session\": \"s-2\"}"));
    assertThat(seen).contains(Optional.of(new SessionId("s-1")), Optional.of(new SessionId("s-2")));
  }

  @Test
  void aHandlerThatFailsIsNotedAndTheOthersGoOn() throws Exception {
    agent.with(new Broken(agent.capabilityContext("broken"))).with(chat);
    PolicyRun run = new PolicyRun(new EventDrivenActionPolicy(context(messages)), json("{}"));
    assertThat(run.next(batch("{\"message\": \"hi\"}")).success()).isTrue();
    assertThat(chat.handled).containsExactly("hi");
    assertThat(run.state.received().problems())
        .singleElement()
        .asString()
        .contains("broken failed to handle chat:0", "out of order");
  }

  @Test
  void aCapabilityThatIsPutAwayIsHandedNothing() throws Exception {
    agent.with(chat);
    EventDrivenActionPolicy policy =
        new EventDrivenActionPolicy(context()) {
          @Override
          protected Decision planStep(ActionPolicyExecutionState state) {
            state.disableAgentCapabilities(Set.of("chat"));
            return new Decision.Skip();
          }
        };
    PolicyRun run = new PolicyRun(policy, json("{}"));
    run.next();
    run.next(batch("{\"message\": \"hi\"}"));
    assertThat(chat.handled).isEmpty();
  }

  @Test
  void aRunIsHandedToTheHandlersOfItsNamespaceWhenItBegins() throws Exception {
    CapabilityContext requests =
        new CapabilityContext(
            Optional.of(agent),
            "requests",
            agent.blackboard(agent.id().scope().namespace("compliance")));
    agent.with(new Requests(requests));
    PolicyRun run =
        new PolicyRun(
            new EventDrivenActionPolicy(context(messages)), "compliance", json("{\"query\": 1}"));
    run.next();
    run.next();
    assertThat(run.memory.streams().get("messages"))
        .singleElement()
        .extracting(StreamEntry::content)
        .isEqualTo(json("{\"request\": {\"query\": 1}}"));
  }

  @Test
  void everyActionIsAnEntryOfEveryStream() throws Exception {
    dispatcher.outcome(action ->
        action.actionId().equals("a0")
            ? ActionResult.succeeded("a0", json("\"hello\""))
            : ActionResult.failed(action.actionId(), "closed"));
    EventDrivenActionPolicy policy =
        new EventDrivenActionPolicy(context(messages, everything)) {
          @Override
          protected Decision planStep(ActionPolicyExecutionState state) {
            return new Decision.Act(
                Action.of("a" + state.iterationNum(), "notes.write", json("{}")));
          }
        };
    PolicyRun run = new PolicyRun(policy, json("{}"));
    run.next();
    run.next();
    assertThat(run.memory.streams()).containsOnlyKeys("everything");
    List<StreamEntry> entries = run.memory.streams().get("everything");
    assertThat(entries).extracting(StreamEntry::kind).containsOnly(StreamEntry.ACTION);
    assertThat(entries.get(0).content().path("action_key").asText()).isEqualTo("notes.write");
    assertThat(entries.get(0).content().path("success").asBoolean()).isTrue();
    assertThat(entries.get(0).content().path("output_preview").asText()).isEqualTo("hello");
    assertThat(entries.get(1).content().path("success").asBoolean()).isFalse();
    assertThat(entries.get(1).content().path("error").asText()).isEqualTo("closed");
  }

  @Test
  void aLargeContextIsKeptAsAPreviewForThePolicy() throws Exception {
    agent.with(chat);
    PolicyRun run = new PolicyRun(new EventDrivenActionPolicy(context()), json("{}"));
    run.next(batch("{\"message\": \"" + "x".repeat(50_000) + "\"}"));
    assertThat(run.state.received().contexts().getFirst().toString().length())
        .isLessThan(PolicySettings.CONTEXT_CHARS + 100);
  }

  @Test
  void eventsThatAreLostAreSaidToBe() throws Exception {
    PolicyRun run = new PolicyRun(new EventDrivenActionPolicy(context()), json("{}"));
    run.next(new EventBatch(agent.id().scope(), List.of(), true));
    assertThat(run.state.received().problems()).singleElement().asString().contains("are lost");
  }
}
