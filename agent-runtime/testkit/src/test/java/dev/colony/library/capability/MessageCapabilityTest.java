package dev.colony.library.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.blackboard.Blackboards;
import dev.colony.library.capability.MessageCapability.Message;
import dev.colony.library.capability.MessageCapability.Message.Kind;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.TestColony;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What agents tell each other comes, once, and is waited for durably. */
class MessageCapabilityTest {

  private static final AgentId ALICE = new AgentId("test", "test", "alice");
  private static final AgentId BOB = new AgentId("test", "test", "bob");
  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(2));

  private static AgentBlueprint agent(ScriptedRule... rules) {
    return AgentBlueprint.of(ScriptedActionPolicy.class, Script.of(rules))
        .capability(MessageCapability.bind());
  }

  /** Asks until it is answered, and gives the answer. */
  private static AgentBlueprint asking() {
    Object[] params = {"to", "bob", "body", "how many?"};
    return agent(
        ScriptedRule.first().act("message_ask", params),
        ScriptedRule.after("message_ask").succeeded().complete("$reply.body"),
        ScriptedRule.after("message_ask").unsuccessful().act("message_ask", params));
  }

  private static final AgentBlueprint SILENT = agent(ScriptedRule.otherwise().idle());

  /** An agent alone, beside another one that does not run. */
  private static TestAgent.Builder alone(AgentBlueprint blueprint) {
    return TestAgent.of(blueprint).id(ALICE);
  }

  private static Mailbox mailbox(TestAgent agent, AgentId owner) {
    return new Mailbox(owner, agent.blackboard(Mailbox.scopeOf(owner)), 1_000);
  }

  private static void bobExists(TestAgent agent) {
    agent.colony().spawn(BOB, SILENT).join();
  }

  @Test
  void aQuestionIsAnsweredByTheAgentThatItWakes() {
    try (TestColony colony = TestColony.inMemory().start()) {
      colony.spawn(
          "bob",
          agent(
              ScriptedRule.on("message")
                  .act("message_reply", "answering", "$event.id", "body", Map.of("count", 42)),
              ScriptedRule.otherwise().idle()));
      AgentHandle alice = colony.spawn("alice", asking());
      AgentRun run = alice.run(Map.of(), OPTIONS).join();
      assertThat(run.output()).isEqualTo(json("count", 42));
      Mailbox bobs =
          new Mailbox(BOB, colony.blackboards().open(Mailbox.scopeOf(BOB), "test"), 1_000);
      assertThat(bobs.unread()).as("what was shown counts as read").isEmpty();
    }
  }

  private static JsonNode json(String name, int value) {
    return JsonNodeFactory.instance.objectNode().put(name, value);
  }

  @Test
  void whoAsksIsSuspendedUntilTheReplyComes() {
    try (TestAgent alice = alone(asking()).start()) {
      bobExists(alice);
      RunId run = alice.ask(Map.of());
      alice.settle();
      assertThat(alice.state()).isEqualTo(AgentState.SUSPENDED);
      alice.crash();
      List<Message> asked = mailbox(alice, BOB).unread();
      assertThat(asked)
          .singleElement()
          .satisfies(question -> {
            assertThat(question.from()).isEqualTo("alice");
            assertThat(question.kind()).isEqualTo(Kind.ASK);
          });
      mailbox(alice, ALICE)
          .deliver(
              MessageCapability.replyTo(asked.getFirst().id()),
              new Message.Stored(
                  Kind.TELL, TextNode.valueOf("nine"), Optional.of(asked.getFirst().id()), 0));
      alice.settle();
      assertThat(alice.result(run)).map(AgentRun::output).contains(TextNode.valueOf("nine"));
      assertThat(mailbox(alice, BOB).unread()).as("asked again, the same question").hasSize(1);
    }
  }

  @Test
  void theTimeForAReplyEnds() {
    AgentBlueprint impatient =
        agent(
            ScriptedRule.first().act("message_ask", "to", "bob", "body", "?", "seconds", 60),
            ScriptedRule.after("message_ask").where("again", true).unsuccessful().fail("no reply"),
            ScriptedRule.after("message_ask")
                .set("again", true)
                .act("message_ask", "to", "bob", "body", "?", "seconds", 60));
    try (TestAgent alice = alone(impatient).start()) {
      bobExists(alice);
      RunId run = alice.ask(Map.of());
      alice.settle();
      assertThat(alice.result(run)).isEmpty();
      alice.advance(Duration.ofSeconds(61));
      assertThat(alice.result(run)).map(AgentRun::status).contains(AgentRun.Status.FAILED);
      assertThat(alice.steps().actions("message_ask").getLast().error().orElseThrow())
          .contains("bob has not replied");
    }
  }

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void aMessageIsThereOnceWhereverItsSenderDies(KillPoint.Side side) {
    int writes =
        KillPoint.walk(
            side,
            point -> {
              AgentBlueprint telling =
                  agent(
                      ScriptedRule.first().act("message_send", "to", "bob", "body", "hello"),
                      ScriptedRule.otherwise().complete("told"));
              try (TestAgent alice = alone(telling).killed(point).start()) {
                bobExists(alice);
                assertThat(alice.run(Map.of()).output().asText()).isEqualTo("told");
                assertThat(mailbox(alice, BOB).unread()).hasSize(1);
              }
            });
    assertThat(writes).isGreaterThanOrEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void aMessageIsShownToItsReaderWhereverThatDies(KillPoint.Side side) {
    KillPoint.walk(
        side,
        point -> {
          AgentBlueprint noting =
              agent(
                  ScriptedRule.on("message")
                      .act("message_reply", "answering", "$event.id", "body", "heard"),
                  ScriptedRule.otherwise().idle());
          try (TestAgent alice = alone(noting).killed(point).start()) {
            bobExists(alice);
            mailbox(alice, ALICE)
                .deliver(
                    "m-1",
                    new Message.Stored(Kind.TELL, TextNode.valueOf("x"), Optional.empty(), 0));
            alice.settle();
            assertThat(mailbox(alice, ALICE).unread()).isEmpty();
            alice.steps().assertActions("message_reply");
          }
        });
  }

  @Test
  void messagesAreReceivedOldestFirstAndOnce() {
    AgentBlueprint reading =
        agent(
            ScriptedRule.first().act("message_receive", "wait", true),
            ScriptedRule.after("message_receive").succeeded().complete("$messages"),
            ScriptedRule.after("message_receive").unsuccessful().act("message_receive"));
    try (TestAgent alice = alone(reading).start()) {
      Mailbox own = mailbox(alice, ALICE);
      RunId run = alice.ask(Map.of());
      alice.settle();
      assertThat(alice.state()).as("there is none").isEqualTo(AgentState.SUSPENDED);
      for (String id : List.of("m-b", "m-a")) {
        own.deliver(id, new Message.Stored(Kind.TELL, TextNode.valueOf(id), Optional.empty(), 0));
      }
      alice.settle();
      assertThat(own.unread()).isEmpty();
      assertThat(alice.result(run)).map(AgentRun::status).contains(AgentRun.Status.COMPLETED);
    }
  }

  @Test
  void agentsAgreeOnTermsAcrossAColony() {
    Object[] offer = {"move", "PROPOSE", "with", "bob", "terms", Map.of("price", 10)};
    AgentBlueprint buyer =
        agent(
            ScriptedRule.first().act("negotiate", offer),
            ScriptedRule.after("negotiate").unsuccessful().act("negotiate", offer),
            ScriptedRule.after("negotiate").where("countered", true).complete("$negotiation"),
            ScriptedRule.after("negotiate")
                .succeeded()
                .set("countered", true)
                .act("negotiate", "move", "ACCEPT", "answering", "$negotiation.answering"));
    AgentBlueprint seller =
        agent(
            ScriptedRule.on("message")
                .act(
                    "negotiate",
                    "move",
                    "PROPOSE",
                    "answering",
                    "$event.id",
                    "terms",
                    Map.of("price", 12)),
            ScriptedRule.otherwise().idle());
    try (TestColony colony = TestColony.inMemory().start()) {
      colony.spawn("bob", seller);
      AgentRun run = colony.spawn("alice", buyer).run(Map.of(), OPTIONS).join();
      assertThat(run.output().path("state").asText()).isEqualTo("AGREED");
      assertThat(run.output().path("terms")).isEqualTo(json("price", 12));
      assertThat(run.output().path("round").asInt()).isEqualTo(2);
    }
  }

  @Test
  void whatCannotBeSentIsRefusedInALine() {
    refused("carol", "x", "there is no agent carol in this colony");
    refused("a/b", "x", "there is no agent a/b in this colony");
    refused("alice", "x", "an agent writes no messages to itself");
    refused("bob", "x".repeat(20_001), "a message has at most 20000 characters");
  }

  private static void refused(String to, String body, String why) {
    AgentBlueprint telling =
        agent(
            ScriptedRule.first().act("message_send", "to", to, "body", body),
            ScriptedRule.otherwise().complete("over"));
    try (TestAgent alice = alone(telling).start()) {
      bobExists(alice);
      alice.run(Map.of());
      alice.steps().assertFailed("message_send", why);
    }
  }

  @Test
  void aMailboxIsBoundedByWhatIsUnread() {
    try (Blackboards boards = new InMemoryBlackboards()) {
      Mailbox full = new Mailbox(BOB, boards.open(Mailbox.scopeOf(BOB), ALICE.persistenceId()), 2);
      Message.Stored text =
          new Message.Stored(Kind.TELL, TextNode.valueOf("x"), Optional.empty(), 0);
      full.deliver("m-1", text);
      full.deliver("m-1", text);
      full.deliver("m-2", text);
      assertThatThrownBy(() -> full.deliver("m-3", text))
          .isInstanceOfSatisfying(AgentException.class, why -> assertThat(why.retryable()).isTrue())
          .hasMessage("the mailbox of bob is full: 2 messages wait in it unread");
      assertThat(full.take("m-1")).map(Message::from).contains("alice");
      full.take("m-1");
      full.deliver("m-3", text);
      assertThat(full.unread()).extracting(Message::id).containsExactly("m-2", "m-3");
      assertThatThrownBy(() ->
              full.deliver(
                  "m-2", new Message.Stored(Kind.TELL, TextNode.valueOf("y"), Optional.empty(), 0)))
          .hasMessageContaining("has another message m-2 already");
    }
  }

  @Test
  void aMailboxThatNoOtherAgentWouldFindIsRefused() {
    AgentBlueprint elsewhere =
        AgentBlueprint.of(ScriptedActionPolicy.class, Script.of(ScriptedRule.otherwise().idle()))
            .capability(MessageCapability.class);
    assertThatThrownBy(() -> alone(elsewhere).start())
        .hasMessageContaining("works in the namespace mail of its agent only");
  }
}
