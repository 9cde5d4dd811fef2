package dev.colony.core.lifecycle;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentState;
import dev.colony.core.lifecycle.AgentSnapshot.Home;
import dev.colony.core.lifecycle.EntityState.Departure;

/**
 * What becomes of each {@link EntityInput} in each {@link EntityState}. Pure; the whole table is
 * entity-table.md of the tests.
 *
 * <p>Two incarnations may be alive for a while when the cluster is split. Recovery therefore ends
 * by journaling a claim before any effect begins; commands wait until it is durable, but for the
 * first one, which may be journaled in one append with it. The journal takes events only from the
 * one who wrote last, so the older incarnation fails at its next write. It cannot tell from the
 * failure whether the store is troubled or it was overtaken; after a pause it recovers and sees: if
 * another node has claimed since, it stops for good, otherwise it claims again.
 *
 * <p>The sharding's passivation would count messages through the shard only and stop an agent in
 * the middle of a model call; so the agent asks for it itself, when nothing has been outstanding
 * for a while. One that has to leave with work outstanding has itself started again elsewhere.
 */
public final class EntityMachine {

  private EntityMachine() {}

  /** What the actor does. */
  public enum Reaction {
    IGNORE,
    /** Keeps the message until the agent is claimed. */
    STASH,
    /** Does with the message what the agent's lifecycle decides, and answers it. */
    HANDLE,
    /** Journals the claim and the command in one append; keeps the message if it cannot. */
    CLAIM_WITH,
    /** Sends the message on to where the agent lives. */
    FORWARD,
    /** The same, and asks the shard to stop this actor. */
    FORWARD_AND_PASSIVATE,
    /** Has the next actor of this unit answer, which reads the journal anew. */
    BEGIN_ANEW,
    /** Goes on to {@link #CLAIM}. */
    TAKE_OVER,
    /** Asks the directory what the agent is. */
    LOOK_UP,
    /** Has the journal hold the agent back until an operator has decided. */
    HOLD_BACK,
    CLAIM,
    BEGIN,
    PROCEED,
    /** Has the agent wait for capacity where that costs no memory. */
    SEND_AWAY,
    /** Sees whether the effect under way is still the right one. */
    RECONSIDER,
    PASSIVATE,
    /** Abandons what is under way and asks the shard to stop this actor. */
    ABANDON,
    /** Waits for the external action under way, for a bounded time. */
    AWAIT_ACTION,
    /** Goes on to the end by {@link EntityInput.LeaveNow}. */
    LEAVE_NOW,
    /** Goes on to the end by {@link EntityInput.Fenced}. */
    FENCE,
    STOP,
    /** Stops and has the agent started again, wherever its shard will be. */
    STOP_AND_WAKE,
    /** Stops and has the agent started where it lives. */
    STOP_AND_WAKE_HOME,
    /** Answers that the agent cannot be there. */
    REFUSE,
    /** Fails; supervision decides. */
    FAIL
  }

  public record Step(EntityState state, Reaction reaction) {}

