package dev.colony.server;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.AgentView.RunView;
import dev.colony.agent.client.AgentView.SuspensionView;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.agent.client.StepView;
import dev.colony.blackboard.DeadLetter;
import dev.colony.client.DeadLetters;
import dev.colony.client.directory.DirectoryEntry;
import dev.colony.client.directory.DirectoryEntry.Lineage;
import dev.colony.journal.LostLogs;
import dev.colony.library.plan.PlanText;
import dev.colony.library.plan.PlanText.PlanRow;
import dev.colony.node.runtime.EndedAgents;
import dev.colony.server.ShownAgent.ShownCapability;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the API and the agents commands with {@code --json} say of agents, beside the views of
 * {@code dev.colony.agent.client}: the component names are stable.
 */
public final class AgentViews {

  /**
   * One agent of many, as directory and journal tell of it.
   *
   * @param unit the placement unit in which it lives
   * @param since when it was entered into the directory
   * @param openRuns that are accepted and have no result yet
   * @param cause what it is suspended for; {@code STORE} where the store has lost its events
   * @param lost what the store has lost of its events; until an operator has decided about it, the
   *     agent is suspended
   * @param asks what it asks a person for, by the names to answer to
   * @param lastFailure the last run that events have started and that has failed
   * @param parent empty for one that no agent spawned, or that was detached
   * @param depth 1 for a child of the root; empty for a root
   */
  public record AgentSummary(
      AgentId agentId,
      AgentState state,
      AgentKind kind,
      int unit,
      Instant since,
      int openRuns,
      Optional<String> reason,
      Optional<String> cause,
      Optional<SuspensionView> suspension,
      Optional<AgentView.LostEvents> lost,
      List<String> asks,
      Optional<FailedRun> lastFailure,
      Optional<AgentId> parent,
      Optional<Integer> depth,
      Optional<OnParentStop> onParentStop) {

    public static AgentSummary of(ShownAgent agent) {
      DirectoryEntry entry = agent.listed().entry();
      return new AgentSummary(
          agent.id(),
          agent.state(),
          entry.blueprint().kind(),
          entry.unit(),
          entry.since(),
          agent.openRuns(),
          agent.reason(),
          agent.cause(),
          agent.suspension(),
          agent.lost(),
          List.copyOf(agent.asks()),
          agent.failure().map(run -> new FailedRun(run.run(), run.reason(), run.at())),
          entry.lineage().flatMap(Lineage::parent),
          entry.lineage().map(Lineage::depth),
          entry.lineage().map(Lineage::onParentStop));
    }
  }

  /**
   * A page of agents.
   *
   * @param next where the next page begins; empty behind the last
   */
  public record AgentPage(List<AgentSummary> agents, Optional<String> next) {}

  public record AgentTree(@JsonUnwrapped AgentSummary agent, List<AgentTree> children) {

    public static AgentTree of(AgentsReader.ShownTree tree) {
      return new AgentTree(
          AgentSummary.of(tree.agent()), tree.children().stream().map(AgentTree::of).toList());
    }
  }

  /**
   * Trees of agents.
   *
   * @param complete whether there are no more
   */
  public record AgentTrees(List<AgentTree> agents, boolean complete) {

    public static AgentTrees of(AgentsReader.Some<AgentsReader.ShownTree> trees) {
      return new AgentTrees(trees.found().stream().map(AgentTree::of).toList(), !trees.more());
    }
  }

  /**
   * One agent with all that is known of it.
   *
   * @param incarnation of the last claim, and
   * @param node which made it; empty for one that has not been started yet
   * @param runs the accepted ones that have no result yet; the first is executed
   * @param plan what its policy plans, a row for each goal, action and revision; empty where the
   *     policy keeps no plan
   * @param steps the last ones, the oldest first
   */
  public record AgentDetails(
      @JsonUnwrapped AgentSummary agent,
      Blueprint policy,
      Optional<Long> incarnation,
      Optional<String> node,
      List<RunView> runs,
      List<CapabilityView> capabilities,
      List<PlanRow> plan,
      List<StepView> steps) {

    public static AgentDetails of(
        ShownAgent agent, List<ShownCapability> capabilities, List<StepView> steps) {
      return new AgentDetails(
          AgentSummary.of(agent),
          agent.listed().entry().blueprint().policy(),
          agent.journal().map(AgentView::incarnation),
          agent.journal().map(AgentView::node),
          agent.journal().map(AgentView::runs).orElse(List.of()),
          capabilities.stream().map(CapabilityView::of).toList(),
          agent.plan().map(PlanText::rows).orElse(List.of()),
          steps);
    }
  }

