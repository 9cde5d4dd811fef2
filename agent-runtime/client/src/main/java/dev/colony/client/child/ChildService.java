package dev.colony.client.child;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.author.WhileWaiting;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.client.directory.Lineage;
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
  private final ChildrenSettings settings;

  /**
   * @param nursery with the same settings
   * @param colony reaches the children
   */
  public ChildService(
      Blackboards blackboards, ChildRegistry nursery, Colony colony, ChildrenSettings settings) {
    this.directory = new AgentDirectory(blackboards);
    this.nursery = nursery;
    this.colony = colony;
    this.settings = settings;
  }

  /**
   * An agent's children.
   *
   * @param context of the run on whose behalf the agent acts at the moment of a call
   * @param waiting what the agent opens while it waits for its children
   */
  public Children of(
      AgentId parent, Supplier<ExecutionContext> context, Supplier<WhileWaiting> waiting) {
    return new BlackboardChildren(
        parent, context, colony, nursery, directory, settings.poll(), waiting);
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
}
