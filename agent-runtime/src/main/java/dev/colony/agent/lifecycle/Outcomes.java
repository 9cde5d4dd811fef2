package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonCreator;
import dev.colony.agent.ActionOutcome;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The outcomes of a run's steps, as an immutable list that grows by sharing: {@link #plus} costs
 * amortized constant time where a copy would make a run of n steps cost n squared. Lists grown from
 * one another share an array; the one that is extended first takes the next slot, any other copies.
 */
public final class Outcomes extends AbstractList<ActionOutcome> implements RandomAccess {

  private static final int FIRST_CAPACITY = 8;

  private final ActionOutcome[] shared;
  private final AtomicInteger taken;
  private final int size;

  private Outcomes(ActionOutcome[] shared, AtomicInteger taken, int size) {
    this.shared = shared;
    this.taken = taken;
    this.size = size;
  }

  public static Outcomes none() {
    return new Outcomes(new ActionOutcome[0], new AtomicInteger(), 0);
  }

  /** The same outcomes as a list that can grow. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static Outcomes of(List<ActionOutcome> outcomes) {
    ActionOutcome[] array = outcomes.toArray(ActionOutcome[]::new);
    return new Outcomes(array, new AtomicInteger(array.length), array.length);
  }

  /** These and one more; this list stays as it is. */
  public Outcomes plus(ActionOutcome outcome) {
    boolean own = size < shared.length && taken.compareAndSet(size, size + 1);
    ActionOutcome[] array =
        own ? shared : Arrays.copyOf(shared, Math.max(FIRST_CAPACITY, 2 * size + 1));
    if (!own) {
      Arrays.fill(array, size, Math.min(shared.length, array.length), null);
    }
    array[size] = outcome;
    return new Outcomes(array, own ? taken : new AtomicInteger(size + 1), size + 1);
  }

  @Override
  public ActionOutcome get(int index) {
    if (index >= size) {
      throw new IndexOutOfBoundsException(index + " of " + size);
    }
    return shared[index];
  }

  @Override
  public int size() {
    return size;
  }
}
