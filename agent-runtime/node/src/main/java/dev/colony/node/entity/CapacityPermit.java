package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.core.lifecycle.ActiveRun;
import dev.colony.core.lifecycle.AgentCommand;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.Intent;
import dev.colony.node.activation.CancellationToken;
import dev.colony.node.admission.NextUse;
import dev.colony.node.admission.NodeLeases;
import dev.colony.node.admission.NodeSlots;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An agent's slot among those at work on its node: taken before the first iteration of a run, or
 * after a wait of the run, and given back when the run waits, ends or is suspended. Where leases
 * are kept, each iteration needs the agent's lease at a replica, too, which outlasts the slot. Used
 * by the agent's actor only.
 */
final class CapacityPermit {

  private final AgentId agent;
  private final NodeSlots slots;
  private final Optional<NodeLeases> leases;
  private final InstantSource clock;
  private final Consumer<AgentMessage> self;
  private Optional<NodeSlots.Slot> slot = Optional.empty();

  /**
   * @param leases empty where none are kept
   * @param self takes what becomes of a wait, from any thread
   */
  CapacityPermit(
      AgentId agent,
      NodeSlots slots,
      Optional<NodeLeases> leases,
      InstantSource clock,
      Consumer<AgentMessage> self) {
    this.agent = agent;
    this.slots = slots;
    this.leases = leases;
    this.clock = clock;
    this.self = self;
  }

  /**
   * What the agent may do now of what it is to do: the same; or nothing before it has been told
   * {@link AgentMessage.Placed}; or to be suspended, because another one needs the slot.
   */
  Optional<AgentEffect> admit(AgentEffect work, AgentSnapshot state, CancellationToken token) {
    if (!atWork(state)) {
      giveBack();
      if (state.blueprint().isPresent()) {
        rests(NextUse.of(state, clock.instant()));
      }
    } else if (work instanceof AgentEffect.Iterate
        && state.phase() == AgentSnapshot.Phase.ITERATING) {
      return toIterate(work, state, token);
    } else if (begun(work) && slot.isEmpty()) {
      // What has begun cannot wait: it has to be known what became of it.
      slot = Optional.of(slots.insist(request(state)));
    }
    slot.ifPresent(held -> token.holds(new LentSlot(held)));
    return Optional.of(work);
  }

  /** Whether an external action has begun with it before. */
  private static boolean begun(AgentEffect work) {
    return work instanceof AgentEffect.FinishIntended || work instanceof AgentEffect.Iterate;
  }

  private Optional<AgentEffect> toIterate(
      AgentEffect work, AgentSnapshot state, CancellationToken token) {
    if (slot.filter(NodeSlots.Slot::yields).isPresent()) {
      leave();
      return Optional.of(suspended("it gives way to an agent of higher priority"));
    }
    if (slot.filter(NodeSlots.Slot::held).isEmpty()) {
      // A wait tells the work that it is for, which this is not.
      leave();
      boolean visitor = state.active().flatMap(ActiveRun::capacityWait).isPresent();
      slot = Optional.of(slots.ask(request(state), visitor, new Told(token)));
    }
    slot.ifPresent(asked -> token.holds(new LentSlot(asked)));
    return slot.filter(NodeSlots.Slot::held).isPresent() && leased(state, token)
        ? Optional.of(work)
        : Optional.empty();
  }

  /** Whether the agent has its lease, or needs none; otherwise it is told when it has. */
  private boolean leased(AgentSnapshot state, CancellationToken token) {
    return leases
        .map(all -> {
          Instant since = request(state).since();
          Duration waited = Duration.between(since, clock.instant());
          return all.begins(
              agent,
              state.incarnation(),
              state.blueprint().orElseThrow(),
              waited.isNegative() ? Duration.ZERO : waited,
              new Told(token));
        })
        .orElse(true);
  }

  /** Ends the wait in memory: the agent waits where that costs no memory. */
  AgentEffect sentAway(ResourceExhausted why) {
    leave();
    return suspended(why.reason());
  }

  /** Gives the slot back, or ends the wait for one; the lease stays while it is not wanted. */
  void leave() {
    giveBack();
    rests(new NextUse.Unknown());
  }

  private void rests(NextUse next) {
    leases.ifPresent(all -> all.rests(agent, next));
  }

  private void giveBack() {
    slot.ifPresent(NodeSlots.Slot::giveBack);
    slot = Optional.empty();
  }

  private SlotRequest request(AgentSnapshot state) {
    Instant since = state.active().flatMap(ActiveRun::capacityWait).orElseGet(clock::instant);
    return SlotRequest.of(agent, state.blueprint().orElseThrow(), since);
  }

  private static boolean atWork(AgentSnapshot state) {
    AgentSnapshot.Phase phase = state.phase();
    return state.state() == AgentState.RUNNING
        && (phase == AgentSnapshot.Phase.ITERATING || phase == AgentSnapshot.Phase.INTENDED);
  }

  private AgentEffect suspended(String reason) {
    return new AgentEffect.IssueCommand(
        new AgentCommand.Apply(
            new Intent.Suspend(
                SuspensionCause.CAPACITY,
                reason,
                Optional.of(new ResumptionCondition.ResourceAvailable())),
            clock.instant()));
  }

  /** What the agent's steps lend while they wait for other agents. */
  private record LentSlot(NodeSlots.Slot slot) implements CancellationToken.Lendable {

    @Override
    public void lend() {
      slot.lend();
    }

    @Override
    public void takeBack() {
      slot.takeBack();
    }
  }

  /** Passes on what becomes of the wait for a piece of work. */
  private final class Told implements NodeSlots.Waiter, NodeLeases.Waiter {

    private final CancellationToken token;

    private Told(CancellationToken token) {
      this.token = token;
    }

    @Override
    public void granted() {
      self.accept(new AgentMessage.Placed(token, Optional.empty()));
    }

    @Override
    public void sentAway(ResourceExhausted why) {
      self.accept(new AgentMessage.Placed(token, Optional.of(why)));
    }
  }
}
