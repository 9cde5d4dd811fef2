package dev.colony.client.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Children.Child;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.DirectoryEntry.Lineage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What parents are promised of children that they spawn and await, over any blackboard. */
abstract class ChildrenContract extends ChildrenFixture {

  @Test
  void aChildIsEnteredBeneathItsParentAndSentForItsStart() {
    AgentHandle child = children(boss).spawn("w1", WORKER, OnParentStop.STOP);
    assertThat(child.id()).isEqualTo(id("w1"));
    var entry = directory().find(child.id()).toCompletableFuture().join().orElseThrow();
    assertThat(entry.blueprint()).isEqualTo(WORKER);
    assertThat(entry.lineage())
        .contains(new Lineage(Optional.of(boss), boss, 1, OnParentStop.STOP));
    assertThat(messagesTo(child.id()))
        .singleElement()
        .matches(message -> AgentDirectory.enters((InboxMessage.Request) message));
    assertThat(children(boss).list())
        .containsExactly(new Child(id("w1"), AgentState.INITIALIZED, OnParentStop.STOP, ""));
    assertThat(state(child)).isEqualTo(AgentState.INITIALIZED);
    assertThat(colony().agent(id("nobody")).state().toCompletableFuture().join()).isEmpty();
  }

  @Test
  void theSameChildAgainIsTheSameChild() {
    Children children = children(boss);
    children.spawn("w1", WORKER, OnParentStop.STOP);
    children.spawn("w1", WORKER, OnParentStop.STOP);
    assertThat(children.list()).hasSize(1);
    assertThat(messagesTo(id("w1"))).hasSize(1);
    refused(() -> children.spawn("w1", OTHER, OnParentStop.STOP), "with another blueprint");
    refused(() -> children.spawn("boss", WORKER, OnParentStop.STOP), "is no child of");
    refused(() -> children(id("w1")).spawn("boss", WORKER, OnParentStop.STOP), "is no child of");
    refused(() -> children(id("ghost")).spawn("w2", WORKER, OnParentStop.STOP), "no agent");
  }

  @Test
  void severalAreSpawnedOrNone() {
    Children children = children(boss, new ChildrenSettings(3, 8, 100));
    children.spawn("w0", WORKER, OnParentStop.STOP);
    refused(
        () -> children.spawnAll(blueprints("w1", "w2", "w3"), OnParentStop.STOP),
        "colony.agent.children.max is 3");
    assertThat(children.list()).hasSize(1);
    assertThat(messagesTo(id("w1"))).isEmpty();
    assertThat(children.spawnAll(blueprints("w0", "w1", "w2"), OnParentStop.DETACH)).hasSize(3);
    assertThat(children.list())
        .extracting(Child::onParentStop)
        .containsExactlyInAnyOrder(OnParentStop.STOP, OnParentStop.DETACH, OnParentStop.DETACH);
  }

  @Test
  void boundsHoldForTheWholeTree() {
    ChildrenSettings few = new ChildrenSettings(2, 2, 3);
    children(boss, few).spawn("a", WORKER, OnParentStop.STOP);
    children(id("a"), few).spawn("aa", WORKER, OnParentStop.STOP);
    refused(
        () -> children(id("aa"), few).spawn("aaa", WORKER, OnParentStop.STOP),
        "colony.agent.children.max-depth is 2");
    children(id("a"), few).spawn("ab", WORKER, OnParentStop.STOP);
    refused(
        () -> children(boss, few).spawn("b", WORKER, OnParentStop.STOP),
        "colony.agent.children.max-tree is 3");
    announce("ab", AgentState.STOPPED, few);
    announce("ab", AgentState.STOPPED, few);
    children(boss, few).spawn("b", WORKER, OnParentStop.STOP);
    refused(
        () -> children(id("a"), few).spawn("ac", WORKER, OnParentStop.STOP),
        "colony.agent.children.max-tree is 3");
  }

