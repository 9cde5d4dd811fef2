package dev.colony.node.entity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Intent;
import dev.colony.node.resumption.BoundPages;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Binds an agent that is in memory to its pages. It hears of pages that go. One that has worked
 * before and comes back to rest asks what is missing, since it was sent no message meanwhile; one
 * that has never worked may be the first to load its pages, and one in the middle of a run goes on.
 */
final class PageBinding {

  private static final BoundPages.Binding NONE = () -> {};

  private final Optional<BoundPages> pages;
  private final Duration reloadAfter;
  private final Consumer<AgentMessage> self;
  private BoundPages.Binding binding = NONE;

  /**
   * @param pages empty where the node does not watch them
   */
  PageBinding(Optional<BoundPages> pages, Duration reloadAfter, Consumer<AgentMessage> self) {
    this.pages = pages;
    this.reloadAfter = reloadAfter;
    this.self = self;
  }

  /** Ties an agent that was just claimed, if it is of the kind that is bound. */
  void bind(AgentSnapshot state) {
    close();
    Optional<PageGroupId> group =
        state
            .blueprint()
            .filter(what -> what.kind() == AgentKind.VCM_BOUND)
            .flatMap(AgentBlueprint::pages);
    if (pages.isPresent() && group.isPresent() && !state.state().terminal()) {
      binding = pages.get().bind(group.get(), this::gone);
      if (state.state() == AgentState.LOADED && !state.finished().isEmpty()) {
        pages.get().missing(group.get()).ifPresent(this::gone);
      }
    }
  }

  private void gone(List<PageId> all) {
    self.accept(new AgentMessage.PagesGone(all));
  }

  /**
   * What follows for the agent. In the middle of a run it leaves the caches to others for a while
   * and then takes its turn, whether or not another agent loads its pages; at rest it waits until
   * it has something to do.
   */
  AgentCommand evicted(AgentSnapshot state, List<PageId> all, Instant now) {
    ResumptionCondition back = new ResumptionCondition.PagesAvailable(all);
    boolean works = state.active().isPresent();
    return new AgentCommand.Apply(
        new Intent.Suspend(
            SuspensionCause.PAGES,
            "some of its pages are in no cache any more",
            Optional.of(
                works
                    ? ResumptionCondition.any(
                        back, new ResumptionCondition.At(now.plus(reloadAfter)))
                    : back),
            !works),
        now);
  }

  void close() {
    binding.close();
    binding = NONE;
  }
}
