package dev.colony.client.directory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.blackboard.protocol.LifecycleSignal;
import dev.colony.client.AgentSignal;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.DirectoryEntry.AgentTree;
import dev.colony.client.directory.DirectoryEntry.Lineage;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What becomes of children and their parents when one of them ends, over any blackboard. */
abstract class ChildrenEndContract extends ChildrenFixture {

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

  /** Otherwise an agent that spawns its successors and ends would outgrow every bound. */
  @Test
  void whoWasDetachedStillCountsInItsTree() {
    ChildrenSettings few = new ChildrenSettings(2, 2, 2);
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
    ChildrenSettings few = new ChildrenSettings(2, 8, 100);
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
}