  /** Ten threads spawn forty children, each twice, and exactly as many as may be are there. */
  @Test
  void boundsHoldInARace() throws Exception {
    ChildrenSettings few = new ChildrenSettings(7, 8, 100);
    CountDownLatch all = new CountDownLatch(10);
    List<Callable<Long>> races = new ArrayList<>();
    for (int thread = 0; thread < 10; thread++) {
      int from = thread % 5 * 8;
      races.add(() -> {
        all.countDown();
        all.await();
        return IntStream.range(from, from + 8)
            .filter(
                i -> spawned(() -> children(boss, few).spawn("w" + i, WORKER, OnParentStop.STOP)))
            .count();
      });
    }
    long successes = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(10)) {
      for (Future<Long> race : threads.invokeAll(races)) {
        successes += race.get();
      }
    }
    List<Child> there = children(boss, few).list();
    assertThat(there).hasSize(7);
    assertThat(successes).as("each is reported by one or two").isBetween(7L, 14L);
    there.forEach(child -> assertThat(messagesTo(child.id())).hasSize(1));
    assertThat(directory().list("acme", colony, 100, Optional.empty()).toCompletableFuture().join())
        .hasSize(8);
  }

  @Test
  void whoHasEndedSpawnsNoMore() {
    announce("boss", AgentState.STOPPED);
    refused(
        () -> children(boss).spawn("w1", WORKER, OnParentStop.STOP), "is STOPPED: it spawns no");
  }

  @Test
  void awaitingIsToldByAnEvent() throws Exception {
    Children children = children(boss);
    children.spawnAll(blueprints("w1", "w2"), OnParentStop.STOP);
    announce("w1", AgentState.STOPPED);
    CompletableFuture<List<Child>> waiting = new CompletableFuture<>();
    Thread waiter =
        Thread.startVirtualThread(() -> {
          try {
            waiting.complete(children.await(Set.of(id("w1"), id("w2")), NEVER));
          } catch (InterruptedException | RuntimeException failure) {
            waiting.completeExceptionally(failure);
          }
        });
    await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
    announce("w2", AgentState.RUNNING);
    announce("w2", AgentState.FAILED);
    assertThat(waiting.get(60, TimeUnit.SECONDS))
        .containsExactlyInAnyOrder(
            new Child(id("w1"), AgentState.STOPPED, OnParentStop.STOP, ""),
            new Child(id("w2"), AgentState.FAILED, OnParentStop.STOP, "because"));
  }

  @Test
  void awaitingThatLastsTooLongNamesWhoIsLeft() {
    Children children = children(boss);
    children.spawnAll(blueprints("w1", "w2"), OnParentStop.STOP);
    announce("w1", AgentState.STOPPED);
    assertThatThrownBy(() -> children.await(Set.of(id("w1"), id("w2")), Duration.ofMillis(50)))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("PT0.05S")
        .hasMessageEndingWith("[w2]");
    assertThatThrownBy(() -> children.await(Set.of(id("w3")), LONG))
        .hasMessage(id("w3") + " is no child of " + boss);
  }

  @Test
  void manyAreAwaited() throws Exception {
    Children children = children(boss);
    Map<String, AgentBlueprint> many =
        IntStream.range(0, 30).boxed().collect(Collectors.toMap(i -> "w" + i, i -> WORKER));
    children.spawnAll(many, OnParentStop.STOP);
    many.keySet().forEach(name -> announce(name, AgentState.STOPPED));
    Set<AgentId> ids = many.keySet().stream().map(this::id).collect(Collectors.toSet());
    assertThat(children.await(ids, LONG)).hasSize(30);
  }

  /** Each changes the same list, so that one by one they would contend for it. */
  @Test
  void childrenThatEndAtOnceDoNotContend() {
    ChildrenSettings settings = new ChildrenSettings(400, 8, 1_000);
    Map<String, AgentBlueprint> many =
        IntStream.range(0, 400).boxed().collect(Collectors.toMap(i -> "w" + i, i -> WORKER));
    children(boss, settings).spawnAll(many, OnParentStop.STOP);
    long retries = blackboards().counters().retries();
    ChildService families = families(settings);
    List<CompletionStage<Void>> ends =
        many.keySet().stream()
            .map(name -> families.announce(id(name), AgentState.STOPPED, Optional.empty()))
            .toList();
    ends.forEach(ChildrenContract::join);
    assertThat(blackboards().counters().retries()).isEqualTo(retries);
    assertThat(children(boss, settings).list())
        .hasSize(400)
        .allMatch(child -> child.state() == AgentState.STOPPED);
    assertThat(signals("boss")).hasSize(400).doesNotHaveDuplicates();
    ChildrenSettings full = new ChildrenSettings(400, 8, 400);
    Map<String, AgentBlueprint> more =
        IntStream.range(0, 400).boxed().collect(Collectors.toMap(i -> "x" + i, i -> WORKER));
    assertThat(children(boss, full).spawnAll(more, OnParentStop.STOP)).hasSize(400);
  }

  /** Played by hand: what the children would do, and a parent that begins anew in between. */
  @Test
  void whatChildrenFindIsGatheredOnceHoweverOftenItIsAskedFor() {
    RunOptions work = RunOptions.namespace("work").timeout(LONG);
    List<Map<String, Integer>> inputs = List.of(Map.of("n", 1), Map.of("n", 2), Map.of("n", 3));
    CompletableFuture<List<AgentRun>> first =
        CompletableFuture.supplyAsync(() -> children(boss).gather("sum", WORKER, inputs, work));
    await().until(() -> asked("sum").size() == inputs.size());
    CompletableFuture<List<AgentRun>> again =
        CompletableFuture.supplyAsync(() -> children(boss).gather("sum", WORKER, inputs, work));
    asked("sum")
        .forEach((child, request) -> {
          int n = request.input().path("n").asInt();
          AgentRun run =
              n == 2
                  ? AgentRun.failed(request.runId(), "even", RunStats.NONE)
                  : AgentRun.completed(request.runId(), IntNode.valueOf(n * n), RunStats.NONE);
          Write result =
              Write.of(new AgentRunProtocol().resultKey(request.runId().value()), run.toJson());
          join(blackboards().open(child.scope().namespace("work"), "child").write(result));
        });
    assertThat(first.join())
        .extracting(run -> run.error().orElse(run.output().toString()))
        .containsExactly("1", "even", "9");
    assertThat(again.join()).isEqualTo(first.join());
    assertThat(children(boss).gather("sum", WORKER, inputs, work)).isEqualTo(first.join());
    assertThat(children(boss).list()).hasSize(inputs.size());
    asked("sum").keySet().forEach(child -> assertThat(signals(child.name())).isNotEmpty());

    assertThat(children(boss).gather("none", WORKER, List.of(), work)).isEmpty();
    assertThatThrownBy(() -> children(boss).gather("k", WORKER, inputs, work.idempotencyKey("k")))
        .isInstanceOf(IllegalArgumentException.class);
    refused(
        () -> children(boss, new ChildrenSettings(4, 8, 100)).gather("more", WORKER, inputs, work),
        "colony.agent.children.max is 4");
    assertThat(children(boss).list()).hasSize(inputs.size());
  }

  /** The requests that stand with the children of these names. */
  private Map<AgentId, RunRequest> asked(String name) {
    Map<AgentId, RunRequest> requests = new HashMap<>();
    children(boss).list().stream()
        .map(Child::id)
        .filter(child -> child.name().startsWith(name + "-"))
        .forEach(child ->
            join(blackboards()
                    .open(child.scope().namespace("work"), "test")
                    .query(Query.keys("request:*")))
                .entries()
                .forEach(entry -> requests.put(child, RunRequest.fromJson(entry.value()))));
    return requests;
  }

  private static boolean spawned(Callable<?> call) {
    try {
      call.call();
      return true;
    } catch (AgentException bound) {
      assertThat(bound).hasMessageContaining("colony.agent.children.max is 7");
      return false;
    } catch (Exception other) {
      throw new AssertionError(other);
    }
  }

  private Map<String, AgentBlueprint> blueprints(String... names) {
    return Arrays.stream(names).collect(Collectors.toMap(name -> name, name -> WORKER));
  }
}
