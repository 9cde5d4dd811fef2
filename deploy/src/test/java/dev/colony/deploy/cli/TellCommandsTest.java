package dev.colony.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentHandle;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.agent.client.AgentSignal;
import dev.colony.agent.client.ColonyClient;
import dev.colony.agent.inspect.HistoryEntry;
import dev.colony.agent.inspect.HistoryPage;
import dev.colony.agent.inspect.Past;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.agent.lifecycle.LifecycleCommand;
import dev.colony.agent.lifecycle.Parked;
import dev.colony.agent.step.StepDelta;
import dev.colony.agent.suspension.Approval;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.suspension.Suspension;
import dev.colony.agent.suspension.SuspensionCause;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.deploy.cli.ColonyProcess.Finished;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the commands do that tell an agent something, or follow a run of it. */
class TellCommandsTest {

  private static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("test.policy"));
  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private static AgentsRig rig;

  private AgentId id;

  @BeforeAll
  static void start() {
    rig = new AgentsRig();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void spawn() {
    id = new AgentId("acme", "told", "a-" + UUID.randomUUID());
    rig.spawn(id, BLUEPRINT);
    rig.born(id, BLUEPRINT);
  }

  @Test
  void anAgentIsSuspendedUntilSomethingHappens() {
    Thread taking =
        taking(
            suspended(SuspensionCause.EXPLICIT, Optional.of(new ResumptionCondition.Custom("go"))));
    Finished done =
        done("suspend", id.toString(), "--reason", "over night", "--until", "signal:go");
    assertThat(done.out()).isEqualTo(id + " is suspended until the signal go\n");
    join(taking);
    assertThat(signals())
        .containsExactly(
            new AgentSignal.Suspend(
                id, Optional.of(new ResumptionCondition.Custom("go")), "over night"));
    assertThat(done("suspend", id.toString(), "--until", "signal:go").out())
        .isEqualTo(id + " is suspended already\n");
    String shown = rig.agents("show", id.toString()).out();
    assertThat(shown).contains("since", "cause explicit", "until     the signal go");
    JsonNode json = rig.agents("show", id.toString(), "--json").json();
    assertThat(json.path("suspension").path("cause").asText()).isEqualTo("EXPLICIT");
    assertThat(json.path("suspension").path("until").path("key").asText()).isEqualTo("go");
  }

  @Test
  void whatIsNotTakenYetIsSaid() {
    Finished told = rig.colony("suspend", id.toString(), "--wait", "1ms");
    assertThat(told.status()).isEqualTo(1);
    assertThat(told.out()).isEqualTo(id + " is told, and has not taken it yet: it is IDLE\n");
    JsonNode json = rig.colony("suspend", id.toString(), "--wait", "1ms", "--json").json();
    assertThat(json.path("taken").asBoolean(true)).isFalse();
    assertThat(json.path("id").asText()).isEqualTo(id.toString());
    rig.journal(id, suspended(SuspensionCause.EXPLICIT, Optional.empty()));
    notTaken("SUSPENDED", "resume", id.toString());
  }

  /** Another condition, or another cause, is another suspension. */
  @Test
  void whatTakesThePlaceOfASuspensionIsTold() {
    ResumptionCondition go = new ResumptionCondition.Custom("go");
    rig.journal(id, suspended(SuspensionCause.PAGES, Optional.of(go)));
    notTaken("SUSPENDED", "suspend", id.toString(), "--until", "signal:go");
    rig.journal(id, suspended(SuspensionCause.EXPLICIT, Optional.of(go)));
    notTaken("SUSPENDED", "suspend", id.toString(), "--until", "signal:stay");
    assertThat(done("suspend", id.toString(), "--until", "signal:go").out())
        .isEqualTo(id + " is suspended already\n");
  }

  private void notTaken(String state, String... line) {
    List<String> impatient = new ArrayList<>(List.of(line));
    impatient.addAll(List.of("--wait", "1ms"));
    Finished told = rig.colony(impatient.toArray(String[]::new));
    assertThat(told.status()).isEqualTo(1);
    assertThat(told.out())
        .isEqualTo("%s is told, and has not taken it yet: it is %s\n".formatted(id, state));
  }

  @Test
  void severalConditionsAreAnyOfThem() {
    rig.colony(
        "suspend",
        id.toString(),
        "--wait",
        "1ms",
        "--until",
        "ended:acme/told/b",
        "--until",
        "at:2027-01-01T00:00:00Z",
        "--until",
        "approval:pay",
        "--until",
        "{\"type\":\"IMMEDIATE\"}");
    AgentSignal.Suspend told = (AgentSignal.Suspend) signals().getFirst();
    assertThat(told.until()).containsInstanceOf(ResumptionCondition.AnyOf.class);
    assertThat(told.until().orElseThrow().leaves())
        .hasSize(4)
        .contains(
            new ResumptionCondition.Approved("pay", Optional.of(Position.BEGINNING)),
            new ResumptionCondition.Immediate());
  }

  @Test
  void aSuspendedAgentGoesOn() {
    Rig.assertOneLine(rig.colony("resume", id.toString()), 1, id + " is not suspended: it is IDLE");
    rig.journal(id, suspended(SuspensionCause.EXPLICIT, Optional.empty()));
    assertThat(rig.agents("show", id.toString()).out()).contains("until     somebody resumes it");
    Thread taking =
        taking(
            new AgentEvent.Transitioned(
                LifecycleCommand.RESUME,
                AgentState.SUSPENDED,
                AgentState.IDLE,
                "",
                Optional.empty(),
                0,
                AgentsRig.START));
    assertThat(done("resume", id.toString()).out()).isEqualTo(id + " goes on\n");
    join(taking);
  }

  @Test
  void anAgentWithoutItsPagesIsNotResumed() {
    rig.journal(id, suspended(SuspensionCause.PAGES, Optional.empty()));
    Rig.assertOneLine(rig.colony("resume", id.toString()), 1, "when its pages are in a cache");
    assertThat(signals()).isEmpty();
  }

  @Test
  void aPersonApprovesWhatIsAskedFor() {
    Rig.assertOneLine(rig.colony("approve", id.toString()), 1, "asks for nothing: it is IDLE");
    asking("pay-42");
    assertThat(rig.agents("show", id.toString()).out())
        .contains("asks      pay-42: colony approve " + id + " pay-42");
    assertThat(rig.agents("show", id.toString(), "--json").json().path("asks").path(0).asText())
        .isEqualTo("pay-42");
    Rig.assertOneLine(
        rig.colony("approve", id.toString(), "other"), 1, "does not ask for other, but for pay-42");
    Thread taking =
        taking(
            new AgentEvent.Approved(
                new Approval("pay-42", true, "ann", "once", AgentsRig.START), AgentsRig.START));
    Finished done = done("approve", id.toString(), "--by", "ann", "--note", "once");
    assertThat(done.out()).isEqualTo("pay-42 is approved of " + id + "\n");
    join(taking);
    assertThat(signals())
        .containsExactly(new AgentSignal.Approve(id, "pay-42", true, "ann", "once"));
  }

  /** It has spent that, too, when the command looks. */
  @Test
  void aPersonAllowsABudgetOnceMore() {
    rig.journal(
        id,
        new AgentEvent.RunAccepted(AgentsRig.request(id, "r1"), 1, AgentsRig.START),
        suspended(SuspensionCause.BUDGET, Optional.of(new ResumptionCondition.Approved("budget"))));
    Thread taking =
        taking(
            new AgentEvent.Approved(
                new Approval("budget", true, "ann", "", AgentsRig.START), AgentsRig.START));
    assertThat(done("approve", id.toString(), "--by", "ann").out())
        .isEqualTo("budget is approved of " + id + "\n");
    join(taking);
  }

  @Test
  void aPersonDeniesOneOfSeveralThings() {
    asking("pay-42", "ship-7");
    Rig.assertOneLine(
        rig.colony("deny", id.toString()), 2, "several things, name one: pay-42, ship-7");
    notTaken("WAITING", "deny", id.toString(), "ship-7", "--by", "ann");
    assertThat(signals()).containsExactly(new AgentSignal.Approve(id, "ship-7", false, "ann", ""));
  }

  @Test
  void aSignalIsGiven() {
    assertThat(done("signal", id.toString(), "go", "--reason", "412 files").out())
        .isEqualTo("the signal go is given to " + id + "\n");
    assertThat(signals()).containsExactly(new AgentSignal.Custom(id, "go", "412 files"));
  }

  @Test
  void aRunIsCancelledThatIsUnderWay() {
    Rig.assertOneLine(rig.colony("cancel", id.toString()), 1, id + " has no run under way");
    Rig.assertOneLine(rig.colony("cancel", id.toString(), "r9"), 1, id + " has no run r9");
    request("r1");
    rig.journal(id, new AgentEvent.RunAccepted(AgentsRig.request(id, "r1"), 1, AgentsRig.START));
    Thread taking =
        taking(new AgentEvent.CancelRequested(new RunId("r1"), "late", 1, AgentsRig.START));
    assertThat(done("cancel", id.toString(), "--reason", "late").out())
        .isEqualTo("run r1 of " + id + " is cancelled\n");
    join(taking);
    assertThat(signals())
        .containsExactly(new AgentSignal.CancelRun(id, "work", new RunId("r1"), "late"));
  }

  @Test
  void aRunThatEndsBeforeItIsCancelledHasEnded() {
    rig.journal(id, new AgentEvent.RunAccepted(AgentsRig.request(id, "r1"), 1, AgentsRig.START));
    notTaken("RUNNING", "cancel", id.toString());
    Thread ending =
        Thread.startVirtualThread(() -> {
          await().atMost(ColonyProcess.LONGEST).until(() -> signals().size() > 1);
          complete("r1");
        });
    assertThat(done("cancel", id.toString()).out()).contains("run r1 of " + id);
    join(ending);
  }

  @Test
  void aRunThatHasEndedIsNotCancelled() {
    request("r1");
    complete("r1");
    Rig.assertOneLine(
        rig.colony("cancel", id.toString(), "r1"), 1, "run r1 has ended: it is COMPLETED");
  }

  @Test
  void aRunIsFollowedToItsEndAndAgainFromAnyPlace() {
    request("r1");
    write(PROTOCOL.eventKey("r1", "found"), TextNode.valueOf("one\u001b[2J"));
    write(PROTOCOL.eventKey("r1", "found"), TextNode.valueOf("two"));
    complete("r1");
    List<String> lines = done("attach", id.toString(), "r1").out().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).endsWith("  found  \"one\\u001B[2J\"");
    assertThat(lines.get(2)).endsWith("  completed  \"done\"");
    List<JsonNode> events =
        done("attach", id.toString(), "r1", "--json")
            .out()
            .lines()
            .map(line -> new Finished(0, line, "").json())
            .toList();
    assertThat(events)
        .extracting(event -> event.path("end").asBoolean())
        .containsExactly(false, false, true);
    Finished rest =
        done(
            "attach",
            id.toString(),
            "r1",
            "--namespace",
            "work",
            "--after",
            events.get(1).path("token").asText());
    assertThat(rest.out()).isEqualTo(lines.get(2) + "\n");
    request("r3");
    write(
        PROTOCOL.resultKey("r3"), AgentRun.failed(new RunId("r3"), "lost", RunStats.NONE).toJson());
    assertThat(rig.colony("attach", id.toString(), "r3").status()).isEqualTo(1);
    Rig.assertOneLine(rig.colony("attach", id.toString(), "r2"), 1, id + " has no run r2");
    Rig.assertOneLine(
        rig.colony("attach", id.toString(), "r2", "--namespace", "work"), 1, "there is no run r2");
    Rig.assertOneLine(
        rig.colony("attach", id.toString(), "r1", "--after", "x"), 2, "no token of the events");
  }

  @Test
  void anAgentIsForkedFromAnyPlaceOfItsPast() {
    AgentId fork = new AgentId(id.tenant(), id.colony(), "f-" + UUID.randomUUID());
    Rig.assertOneLine(
        rig.colony("fork", id.toString(), fork.name(), "--at", "99"), 1, "has come to 3");
    assertThat(rig.colony("fork", id.toString(), fork.name(), "--wait", "1ms").out())
        .isEqualTo(fork + " is told, and has not taken it yet: it is INITIALIZED\n");
    rig.born(fork, BLUEPRINT);
    assertThat(done("fork", id.toString(), fork.name(), "--at", "3").out())
        .isEqualTo("%s is a fork of %s at 3\n".formatted(fork, id));
    Rig.assertOneLine(
        rig.colony("fork", id.toString(), fork.name(), "--at", "2"),
        1,
        "there is an agent " + fork);
    Rig.assertOneLine(rig.colony("fork", id.toString(), "a b"), 2, "a b");
    Rig.assertOneLine(
        rig.colony("fork", "acme/told/ghost", "x"), 1, "there is no agent acme/told/ghost");
  }

  @Test
  void aProgramReadsThePastWithTheUrlOfRedisAlone() {
    rig.journal(id, suspended(SuspensionCause.EXPLICIT, Optional.empty()));
    try (ColonyClient client = ColonyClient.connect(rig.redisUri())) {
      AgentHandle agent = client.colony().agent(id);
      HistoryPage page = agent.history(Optional.empty(), 10).toCompletableFuture().join();
      assertThat(page.entries()).extracting(HistoryEntry::sequenceNr).endsWith(4L);
      Past.Known before = (Past.Known) agent.at(3).toCompletableFuture().join();
      assertThat(before.agent().snapshot().state()).isEqualTo(AgentState.IDLE);
      assertThat(agent.at(9).toCompletableFuture().join()).isInstanceOf(Past.NotYet.class);
    }
  }

  @Test
  void agentsThatAreNotThereOrHaveEndedAreToldNothing() {
    for (String command : List.of("suspend", "resume", "approve", "deny", "cancel")) {
      Rig.assertOneLine(
          rig.colony(command, "acme/told/ghost"), 1, "there is no agent acme/told/ghost");
    }
    rig.journal(
        id,
        new AgentEvent.Transitioned(
            LifecycleCommand.STOP,
            AgentState.IDLE,
            AgentState.STOPPED,
            "enough",
            Optional.empty(),
            1,
            AgentsRig.START));
    for (String command : List.of("suspend", "resume", "approve", "deny")) {
      Rig.assertOneLine(
          rig.colony(command, id.toString()), 1, id + " has ended: it is STOPPED, enough");
    }
  }

  @Test
  void whatCannotBeUsedIsRefusedInOneLine() {
    for (String until : List.of("go", "signal:", "at:noon", "in:long", "ended:b", "{", "{}")) {
      Rig.assertOneLine(
          rig.colony("suspend", id.toString(), "--until", until), 2, "give signal:NAME");
    }
    Rig.assertOneLine(rig.colony("suspend", "boss"), 2, "tenant/colony/name");
    Rig.assertOneLine(rig.colony("suspend"), 2, "AGENT");
    Rig.assertOneLine(rig.colony("signal", id.toString()), 2, "NAME");
    Rig.assertOneLine(rig.colony("signal", id.toString(), "a b"), 2, "a b");
    Rig.assertOneLine(rig.colony("attach", id.toString(), "a b"), 2, "a b");
    Rig.assertOneLine(rig.colony("resume", id.toString(), "--wait", "soon"), 2, "90s or 2h");
  }

  /** Plays the node: journals something once the agent has been told. */
  private Thread taking(AgentEvent event) {
    return Thread.startVirtualThread(() -> {
      await().atMost(ColonyProcess.LONGEST).until(() -> !signals().isEmpty());
      rig.journal(id, event);
    });
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  private AgentEvent suspended(SuspensionCause cause, Optional<ResumptionCondition> until) {
    return new AgentEvent.Transitioned(
        LifecycleCommand.SUSPEND,
        AgentState.IDLE,
        AgentState.SUSPENDED,
        "over night",
        Optional.of(new Suspension(1, cause, "over night", until, AgentsRig.START)),
        0,
        AgentsRig.START);
  }

  /** Its run waits for a word on each of these. */
  private void asking(String... requests) {
    ResumptionCondition all =
        new ResumptionCondition.All(
            List.of(requests).stream()
                .<ResumptionCondition>map(ResumptionCondition.Approved::new)
                .toList());
    rig.journal(
        id,
        new AgentEvent.RunAccepted(AgentsRig.request(id, "r1"), 1, AgentsRig.START),
        new AgentEvent.StepCompleted(
            0,
            Optional.empty(),
            StepDelta.NONE,
            Optional.empty(),
            Optional.of(
                new Parked(false, "needs a word", List.of(), Optional.of(all), AgentsRig.START)),
            Optional.empty(),
            AgentsRig.START));
  }

  private void request(String run) {
    write(PROTOCOL.requestKey(id.name(), run), AgentsRig.request(id, run).toJson());
  }

  private void complete(String run) {
    AgentRun ended =
        AgentRun.completed(
            new RunId(run), JsonNodeFactory.instance.textNode("done"), RunStats.NONE);
    write(PROTOCOL.resultKey(run), ended.toJson());
  }

  private void write(String key, JsonNode value) {
    Blackboard board = rig.blackboards().open(id.scope().namespace("work"), id.persistenceId());
    board.write(Write.of(key, value)).toCompletableFuture().join();
  }

  /** What the agent has been told. */
  private List<AgentSignal> signals() {
    var inbox = rig.blackboards().inbox();
    return IntStream.range(0, inbox.buckets())
        .mapToObj(bucket -> inbox.pending(bucket, 10_000).toCompletableFuture().join())
        .flatMap(List::stream)
        .filter(message -> message.recipient().equals(id.persistenceId()))
        .filter(InboxMessage.Request.class::isInstance)
        .flatMap(message -> AgentSignal.of((InboxMessage.Request) message).stream())
        .toList();
  }

  private static Finished done(String... arguments) {
    Finished finished = rig.colony(arguments);
    assertThat(finished.status()).as(finished.err()).isZero();
    return finished;
  }
}
