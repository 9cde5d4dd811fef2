package dev.colony.client.directory;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.author.Agent.WhileWaiting;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.client.directory.DirectoryEntry.Lineage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Parents and children of all colonies on a blackboard, for the runtime: it makes known what
 * becomes of agents, and hands each agent its {@link Children}. Thread-safe; stages fail as the
 * blackboard does.
 */
public final class ChildService {

  private final AgentDirectory directory;
  private final ChildRegistry nursery;
  private final Colony colony;
  private final Duration poll;

  /** How often a parent that waits looks at its children: the net under lost events. */
  private static final Duration POLL = Duration.ofSeconds(5);

  /**
   * @param colony reaches the children
   */
  public ChildService(Blackboards blackboards, ChildRegistry nursery, Colony colony) {
    this(blackboards, nursery, colony, POLL);
  }

  ChildService(Blackboards blackboards, ChildRegistry nursery, Colony colony, Duration poll) {
    this.directory = new AgentDirectory(blackboards);
    this.nursery = nursery;
    this.colony = colony;
    this.poll = poll;
  }

  /**
   * An agent's children.
   *
   * @param context of the run on whose behalf the agent acts at the moment of a call
   * @param waiting what the agent opens while it waits for its children
   */
  public Children of(
      AgentId parent, Supplier<ExecutionContext> context, Supplier<WhileWaiting> waiting) {
    return new BlackboardChildren(parent, context, colony, nursery, directory, poll, waiting);
  }

  /** The agent that has spawned another; empty if none has, or it goes on without. */
  public CompletionStage<Optional<AgentId>> parent(AgentId child) {
    return directory
        .find(child)
        .thenApply(entry -> entry.flatMap(DirectoryEntry::lineage).flatMap(Lineage::parent));
  }

  /**
   * Makes an agent's state known, to its parent too where it has ended, and in that case lets
   * happen to its children what was said when they were spawned. To be completed before the
   * announcement is journaled as done, so that it is repeated after a crash; repeating it changes
   * nothing.
   */
  public CompletionStage<Void> announce(AgentId agent, AgentState state, Optional<String> reason) {
    CompletionStage<Void> known = nursery.announce(agent, state, reason);
    return state.terminal() ? known.thenCompose(done -> onParentEnded(agent, state)) : known;
  }

  /** No child comes after the announcement, so the list is complete. */
  private CompletionStage<Void> onParentEnded(AgentId parent, AgentState state) {
    return nursery.brood(parent).thenCompose(brood -> orphan(parent, state, brood.living()));
  }

  private CompletionStage<Void> orphan(
      AgentId parent, AgentState state, Map<String, Children.OnParentStop> children) {
    List<AgentId> free = new ArrayList<>();
    List<CompletableFuture<Void>> told = new ArrayList<>();
    children.forEach((name, rule) -> {
      AgentId child = new AgentId(parent.tenant(), parent.colony(), name);
      switch (rule) {
        case STOP ->
            told.add(
                colony
                    .agent(child)
                    .stop("its parent " + parent + " is " + state)
                    .toCompletableFuture());
        case DETACH -> free.add(child);
      }
    });
    told.add(nursery.detach(parent, free).toCompletableFuture());
    return CompletableFuture.allOf(told.toArray(CompletableFuture[]::new));
  }

  /**
   * How far agents may multiply.
   *
   * @param max children of one agent that have not ended
   * @param maxDepth of the tree; 0 where no agent may spawn
   * @param maxTree agents beneath one root that have not ended
   */
  @Section("colony.agent.children")
  public record ChildrenSettings(
      @Range(min = "0", max = "10000") int max,
      @Range(min = "0", max = "100") int maxDepth,
      @Range(min = "0", max = "1000000") int maxTree) {}
}
