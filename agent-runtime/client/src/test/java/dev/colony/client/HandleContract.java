package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What a handle promises, wherever its holder is, whichever the blackboard and the transport. */
public abstract class HandleContract extends FollowingContract {

  @Test
  void theSameKeyIsTheSameRunWhoeverAsks() throws Exception {
    RunOptions keyed = OPTIONS.idempotencyKey("order 42: " + id);
    JsonNode input = JsonNodeFactory.instance.objectNode().put("amount", 7).put("rate", 0.5);
    JsonNode same = JsonNodeFactory.instance.objectNode().put("rate", 0.5).put("amount", 7L);
    RunHandle first = agent.run(input, keyed);
    get(first.stored());
    RunHandle second = colony(id).agent(id).run(same, keyed.requestedBy("another"));
    get(second.stored());
    assertThat(second.runId()).isEqualTo(first.runId());
    assertThat(requests()).hasSize(1);
    played.complete(first.runId(), INPUT);
    assertThat(get(second.result())).isEqualTo(get(first.result()));
    assertThat(get(agent.run(input, keyed).result()).output()).isEqualTo(INPUT);

    refused(agent.run(TextNode.valueOf("other"), keyed), "was asked for by client with another");
    assertThat(agent.run(input, RunOptions.namespace("else").idempotencyKey("k")).runId())
        .isNotEqualTo(agent.run(input, OPTIONS.idempotencyKey("k")).runId());
    AgentHandle neighbour = colony(id).agent(new AgentId("acme", "handles", "neighbour"));
    assertThat(neighbour.run(input, OPTIONS.idempotencyKey("k")).runId())
        .isNotEqualTo(agent.run(input, OPTIONS.idempotencyKey("k")).runId());
  }

  /** An input as its caller has it. */
  private record Order(String query, List<Integer> pages, Duration within) {}

  private record Unwritable() {
    @JsonProperty
    String why() {
      throw new IllegalStateException("not told");
    }
  }