  /**
   * What the decision needs to know besides.
   *
   * @param elsewhere whether the agent lives in another placement unit than this actor
   * @param moved whether the directory knows where it lives
   * @param known whether the journal says what the agent is
   * @param terminal whether it has come to its end
   * @param outstanding whether it has something to do
   * @param waiting whether its run is blocked in memory
   * @param serves whether it is to be there for others even where it has nothing to do
   * @param external whether an external action is under way or was when the journal ends
   * @param incarnation the number of the last claim in the journal
   * @param foreign whether another node has made that claim
   * @param resting whether no effect is under way
   */
  public record Circumstances(
      boolean elsewhere,
      boolean moved,
      boolean known,
      boolean terminal,
      boolean outstanding,
      boolean waiting,
      boolean serves,
      boolean external,
      long incarnation,
      boolean foreign,
      boolean resting) {

    /** Before the journal is read. */
    public static final Circumstances UNKNOWN = of(AgentSnapshot.UNBORN, 0, "", true);

    /**
     * Those of an actor.
     *
     * @param agent as its journal tells it
     * @param unit that the actor is in
     * @param node that it is on
     * @param resting whether no effect is under way
     */
    public static Circumstances of(AgentSnapshot agent, int unit, String node, boolean resting) {
      return new Circumstances(
          agent.home().filter(home -> home.unit() != unit).isPresent(),
          agent.home().filter(Home::known).isPresent(),
          agent.blueprint().isPresent(),
          agent.state().terminal(),
          agent.outstanding(),
          agent.state() == AgentState.WAITING,
          serves(agent),
          agent.active().filter(ActiveRun::acting).isPresent(),
          agent.incarnation(),
          !agent.node().equals(node),
          resting);
    }

    /** Whether the agent is to be there for others even where it has nothing to do. */
    public static boolean serves(AgentSnapshot agent) {
      return !agent.state().terminal()
          && agent.suspension().isEmpty()
          && agent.blueprint().filter(what -> what.kind() == AgentKind.SERVICE).isPresent();
    }
  }

  public static Step next(EntityState state, EntityInput input, Circumstances now) {
    if (state instanceof EntityState.Unavailable) {
      return new Step(state, unavailable(input));
    }
    return switch (input) {
      case EntityInput.Remote remote -> remote(state, remote, now);
      case EntityInput.Recovered recovered -> recovered(state, recovered, now);
      case EntityInput.Unreadable unreadable ->
          unreadable.retried() ? same(state, Reaction.IGNORE) : refused(state);
      case EntityInput.Restarted restarted ->
          new Step(new EntityState.Recovering(state.claimed(), state.leaves()), Reaction.IGNORE);
      case EntityInput.TakeOver takeOver ->
          state instanceof EntityState.Claiming claiming
              ? new Step(withoutFirst(claiming), Reaction.CLAIM)
              : same(state, Reaction.IGNORE);
      case EntityInput.Claimed claimed -> claimed(state, claimed.incarnation());
      case EntityInput.Impossible impossible -> refused(state);
      case EntityInput.Fenced fenced -> same(state, Reaction.STOP);
      case EntityInput.Fatal fatal -> same(state, Reaction.FAIL);
      case EntityInput.Outcome outcome -> ifClaimed(state, outcome.awaited());
      case EntityInput.Admitted admitted -> admitted(state, admitted, now);
      case EntityInput.Finished finished -> finished(state, now);
      case EntityInput.Changed changed -> changed(state);
      case EntityInput.PagesGone gone -> ifClaimed(state, true);
      case EntityInput.Learned learned -> same(state, Reaction.HANDLE);
      case EntityInput.Overdue overdue ->
          same(
              state,
              state.claims() && state.leaves() != Departure.LEAVING
                  ? Reaction.HANDLE
                  : Reaction.IGNORE);
      case EntityInput.Idle idle ->
          now.resting()
              ? new Step(passivating(state), Reaction.PASSIVATE)
              : same(state, Reaction.IGNORE);
      case EntityInput.Leave leave ->
          state.claims() && now.external() && !now.resting()
              ? new Step(
                  new EntityState.Leaving(state.claimed(), alive(state)), Reaction.AWAIT_ACTION)
              : same(state, stop(state, now));
      case EntityInput.LeaveNow leave -> same(state, stop(state, now));
    };
  }

