package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonCreator;
import dev.colony.agent.ActionOutcome;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;

/**
 * The outcomes of a run's steps, as an immutable list that grows by sharing: {@link #plus} and
 * {@link #contains(String)} cost amortized constant time, where a copy per step would make a run of
 * n steps cost n squared. Lists grown from one another share their storage; the one that is
 * extended first takes the next slot, any other copies. Thread-safe.
 */
public final class Outcomes extends AbstractList<ActionOutcome> implements RandomAccess {

  /** What lists grown from one another have in common; each sees its own beginning of it. */
  private static final class Storage {

    private final List<ActionOutcome> outcomes;
    private final Map<String, Integer> positions = new HashMap<>();

    Storage(List<ActionOutcome> first) {
      outcomes = new ArrayList<>(first);
      for (int i = 0; i < first.size(); i++) {
        positions.putIfAbsent(first.get(i).actionId(), i);
      }
    }

    /** Whether there was nobody at this position yet; if so, the outcome is now. */
    synchronized boolean append(int position, ActionOutcome outcome) {
      if (outcomes.size() != position) {
        return false;
      }
      outcomes.add(outcome);
      positions.putIfAbsent(outcome.actionId(), position);
      return true;
    }

    synchronized ActionOutcome get(int position) {
      return outcomes.get(position);
    }

    synchronized int position(String actionId) {
      return positions.getOrDefault(actionId, Integer.MAX_VALUE);
    }

    synchronized List<ActionOutcome> copy(int size) {
      return List.copyOf(outcomes.subList(0, size));
    }
  }

  private final Storage storage;
  private final int size;

  private Outcomes(Storage storage, int size) {
    this.storage = storage;
    this.size = size;
  }

  public static Outcomes none() {
    return of(List.of());
  }

  /** The same outcomes as a list that can grow. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static Outcomes of(List<ActionOutcome> outcomes) {
    return new Outcomes(new Storage(outcomes), outcomes.size());
  }

  /** These and one more; this list stays as it is. */
  public Outcomes plus(ActionOutcome outcome) {
    if (storage.append(size, outcome)) {
      return new Outcomes(storage, size + 1);
    }
    Storage own = new Storage(storage.copy(size));
    own.append(size, outcome);
    return new Outcomes(own, size + 1);
  }

  /** Whether an action of this id has ended. */
  public boolean contains(String actionId) {
    return storage.position(actionId) < size;
  }

  @Override
  public ActionOutcome get(int index) {
    if (index >= size) {
      throw new IndexOutOfBoundsException(index + " of " + size);
    }
    return storage.get(index);
  }

  @Override
  public int size() {
    return size;
  }
}