  @Test
  void anInputIsAnyValueThatIsWrittenAsJson() {
    RunHandle record = agent.run(new Order("auth", List.of(1, 2), Duration.ofMinutes(1)), OPTIONS);
    RunHandle map = agent.run(Map.of("query", "auth"), OPTIONS);
    RunHandle none = agent.run(null, OPTIONS);
    List.of(record, map, none).forEach(run -> run.stored().join());
    assertThat(requests())
        .extracting(entry -> RunRequest.fromJson(entry.value()).input().toString())
        .containsExactlyInAnyOrder(
            "{\"query\":\"auth\",\"pages\":[1,2],\"within\":\"PT1M\"}",
            "{\"query\":\"auth\"}",
            "null");
    assertThatThrownBy(() -> agent.run(new Unwritable(), OPTIONS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Unwritable cannot be written as JSON: why: not told");
  }

  @Test
  void aRunIsJoinedAndItsEventsAreActedOnOneByOne() {
    RunHandle run = asked();
    List<String> heard = new CopyOnWriteArrayList<>();
    CompletableFuture<AgentRun> end = run.forEach(event -> heard.add(event.name()));
    // A caller that completes what it was given changes nothing for another.
    run.result().completeExceptionally(new IllegalStateException("of the caller"));
    run.stored().join();
    played.emit(run.runId(), "one", 1);
    played.emit(run.runId(), "two", 2);
    played.complete(run.runId(), INPUT);
    assertThat(run.join().output()).isEqualTo(INPUT);
    assertThat(get(end)).isEqualTo(run.join());
    assertThat(heard).containsExactly("one", "two", "completed");

    List<String> first = new CopyOnWriteArrayList<>();
    CompletableFuture<AgentRun> broken =
        run.forEach(event -> {
          first.add(event.name());
          throw new IllegalStateException("of the action");
        });
    assertThatThrownBy(() -> get(broken)).hasMessage("of the action");
    assertThat(first).containsExactly("one");
  }

  @Test
  void theSameRunIdWithAnotherInputIsRefused() {
    RunHandle run = asked();
    get(run.stored());
    refused(agent.run(TextNode.valueOf("other"), OPTIONS.runId(run.runId())), "another input");
    get(agent.run(INPUT, OPTIONS.runId(run.runId())).stored());
  }

  @Test
  void aKeyedRunIsAdmittedToOneSession() {
    SessionId one = session();
    SessionId two = session();
    RunOptions keyed = OPTIONS.idempotencyKey("k");
    get(agent.run(INPUT, keyed.session(one)).stored());
    get(agent.run(INPUT, keyed.session(two)).stored());
    assertThat(underWay(one)).isEqualTo(1);
    assertThat(underWay(two)).isZero();
  }

  @Test
  void aFullInboxIsWaitedForUntilTheCallerGivesUp() {
    for (int i = 0; i < MOST_WAITING; i++) {
      get(agent.run(INPUT, OPTIONS).stored());
    }
    RunHandle patient = agent.run(INPUT, OPTIONS);
    RunHandle hasty = agent.run(INPUT, OPTIONS.giveUp(Duration.ZERO));
    assertThatThrownBy(() -> get(hasty.stored()))
        .hasMessageContaining(MOST_WAITING + " requests wait");
    assertThat(requests()).hasSize(MOST_WAITING);
    Inbox inbox = cluster().inbox();
    int bucket = InboxBucket.of(id.scope().namespace(PlayedAgent.NAMESPACE), inbox.buckets());
    InboxMessage oldest =
        get(inbox.pending(bucket, 10_000)).stream()
            .filter(message -> message.recipient().equals(id.persistenceId()))
            .findFirst()
            .orElseThrow();
    get(inbox.acknowledge(bucket, List.of(oldest)));
    get(patient.stored());
    assertThat(requests()).hasSize(MOST_WAITING + 1);
  }

  @Test
  void aTimeoutLeavesTheRunGoing() throws Exception {
    RunHandle hasty = agent.run(INPUT, OPTIONS.timeout(Duration.ofSeconds(3)));
    get(hasty.stored());
    Follower follower = Follower.of(hasty.events());
    assertThatThrownBy(() -> get(hasty.result()))
        .isInstanceOf(AgentException.class)
        .matches(failure -> ((AgentException) failure).retryable())
        .hasMessageContainingAll(
            hasty.runId().value(), PlayedAgent.NAMESPACE, "it goes on", "attach");
    assertThat(follower.failure()).hasMessageContaining("it goes on");
    played.complete(hasty.runId(), INPUT);
    assertThat(get(attached(hasty).result()).output()).isEqualTo(INPUT);
  }

  @Test
  void aTimeoutBeforeTheRequestIsStoredDoesNotSayThatTheRunGoesOn() {
    for (int i = 0; i < MOST_WAITING; i++) {
      get(agent.run(INPUT, OPTIONS).stored());
    }
    RunHandle late = agent.run(INPUT, OPTIONS.timeout(Duration.ofMillis(1)));
    assertThatThrownBy(() -> get(late.result())).message().doesNotContain("goes on");
    assertThatThrownBy(() -> get(late.stored())).hasMessageContaining("requests wait");
    assertThat(requests()).hasSize(MOST_WAITING);
  }

  @Test
  void aRunThatNobodyAskedForCannotBeAttachedTo() throws Exception {
    RunHandle none = agent.attach(new RunId("none"), OPTIONS);
    refused(none, "there is no run none in namespace work of agent " + id);
    assertThat(Follower.of(none.events()).failure()).hasMessageContaining("there is no run none");
    assertThat(get(agent.ended(new RunId("none"), OPTIONS))).isEmpty();
  }

  @Test
  void nobodyWaitsForWhatHappensAtAnotherTenant() {
    for (ResumptionCondition foreign :
        List.of(
            new ResumptionCondition.Event(Scope.tenant("rival"), new KeyGlob("*")),
            new ResumptionCondition.ChildrenCompleted(
                List.of(id, new AgentId("rival", "handles", "boss"))))) {
      assertThatThrownBy(() ->
              agent.suspend(
                  "", ResumptionCondition.any(new ResumptionCondition.Immediate(), foreign)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("tenant rival");
    }
  }

  @Test
  void textThatIsNotWellFormedIsRefusedByNameBeforeAnythingIsStored() {
    String half = "a\ud83d";
    String why = "holds half a surrogate pair at character 1";
    RunId run = new RunId("r");
    ResumptionCondition never =
        new ResumptionCondition.Event(Scope.colony("acme", "handles"), new KeyGlob("a*"));
    unfit(() -> agent.run(TextNode.valueOf(half), OPTIONS), "the input", "$ " + why);
    unfit(
        () -> agent.run(JsonNodeFactory.instance.objectNode().put(half, 1), OPTIONS),
        "the input",
        "a field of $ " + why);
    unfit(() -> OPTIONS.idempotencyKey(half), "the idempotency key " + why);
    unfit(() -> OPTIONS.requestedBy(half), "the name of the asker " + why);
    unfit(() -> agent.suspend(half), "reason " + why);
    unfit(() -> agent.suspend(half, never), "reason " + why);
    unfit(() -> agent.stop(half), "reason " + why);
    unfit(() -> agent.resume(half), "reason " + why);
    unfit(() -> agent.signal("go", half), "reason " + why);
    unfit(() -> agent.cancel(run, OPTIONS, half), "reason " + why);
    unfit(() -> agent.approve("pay", "ann", half), why);
    unfit(() -> agent.deny("pay", half, ""), why);
    assertThat(requests()).isEmpty();
  }

  @Test
  void aNumberThatNoDoubleHoldsIsRefusedByName() {
    for (double beyond : new double[] {1 / 0.0, -1 / 0.0, 0 / 0.0}) {
      unfit(
          () -> agent.run(JsonNodeFactory.instance.arrayNode().add(beyond), OPTIONS),
          "the input cannot be stored: $[0] is a number beyond what a double holds");
    }
    assertThat(requests()).isEmpty();
  }

  private static void unfit(Supplier<?> asked, String... why) {
    assertThatThrownBy(asked::get)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(why);
  }

  @Test
  void aUnitOfWorkIsAnEntryOfTheColony() throws Exception {
    spawn();
    WorkAssignmentProtocol protocol = new WorkAssignmentProtocol();
    RunOptions pool = RunOptions.namespace("pool").protocol(protocol).scope(ScopeLevel.COLONY);
    Blackboards boards = cluster();
    var board = boards.open(Scope.colony("acme", "handles").namespace("pool"), "worker");
    RunHandle unit = agent.run(INPUT, pool);
    get(unit.stored());
    Entry request =
        get(board.read(protocol.requestKey(id.name(), unit.runId().value()))).orElseThrow();
    assertThat(RunRequest.fromJson(request.value()).input()).isEqualTo(INPUT);
    Follower follower = Follower.of(unit.events());
    get(board.write(Write.value(protocol.eventKey(unit.runId().value(), "half"), 5)));
    get(board.write(Write.value(protocol.resultKey(unit.runId().value()), List.of(1, 2))));
    assertThat(get(unit.result()).output()).hasSize(2);
    assertThat(follower.ended().names()).containsExactly("half", "completed");
    assertThat(get(agent.ended(unit.runId(), pool)).orElseThrow().status())
        .isEqualTo(AgentRun.Status.COMPLETED);

    RunHandle second = agent.run(INPUT, pool);
    AgentRun failed = AgentRun.failed(second.runId(), "no", RunStats.NONE);
    get(board.write(Write.of(protocol.resultKey(second.runId().value()), failed.toJson())));
    assertThat(get(second.result())).isEqualTo(failed);
    assertThatThrownBy(() -> agent.cancel(unit.runId(), pool, "no"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatIsToldToNobodyIsRefusedAndNotStored() {
    List<Supplier<CompletionStage<Void>>> tells =
        List.of(
            () -> agent.suspend(""),
            () -> agent.suspend("", new ResumptionCondition.Custom("go")),
            () -> agent.resume(""),
            () -> agent.signal("go", ""),
            () -> agent.approve("pay", "ann", ""),
            () -> agent.deny("pay", "ann", ""),
            () -> agent.cancel(new RunId("r1"), OPTIONS, ""),
            () -> agent.stop(""));
    for (Supplier<CompletionStage<Void>> tell : tells) {
      assertThatThrownBy(() -> get(tell.get()))
          .isInstanceOf(AgentException.class)
          .hasMessage("there is no agent " + id);
    }
    assertThat(get(cluster().open(id.scope(), "test").statistics()).entries()).isZero();
  }

  @Test
  void aUnitOfWorkForNobodyIsRefused() {
    RunOptions pool =
        RunOptions.namespace("pool")
            .protocol(new WorkAssignmentProtocol())
            .scope(ScopeLevel.COLONY);
    refused(agent.run(INPUT, pool), "there is no agent " + id);
  }

  @Test
  void optionsThatContradictEachOtherAreRefused() {
    assertThatThrownBy(() -> agent.run(INPUT, OPTIONS.scope(ScopeLevel.COLONY)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("do not say which agent");
    RunOptions work = OPTIONS.protocol(new WorkAssignmentProtocol());
    assertThatThrownBy(() -> agent.run(INPUT, work.scope(ScopeLevel.SESSION)))
        .hasMessageContaining("needs a session");
    assertThatThrownBy(() -> OPTIONS.runId(new RunId("r")).idempotencyKey("k"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> OPTIONS.idempotencyKey(""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> OPTIONS.idempotencyKey("x".repeat(RunOptions.MOST_KEY + 1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static void refused(RunHandle run, String why) {
    for (CompletionStage<?> stage : List.of(run.result(), run.stored())) {
      assertThatThrownBy(() -> get(stage))
          .isInstanceOf(AgentException.class)
          .hasMessageContaining(why)
          .matches(refusal -> !((AgentException) refusal).retryable());
    }
  }

  private List<Entry> requests() {
    return get(cluster()
            .open(id.scope().namespace(PlayedAgent.NAMESPACE), "test")
            .query(Query.keys("request:*")))
        .entries();
  }

  private SessionId session() {
    SessionId session = new SessionId("s-" + UUID.randomUUID());
    get(colony(id).sessions("acme", "handles").open(session, "me"));
    return session;
  }

  private long underWay(SessionId session) {
    return get(colony(id).sessions("acme", "handles").get(session))
        .orElseThrow()
        .totals()
        .underWay();
  }

  private void spawn() {
    get(
        new BlackboardColony(cluster(), (agent, blueprint) -> 0, CLIENT)
            .spawn(id, AgentBlueprint.of(Blueprint.of("test.any"))));
  }
}