  public record FailedRun(RunId runId, String reason, Instant at) {}

  /**
   * A capability and the actions that its class declares.
   *
   * @param active whether the policy uses it
   * @param unknown why the type cannot be looked at here; then no actions are known
   */
  public record CapabilityView(
      String key,
      String type,
      int version,
      boolean active,
      Optional<String> unknown,
      List<OfferedAction> actions) {

    static CapabilityView of(ShownCapability capability) {
      return new CapabilityView(
          capability.key(),
          capability.type(),
          capability.version(),
          capability.active(),
          capability.unknown(),
          capability.actions().stream().map(OfferedAction::of).toList());
    }
  }

  /**
   * An action that a capability offers.
   *
   * @param planned whether planners are shown it
   * @param parameters JSON schema of the parameters
   */
  public record OfferedAction(
      String key, String summary, Effect effect, boolean planned, JsonNode parameters) {

    static OfferedAction of(ActionDescription action) {
      return new OfferedAction(
          action.key(), action.summary(), action.effect(), action.planned(), action.parameters());
    }
  }

  /**
   * Steps of an agent.
   *
   * @param older where the page before begins; empty where there is none
   */
  public record StepPage(AgentId agentId, List<StepView> steps, Optional<String> older) {}

  /**
   * An agent of which the store has lost events.
   *
   * @param stored the number of the last event that is there
   * @param acknowledged that of the last that was acknowledged; those between are lost
   */
  public record LostEventsOfAgent(AgentId agentId, long stored, long acknowledged) {

    public static LostEventsOfAgent of(LostLogs.Lost lost) {
      return new LostEventsOfAgent(
          AgentId.parse(lost.persistenceId()), lost.stored(), lost.acknowledged());
    }
  }

  public record LostEventsPage(List<LostEventsOfAgent> lostEvents) {

    public static LostEventsPage of(List<LostLogs.Lost> lost) {
      return new LostEventsPage(lost.stream().map(LostEventsOfAgent::of).toList());
    }
  }

  /**
   * What became of purging agents.
   *
   * @param next where the next page begins; empty behind the last
   */
  public record PurgedAgents(List<AgentId> purged, List<KeptAgent> kept, Optional<String> next) {

    public static PurgedAgents of(List<EndedAgents.PurgeReply> replies, Optional<String> next) {
      return new PurgedAgents(
          replies.stream()
              .filter(EndedAgents.PurgeReply.Purged.class::isInstance)
              .map(EndedAgents.PurgeReply::agent)
              .toList(),
          replies.stream()
              .filter(EndedAgents.PurgeReply.Kept.class::isInstance)
              .map(EndedAgents.PurgeReply.Kept.class::cast)
              .map(kept -> new KeptAgent(kept.agent(), kept.reason()))
              .toList(),
          next);
    }
  }

  /** An agent that may not go. */
  public record KeptAgent(AgentId agentId, String reason) {}

  /**
   * How many runs were purged.
   *
   * @param next where the next page begins; empty behind the last
   */
  public record PurgedRuns(long purged, Optional<String> next) {}

  /**
   * A dead letter of the inbox.
   *
   * @param letter its name
   * @param agentId the recipient
   * @param deliveries how many failed
   * @param at when it became a dead letter
   * @param request what was to be delivered; left out of pages
   */
  public record DeadLetterView(
      String letter,
      String agentId,
      String scope,
      String key,
      String reason,
      long deliveries,
      Instant firstFailed,
      Instant lastFailed,
      Instant at,
      Optional<JsonNode> request) {

    /** Without the request in it. */
    public static DeadLetterView of(DeadLetter letter) {
      return of(letter, Optional.empty());
    }

    /** The same with the request. */
    public static DeadLetterView whole(DeadLetter letter) {
      return of(letter, Optional.of(letter.request().value()));
    }

    private static DeadLetterView of(DeadLetter letter, Optional<JsonNode> request) {
      return new DeadLetterView(
          DeadLetters.name(letter),
          letter.request().recipient(),
          letter.request().scope().path(),
          letter.request().key(),
          letter.reason(),
          letter.deliveries(),
          letter.first(),
          letter.last(),
          letter.at(),
          request);
    }
  }

  /**
   * A page of dead letters.
   *
   * @param next where the next page begins; empty behind the last
   */
  public record DeadLetterPage(List<DeadLetterView> deadLetters, Optional<String> next) {

    public static DeadLetterPage of(DeadLetters.Page page) {
      return new DeadLetterPage(
          page.letters().stream().map(DeadLetterView::of).toList(), page.next());
    }
  }

  private AgentViews() {}
}
