package dev.colony.client.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.IntNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.author.WhileWaiting;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Children.Child;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.LifecycleSignal;
import dev.colony.client.AgentSignal;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.AgentTree;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.directory.Lineage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What parents and children are promised, over any blackboard. */
abstract class ChildrenContract {

  /** So slow that only an event can be in time. */
  private static final Duration NEVER = Duration.ofHours(1);

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final AgentBlueprint WORKER = AgentBlueprint.of(Blueprint.of("test.worker"));
  private static final AgentBlueprint OTHER = AgentBlueprint.of(Blueprint.of("test.other"));

  private final String colony = "c-" + UUID.randomUUID();
  private final AgentId boss = id("boss");

  abstract Blackboards blackboards();

  @BeforeEach
  void enterTheParent() {
    colony().spawn(boss, WORKER).toCompletableFuture().join();
  }

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
    Children children = children(boss, new ChildrenSettings(3, 8, 100, NEVER));
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
    ChildrenSettings few = new ChildrenSettings(2, 2, 3, NEVER);
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
    ChildrenSettings few = new ChildrenSettings(7, 8, 100, NEVER);
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
    ChildrenSettings settings = new ChildrenSettings(400, 8, 1_000, NEVER);
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
    ChildrenSettings full = new ChildrenSettings(400, 8, 400, NEVER);
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
        () ->
            children(boss, new ChildrenSettings(4, 8, 100, NEVER))
                .gather("more", WORKER, inputs, work),
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

  @Test
  void aChildIsStoppedThroughItsInbox() {
    Children children = children(boss);
    children.spawn("w1", WORKER, OnParentStop.STOP);
    children.cancel(id("w1"));
    assertThat(signals("w1"))
        .containsExactly(
            AgentSignal.lifecycle(
                id("w1"), LifecycleSignal.STOP, "cancelled by its parent " + boss));
    refused(
        () -> {
          children.cancel(boss);
          return null;
        },
        "is no child of");
  }

  @Test
  void aParentsEndStopsAndDetachesHoweverOftenItIsAnnounced() {
    Children children = children(boss);
    children.spawn("stops", WORKER, OnParentStop.STOP);
    children.spawn("goes-on", WORKER, OnParentStop.DETACH);
    children.spawn("is-gone", WORKER, OnParentStop.STOP);
    announce("is-gone", AgentState.STOPPED);
    announce("boss", AgentState.FAILED);
    announce("boss", AgentState.FAILED);

    assertThat(signals("stops"))
        .containsOnly(
            AgentSignal.lifecycle(
                id("stops"), LifecycleSignal.STOP, "its parent " + boss + " is FAILED"));
    assertThat(signals("goes-on")).isEmpty();
    assertThat(signals("is-gone")).isEmpty();
    var free = directory().find(id("goes-on")).toCompletableFuture().join().orElseThrow();
    assertThat(free.lineage())
        .contains(new Lineage(Optional.empty(), boss, 1, OnParentStop.DETACH));
    List<AgentTree> trees = directory().tree("acme", colony, 100).toCompletableFuture().join();
    assertThat(trees)
        .extracting(tree -> tree.agent().id().name())
        .containsExactly("boss", "goes-on");
    assertThat(trees.getFirst().children())
        .extracting(tree -> tree.agent().id().name())
        .containsExactly("is-gone", "stops");
  }

