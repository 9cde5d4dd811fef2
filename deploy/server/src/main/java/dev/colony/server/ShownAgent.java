package dev.colony.server;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.AgentView.SuspensionView;
import dev.colony.client.directory.AgentDirectory.ListedAgent;
import dev.colony.client.session.ResultPublisher.FailedWokenRun;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.plan.PlanState;
import dev.colony.library.plan.PlanText;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An agent as directory and journal tell of it.
 *
 * @param journal empty for one that has not been started yet
 * @param failure the last run that events have started and that has failed
 */
public record ShownAgent(
    ListedAgent listed, Optional<AgentView> journal, Optional<FailedWokenRun> failure) {

  /** The cause of one that is held because the store has lost events of its journal. */
  static final String LOST = "STORE";

  public AgentId id() {
    return listed.id();
  }

  /** By the journal, which has the say. One whose events the store has lost is suspended. */
  public AgentState state() {
    return lost().isPresent()
        ? AgentState.SUSPENDED
        : journal.map(known -> known.state()).orElse(listed.status().state());
  }

  /** That it lives by; one that has not begun to live, that it is to begin with. */
  public AgentBlueprint blueprint() {
    return journal.map(AgentView::blueprint).orElse(listed.entry().blueprint());
  }

  /** Why it is in that state; empty where there is nothing to say. */
  public Optional<String> reason() {
    if (lost().isPresent()) {
      return lost()
          .map(log ->
              "the store has lost its events %d to %d: see colony lost-events"
                  .formatted(log.stored() + 1, log.acknowledged()));
    }
    return journal.isPresent() ? journal.get().reason() : listed.status().reason();
  }

  /** What the store has lost of its events, where an operator has still to decide about it. */
  public Optional<AgentView.LostEvents> lost() {
    return journal.flatMap(AgentView::lost);
  }

  /** That it is suspended by what its journal says, and why; empty if it is not. */
  public Optional<SuspensionView> suspension() {
    return journal.flatMap(AgentView::suspension);
  }

  /** What it is suspended for; empty if it is not. */
  public Optional<String> cause() {
    return lost().isPresent() ? Optional.of(LOST) : suspension().map(one -> one.cause().name());
  }

  /** What it asks a person for, by the names to answer to. */
  public SortedSet<String> asks() {
    return pending().stream()
        .map(PendingApproval::request)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  public List<PendingApproval> pending() {
    return journal.map(AgentView::pending).orElse(List.of());
  }

  /** What its policy plans; empty for a policy that keeps no plan. */
  public Optional<PlanState> plan() {
    return journal.flatMap(known -> PlanText.kept(known.memory().entries()));
  }

  /** Runs that are accepted and have no result yet, the one under way included. */
  public int openRuns() {
    return journal.map(known -> known.runs().size()).orElse(0);
  }

  /**
   * A capability of an agent and the actions that its class declares.
   *
   * @param active whether the policy uses it
   * @param actions empty where {@code unknown} says why they are not known
   * @param unknown why the type cannot be looked at here
   */
  public record ShownCapability(
      String key,
      String type,
      int version,
      boolean active,
      List<ActionDescription> actions,
      Optional<String> unknown) {

    static ShownCapability of(
        CapabilityBlueprint blueprint, boolean active, AgentTypes types, Duration usualTimeout) {
      List<ActionDescription> actions = List.of();
      Optional<String> unknown = Optional.empty();
      try {
        actions =
            types.capability(blueprint.what()).actions(blueprint.capabilityKey(), usualTimeout);
      } catch (AgentException notHere) {
        unknown = Optional.of(notHere.getMessage());
      }
      return new ShownCapability(
          blueprint.capabilityKey(),
          blueprint.what().type(),
          blueprint.what().version(),
          active,
          actions,
          unknown);
    }
  }

  /**
   * Which agents a list has. All conditions hold at once; one that is empty holds for every agent.
   *
   * @param prefix what the agent's name begins with
   * @param policy the type of the policy in its blueprint
   * @param state by the journal, or by the directory before the first event
   * @param cause of its suspension, by the journal, or STORE for an agent whose events the store
   *     has lost; it holds for no agent that is not suspended
   * @param asking whether it has to ask a person for something
   */
  public record AgentFilter(
      String prefix,
      Optional<String> policy,
      Optional<AgentState> state,
      Optional<String> cause,
      boolean asking) {

    /** What agents may be suspended for. */
    private static final List<String> CAUSES =
        Stream.concat(
                Arrays.stream(SuspensionCause.values()).map(Enum::name), Stream.of(ShownAgent.LOST))
            .toList();

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._~-]{0,128}");

    /** Every agent. */
    public static final AgentFilter ALL =
        new AgentFilter("", Optional.empty(), Optional.empty(), Optional.empty(), false);

    /**
     * @throws IllegalArgumentException if no name can begin with the prefix, or there is no such
     *     cause; the case of its letters does not matter
     */
    public AgentFilter {
      cause =
          cause.map(word ->
              CAUSES.stream()
                  .filter(word::equalsIgnoreCase)
                  .findFirst()
                  .orElseThrow(() ->
                      new IllegalArgumentException(
                          "cause is %s, but must be one of %s".formatted(word, CAUSES))));
      if (!PREFIX.matcher(prefix).matches()) {
        throw new IllegalArgumentException(
            "prefix is up to 128 characters of A-Z a-z 0-9 . _ ~ -, not: " + prefix);
      }
    }

    /** Whether the directory does not speak against it, which says nothing of the journal. */
    boolean mayHave(ListedAgent agent) {
      return policy
          .map(type -> agent.entry().blueprint().policy().type().equals(type))
          .orElse(true);
    }

    boolean has(ShownAgent agent) {
      return state.map(one -> agent.state() == one).orElse(true)
          && cause.map(one -> agent.cause().equals(cause)).orElse(true)
          && (!asking || !agent.pending().isEmpty());
    }
  }
}
