package dev.colony.vcm.schedule.lease;

import dev.colony.vcm.schedule.Ask;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * What a holder says of one agent. It replaces what was said of the agent before.
 *
 * @param holder names the node, unlike any that was before
 * @param number higher than that of each earlier report of the agent, also from other holders
 * @param sentAt by the holder's clock; the answer repeats it
 */
public record Report(String holder, String agent, long number, double sentAt, Status status) {

  /** How an agent stands to leases. */
  public sealed interface Status {}

  /**
   * It holds none, and needs one before it goes on.
   *
   * @param ask names this wait among those of the agent at this holder
   * @param prompt the blocks of its latest prompt, or those that it is expected to need
   * @param waitedSeconds how long it has waited already
   * @param parked whether it waits in no memory, so that it has to be woken
   */
  public record Asking(long ask, Ask prompt, double waitedSeconds, boolean parked)
      implements Status {}

  /**
   * It holds a lease and works.
   *
   * @param turn counts the agent's turns under this lease; 0 is the one that it was granted for
   * @param prompt of the turn; empty where the authority has it
   */
  public record Running(Lease lease, long turn, Optional<Ask> prompt) implements Status {}

  /**
   * It holds a lease and thinks or waits.
   *
   * @param turn and {@code prompt}: those of the turn that has ended
   * @param prompt see {@code turn}
   * @param returnsIn in how many seconds its next turn begins, by its own word
   * @param remainingTurns how many turns it still has, by its own word
   */
  public record Idle(
      Lease lease,
      long turn,
      Optional<Ask> prompt,
      OptionalDouble returnsIn,
      OptionalInt remainingTurns)
      implements Status {}

  /**
   * It holds none and asks for none.
   *
   * @param ended whether the agent has nothing more to do
   */
  public record Released(boolean ended) implements Status {}
}