  @Test
  void aChildThatIsDetachedStaysWhereItHasMoved() {
    children(boss).spawn("goes-on", WORKER, OnParentStop.DETACH);
    AgentId child = id("goes-on");
    join(directory().move(child, 3, 7));
    announce("boss", AgentState.STOPPED);
    assertThat(join(directory().find(child)).orElseThrow())
        .returns(3, DirectoryEntry::unit)
        .matches(entry -> entry.lineage().orElseThrow().parent().isEmpty());
    // What its earlier incarnation says of a move is as late as it was before.
    join(directory().move(child, 1, 6));
    assertThat(join(directory().find(child)).orElseThrow().unit()).isEqualTo(3);
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  /** Otherwise an agent that spawns its successors and ends would outgrow every bound. */
  @Test
  void whoWasDetachedStillCountsInItsTree() {
    ChildrenSettings few = new ChildrenSettings(2, 2, 2, NEVER);
    children(boss, few).spawn("a", WORKER, OnParentStop.DETACH);
    children(boss, few).spawn("b", WORKER, OnParentStop.DETACH);
    announce("boss", AgentState.STOPPED, few);
    refused(
        () -> children(id("a"), few).spawn("c", WORKER, OnParentStop.DETACH),
        "colony.agent.children.max-tree is 2");
    announce("b", AgentState.STOPPED, few);
    children(id("a"), few).spawn("c", WORKER, OnParentStop.DETACH);
    refused(
        () -> children(id("c"), few).spawn("d", WORKER, OnParentStop.DETACH),
        "colony.agent.children.max-depth is 2");
  }

  @Test
  void aParentIsToldOfTheEndOfItsChildOnce() {
    children(boss).spawn("w1", WORKER, OnParentStop.STOP);
    announce("w1", AgentState.RUNNING);
    announce("w1", AgentState.FAILED);
    announce("w1", AgentState.FAILED);
    announce("w1", AgentState.STOPPED);
    announce("w1", AgentState.RUNNING);
    assertThat(signals("boss"))
        .containsExactly(new AgentSignal.ChildEnded(boss, id("w1"), AgentState.FAILED, "because"));
    assertThat(state(colony().agent(id("w1")))).as("final").isEqualTo(AgentState.FAILED);
  }

  @Test
  void ofManyEndedChildrenTheLastAreListed() {
    ChildrenSettings few = new ChildrenSettings(2, 8, 100, NEVER);
    for (int i = 0; i < 5; i++) {
      children(boss, few).spawn("w" + i, WORKER, OnParentStop.STOP);
      announce("w" + i, AgentState.STOPPED, few);
    }
    assertThat(children(boss, few).list())
        .extracting(child -> child.id().name())
        .containsExactly("w3", "w4");
  }

  @Test
  void theDirectoryListsInPages() {
    children(boss)
        .spawnAll(
            IntStream.range(0, 9).boxed().collect(Collectors.toMap(i -> "w" + i, i -> WORKER)),
            OnParentStop.STOP);
    announce("w3", AgentState.SUSPENDED);
    var first = directory().list("acme", colony, 4, Optional.empty()).toCompletableFuture().join();
    assertThat(first).extracting(one -> one.id().name()).containsExactly("boss", "w0", "w1", "w2");
    var rest =
        directory().list("acme", colony, 100, Optional.of("w2")).toCompletableFuture().join();
    assertThat(rest)
        .extracting(one -> one.id().name() + " " + one.status().state())
        .hasSize(6)
        .startsWith("w3 SUSPENDED", "w4 INITIALIZED");
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

  private static void refused(Callable<?> call, String part) {
    assertThatThrownBy(call::call)
        .isInstanceOf(AgentException.class)
        .hasMessageContaining(part)
        .matches(refusal -> !((AgentException) refusal).retryable());
  }

  private Map<String, AgentBlueprint> blueprints(String... names) {
    return Arrays.stream(names).collect(Collectors.toMap(name -> name, name -> WORKER));
  }

  private AgentState state(AgentHandle agent) {
    return agent.state().toCompletableFuture().join().orElseThrow().state();
  }

  private void announce(String name, AgentState state) {
    announce(name, state, new ChildrenSettings(100, 8, 100, NEVER));
  }

  private void announce(String name, AgentState state, ChildrenSettings settings) {
    Optional<String> reason =
        state == AgentState.FAILED ? Optional.of("because") : Optional.empty();
    families(settings).announce(id(name), state, reason).toCompletableFuture().join();
  }

  private List<InboxMessage> messagesTo(AgentId agent) {
    var inbox = blackboards().inbox();
    return IntStream.range(0, inbox.buckets())
        .mapToObj(bucket -> inbox.pending(bucket, 10_000).toCompletableFuture().join())
        .flatMap(List::stream)
        .filter(message -> message.recipient().equals(agent.persistenceId()))
        .toList();
  }

  private List<AgentSignal> signals(String name) {
    return messagesTo(id(name)).stream()
        .flatMap(message -> AgentSignal.of((InboxMessage.Request) message).stream())
        .toList();
  }

  private Children children(AgentId parent) {
    return children(parent, new ChildrenSettings(100, 8, 100, NEVER));
  }

  private Children children(AgentId parent, ChildrenSettings settings) {
    return families(settings)
        .of(parent, () -> ExecutionContext.of(parent, new RunId("r1")), () -> WhileWaiting.NOTHING);
  }

  private ChildService families(ChildrenSettings settings) {
    ChildRegistry nursery = new ChildRegistry(blackboards(), HomeResolver.byHash(4), settings);
    return new ChildService(blackboards(), nursery, colony(), settings);
  }

  private AgentDirectory directory() {
    return new AgentDirectory(blackboards());
  }

  private Colony colony() {
    return new BlackboardColony(
        blackboards(), HomeResolver.byHash(4), ClientSettings.fromConfig(ConfigFactory.load()));
  }

  private AgentId id(String name) {
    return new AgentId("acme", colony, name);
  }
}
