package dev.colony.core.lifecycle;

import dev.colony.core.lifecycle.EntityMachine.Circumstances;
import dev.colony.core.lifecycle.EntityState.Departure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Every state of an agent's actor, every input, and all circumstances. */
final class Situations {

  /** What a state, an input and circumstances lead to. */
  record Situation(EntityState state, EntityInput input, Circumstances now) {

    EntityMachine.Step step() {
      return EntityMachine.next(state, input, now);
    }
  }

  static final List<EntityState> STATES = states();
  static final List<EntityInput> INPUTS = inputs();
  private static final int FACTS = 10;
  private static final long OTHER_CLAIM = 7;

  private Situations() {}

  static void forEach(Consumer<Situation> seen) {
    for (EntityState state : STATES) {
      for (EntityInput input : INPUTS) {
        all().forEach(now -> seen.accept(new Situation(state, input, now)));
      }
    }
  }

  private static List<EntityState> states() {
    List<EntityState> states = new ArrayList<>();
    for (long claimed : new long[] {0, 3}) {
      states.add(new EntityState.Unavailable(claimed));
      for (Departure departure : Departure.values()) {
        states.add(new EntityState.Recovering(claimed, departure));
        for (boolean first : List.of(true, false)) {
          states.add(new EntityState.Claiming(claimed, departure, first, true));
          states.add(new EntityState.Claiming(claimed, departure, first, false));
        }
      }
    }
    for (boolean alive : List.of(true, false)) {
      states.add(new EntityState.Ready(3, alive));
      states.add(new EntityState.Passivating(3, alive, true));
      states.add(new EntityState.Passivating(3, alive, false));
      states.add(new EntityState.Leaving(3, alive));
    }
    return List.copyOf(states);
  }

  private static List<EntityInput> inputs() {
    List<EntityInput> inputs = new ArrayList<>();
    for (boolean is : List.of(true, false)) {
      inputs.add(new EntityInput.Command(is));
      inputs.add(new EntityInput.Events(is));
      inputs.add(new EntityInput.Recovered(is));
      inputs.add(new EntityInput.Unreadable(is));
      inputs.add(new EntityInput.Outcome(is));
      inputs.add(new EntityInput.Admitted(is, true));
      inputs.add(new EntityInput.Admitted(is, false));
    }
    inputs.add(new EntityInput.Declined());
    inputs.add(new EntityInput.Wake());
    inputs.add(new EntityInput.Restarted());
    inputs.add(new EntityInput.TakeOver());
    inputs.add(new EntityInput.Claimed(8));
    inputs.add(new EntityInput.Impossible());
    inputs.add(new EntityInput.Fenced());
    inputs.add(new EntityInput.Fatal());
    inputs.add(new EntityInput.Finished());
    inputs.add(new EntityInput.Changed());
    inputs.add(new EntityInput.PagesGone());
    inputs.add(new EntityInput.Learned());
    inputs.add(new EntityInput.Overdue());
    inputs.add(new EntityInput.Idle());
    inputs.add(new EntityInput.Leave());
    inputs.add(new EntityInput.LeaveNow());
    return List.copyOf(inputs);
  }

  private static Stream<Circumstances> all() {
    return IntStream.range(0, 1 << FACTS)
        .mapToObj(bits ->
            new Circumstances(
                is(bits, 0),
                is(bits, 1),
                is(bits, 2),
                is(bits, 3),
                is(bits, 4),
                is(bits, 5),
                is(bits, 6),
                is(bits, 7),
                OTHER_CLAIM,
                is(bits, 8),
                is(bits, 9)));
  }

  private static boolean is(int bits, int fact) {
    return (bits >> fact & 1) == 1;
  }
}