  private static Reaction unavailable(EntityInput input) {
    return switch (input) {
      case EntityInput.Remote remote -> Reaction.REFUSE;
      case EntityInput.Idle idle -> Reaction.PASSIVATE;
      case EntityInput.Leave leave -> Reaction.STOP;
      case EntityInput.LeaveNow leave -> Reaction.STOP;
      case EntityInput.Recovered recovered -> Reaction.IGNORE;
      case EntityInput.Unreadable unreadable -> Reaction.IGNORE;
      case EntityInput.Restarted restarted -> Reaction.IGNORE;
      case EntityInput.TakeOver takeOver -> Reaction.IGNORE;
      case EntityInput.Claimed claimed -> Reaction.IGNORE;
      case EntityInput.Impossible impossible -> Reaction.IGNORE;
      case EntityInput.Fenced fenced -> Reaction.IGNORE;
      case EntityInput.Fatal fatal -> Reaction.IGNORE;
      case EntityInput.Outcome outcome -> Reaction.IGNORE;
      case EntityInput.Admitted admitted -> Reaction.IGNORE;
      case EntityInput.Finished finished -> Reaction.IGNORE;
      case EntityInput.Changed changed -> Reaction.IGNORE;
      case EntityInput.PagesGone gone -> Reaction.IGNORE;
      case EntityInput.Learned learned -> Reaction.IGNORE;
      case EntityInput.Overdue overdue -> Reaction.IGNORE;
    };
  }

  /**
   * What has reached a former home is sent on; an actor that was started by it does nothing else
   * and leaves, so that the next one reads anew where the agent lives. An agent that has come to
   * its end in this actor may have been purged since, and its name given to another one, of which
   * this actor knows nothing.
   */
  private static Step remote(EntityState state, EntityInput.Remote remote, Circumstances now) {
    if (state instanceof EntityState.Recovering) {
      return same(state, Reaction.STASH);
    }
    if (now.elsewhere()) {
      return same(state, state.claims() ? Reaction.FORWARD : Reaction.FORWARD_AND_PASSIVATE);
    }
    if (state.claims() && alive(state) && now.terminal() && now.resting()) {
      return same(state, Reaction.BEGIN_ANEW);
    }
    return switch (remote) {
      case EntityInput.Declined declined -> same(state, Reaction.HANDLE);
      case EntityInput.Wake wake -> same(state, Reaction.IGNORE);
      case EntityInput.Events events ->
          same(state, state.claims() && events.watching() ? Reaction.HANDLE : Reaction.STASH);
      case EntityInput.Command command -> {
        if (state.claims()) {
          yield same(state, Reaction.HANDLE);
        }
        yield command.claims() && state instanceof EntityState.Claiming first && first.first()
            ? new Step(withoutFirst(first), Reaction.CLAIM_WITH)
            : same(state, Reaction.STASH);
      }
    };
  }

  private static Step recovered(
      EntityState state, EntityInput.Recovered recovered, Circumstances now) {
    Reaction reaction;
    if (state.leaves() == Departure.LEAVING) {
      reaction = Reaction.LEAVE_NOW;
    } else if (now.elsewhere()) {
      reaction = Reaction.PASSIVATE;
    } else if (state.claimed() > 0 && now.incarnation() > state.claimed() && now.foreign()) {
      reaction = Reaction.FENCE;
    } else if (recovered.lost()) {
      reaction = Reaction.HOLD_BACK;
    } else {
      reaction = now.known() ? Reaction.TAKE_OVER : Reaction.LOOK_UP;
    }
    boolean first = reaction == Reaction.TAKE_OVER;
    return new Step(
        new EntityState.Claiming(state.claimed(), state.leaves(), first, !now.terminal()),
        reaction);
  }

  private static Step claimed(EntityState state, long incarnation) {
    boolean alive = alive(state);
    EntityState next =
        switch (state.leaves()) {
          case NONE -> new EntityState.Ready(incarnation, alive);
          case PASSIVATING -> new EntityState.Passivating(incarnation, alive, false);
          case MISSED -> new EntityState.Passivating(incarnation, alive, true);
          case LEAVING -> new EntityState.Leaving(incarnation, alive);
        };
    return new Step(next, Reaction.BEGIN);
  }

