package dev.colony.client.directory;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.Agent.WhileWaiting;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.client.directory.ChildList.Changes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

final class BlackboardChildren implements Children {

  private final AgentId parent;
  private final Supplier<ExecutionContext> context;
  private final Colony colony;
  private final ChildRegistry nursery;
  private final AgentDirectory directory;
  private final Duration poll;
  private final Supplier<WhileWaiting> waiting;

  /**
   * @param context of the run on whose behalf the parent acts at the moment of a call
   * @param colony reaches agents
   * @param waiting what the parent opens while it waits for its children
   */
  BlackboardChildren(
      AgentId parent,
      Supplier<ExecutionContext> context,
      Colony colony,
      ChildRegistry nursery,
      AgentDirectory directory,
      Duration poll,
      Supplier<WhileWaiting> waiting) {
    this.parent = parent;
    this.context = context;
    this.colony = colony;
    this.nursery = nursery;
    this.directory = directory;
    this.poll = poll;
    this.waiting = waiting;
  }

  @Override
  public AgentHandle spawn(String name, AgentBlueprint blueprint, OnParentStop onParentStop) {
    return spawnAll(Map.of(name, blueprint), onParentStop).getFirst();
  }

  @Override
  public List<AgentHandle> spawnAll(
      Map<String, AgentBlueprint> blueprints, OnParentStop onParentStop) {
    Colony reach = colony.within(context.get());
    return blocking(nursery.enter(parent, blueprints, onParentStop)).stream()
        .map(reach::agent)
        .toList();
  }

  @Override
  public List<AgentRun> gather(
      String name, AgentBlueprint blueprint, List<?> inputs, RunOptions options) {
    if (options.runId().isPresent() || options.idempotencyKey().isPresent()) {
      throw new IllegalArgumentException(
          "gather names its runs itself: leave out run id and idempotency key");
    }
    // A run's id may be as long as an agent's name.
    String run = parent + " " + context.get().run();
    String prefix = name + "-" + UUID.nameUUIDFromBytes(run.getBytes(StandardCharsets.UTF_8)) + "-";
    Map<String, AgentBlueprint> workers = new LinkedHashMap<>();
    for (int i = 0; i < inputs.size(); i++) {
      workers.put(prefix + i, blueprint);
    }
    if (workers.isEmpty()) {
      return List.of();
    }
    RunOptions once = options.idempotencyKey("gather").requestedBy(parent.persistenceId());
    List<AgentHandle> children = spawnAll(workers, OnParentStop.STOP);
    WhileWaiting others = waiting.get();
    List<AgentRun> runs = new ArrayList<>();
    try {
      List<CompletableFuture<AgentRun>> asked = new ArrayList<>();
      for (int i = 0; i < children.size(); i++) {
        asked.add(children.get(i).run(inputs.get(i), once).result());
      }
      asked.forEach(one -> runs.add(blocking(one)));
    } finally {
      others.close();
    }
    children.forEach(child -> blocking(child.stop("its run is gathered by " + parent)));
    return runs;
  }

  @Override
  public int room() {
    return blocking(nursery.room(parent));
  }

  @Override
  public List<Child> list() {
    Map<AgentId, OnParentStop> rules = rules(blocking(nursery.brood(parent)));
    return children(rules, states(List.copyOf(rules.keySet())));
  }

  @Override
  public List<Child> await(Set<AgentId> children, Duration longest) throws InterruptedException {
    Deadline deadline = Deadline.in(longest);
    Map<AgentId, OnParentStop> rules = rules(blocking(nursery.brood(parent)));
    rules.keySet().retainAll(children);
    children.forEach(child -> check(rules.containsKey(child), child));
    List<AgentId> awaited = List.copyOf(rules.keySet());
    if (awaited.isEmpty()) {
      return List.of();
    }
    WhileWaiting others = waiting.get();
    try (Changes changes = new Changes()) {
      directory.changes(awaited).subscribe(changes);
      while (true) {
        List<Child> found = children(rules, states(awaited));
        List<Child> living = found.stream().filter(one -> !one.state().terminal()).toList();
        long left = deadline.left().toNanos();
        if (living.isEmpty()) {
          return found;
        }
        if (left == 0) {
          throw new AgentException(
              "of the children of %s these have not ended within %s: %s"
                  .formatted(parent, longest, living.stream().map(one -> one.id().name()).toList()),
              null,
              true);
        }
        changes.await(Math.min(left, poll.toNanos()));
      }
    } finally {
      others.close();
    }
  }

  @Override
  public void cancel(AgentId child) {
    check(rules(blocking(nursery.brood(parent))).containsKey(child), child);
    blocking(colony.within(context.get()).agent(child).stop("cancelled by its parent " + parent));
  }

  private void check(boolean mine, AgentId child) {
    if (!mine) {
      throw AgentException.refused(child + " is no child of " + parent);
    }
  }

  private Map<AgentId, OnParentStop> rules(ChildList brood) {
    Map<AgentId, OnParentStop> rules = new LinkedHashMap<>();
    brood.ended().forEach((name, rule) -> rules.put(id(name), rule));
    brood.living().forEach((name, rule) -> rules.put(id(name), rule));
    return rules;
  }

  private AgentId id(String name) {
    return new AgentId(parent.tenant(), parent.colony(), name);
  }

  private Map<AgentId, AgentStatus> states(List<AgentId> children) {
    return blocking(directory.states(parent.tenant(), parent.colony(), children));
  }

  private static List<Child> children(
      Map<AgentId, OnParentStop> rules, Map<AgentId, AgentStatus> states) {
    List<Child> children = new ArrayList<>();
    rules.forEach((id, rule) -> {
      Optional<AgentStatus> status = Optional.ofNullable(states.get(id));
      children.add(
          new Child(
              id,
              status.map(AgentStatus::state).orElse(AgentState.INITIALIZED),
              rule,
              status
                  .filter(one -> one.state() == AgentState.FAILED)
                  .flatMap(AgentStatus::reason)
                  .orElse("")));
    });
    return children;
  }

  private static <T> T blocking(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    try {
      return future.get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new BlackboardException(
          BlackboardException.Reason.INTERRUPTED, "interrupted while waiting", interrupted);
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof RuntimeException known
          ? known
          : new AgentException(failed.getCause().toString(), failed.getCause(), false);
    }
  }
}