  /** What waits for capacity while the agent is to leave is not sent away: it leaves. */
  private static Step admitted(
      EntityState state, EntityInput.Admitted admitted, Circumstances now) {
    if (!state.claims() || !admitted.awaited()) {
      return same(state, Reaction.IGNORE);
    }
    return admitted.granted() || state.leaves() == Departure.LEAVING
        ? finished(state, now)
        : same(state, Reaction.SEND_AWAY);
  }

  private static Step finished(EntityState state, Circumstances now) {
    if (!state.claims()) {
      return same(state, Reaction.IGNORE);
    }
    if (state.leaves() == Departure.LEAVING) {
      return same(state, Reaction.LEAVE_NOW);
    }
    return same(state, now.elsewhere() && now.moved() ? Reaction.ABANDON : Reaction.PROCEED);
  }

  private static Step changed(EntityState state) {
    return switch (state) {
      case EntityState.Ready ready -> same(ready, Reaction.RECONSIDER);
      case EntityState.Passivating left ->
          new Step(
              new EntityState.Passivating(left.claimed(), left.alive(), true), Reaction.IGNORE);
      case EntityState.Leaving leaving -> same(leaving, Reaction.IGNORE);
      case EntityState.Claiming claiming ->
          new Step(
              new EntityState.Claiming(
                  claiming.claimed(),
                  missed(claiming.departure()),
                  claiming.first(),
                  claiming.alive()),
              Reaction.IGNORE);
      case EntityState.Recovering recovering -> same(recovering, Reaction.IGNORE);
      case EntityState.Unavailable unavailable -> same(unavailable, Reaction.IGNORE);
    };
  }

  private static Departure missed(Departure departure) {
    return departure == Departure.PASSIVATING ? Departure.MISSED : departure;
  }

  private static EntityState passivating(EntityState state) {
    return switch (state) {
      case EntityState.Ready ready ->
          new EntityState.Passivating(ready.claimed(), ready.alive(), false);
      case EntityState.Claiming claiming ->
          new EntityState.Claiming(
              claiming.claimed(),
              passivating(claiming.departure()),
              claiming.first(),
              claiming.alive());
      case EntityState.Recovering recovering ->
          new EntityState.Recovering(recovering.claimed(), passivating(recovering.departure()));
      case EntityState.Passivating already -> already;
      case EntityState.Leaving leaving -> leaving;
      case EntityState.Unavailable unavailable -> unavailable;
    };
  }

  private static Departure passivating(Departure departure) {
    return departure == Departure.NONE ? Departure.PASSIVATING : departure;
  }

  /** The agent is started again if it is wanted: it has work, or it is to be there for others. */
  private static Reaction stop(EntityState state, Circumstances now) {
    boolean resting = state.claims() && now.resting() && !now.waiting();
    boolean missed = state.leaves() == Departure.MISSED;
    boolean wanted = now.outstanding() && (missed || !resting) || now.serves();
    if (!wanted) {
      return Reaction.STOP;
    }
    return now.elsewhere() ? Reaction.STOP_AND_WAKE_HOME : Reaction.STOP_AND_WAKE;
  }

  private static boolean alive(EntityState state) {
    return switch (state) {
      case EntityState.Claiming claiming -> claiming.alive();
      case EntityState.Ready ready -> ready.alive();
      case EntityState.Passivating passivating -> passivating.alive();
      case EntityState.Leaving leaving -> leaving.alive();
      case EntityState.Recovering recovering -> false;
      case EntityState.Unavailable unavailable -> false;
    };
  }

  private static EntityState.Claiming withoutFirst(EntityState.Claiming one) {
    return new EntityState.Claiming(one.claimed(), one.departure(), false, one.alive());
  }

  private static Step refused(EntityState state) {
    return new Step(new EntityState.Unavailable(state.claimed()), Reaction.REFUSE);
  }

  private static Step ifClaimed(EntityState state, boolean awaited) {
    return same(state, state.claims() && awaited ? Reaction.HANDLE : Reaction.IGNORE);
  }

  private static Step same(EntityState state, Reaction reaction) {
    return new Step(state, reaction);
  }
}
