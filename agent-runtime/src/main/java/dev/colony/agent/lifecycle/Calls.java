package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonCreator;
import dev.colony.agent.action.ActionCall;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;

/**
 * The actions of a run and what became of them, as an immutable list that grows by sharing: {@link
 * #plus} and {@link #contains(String)} cost amortized constant time, where a copy per step would
 * make a run of n steps cost n squared. Lists grown from one another share their storage; the one
 * that is extended first takes the next slot, any other copies. Thread-safe.
 */
public final class Calls extends AbstractList<ActionCall> implements RandomAccess {

  /** What lists grown from one another have in common; each sees its own beginning of it. */
  private static final class Storage {

    private final List<ActionCall> calls;
    private final Map<String, Integer> positions = new HashMap<>();

    Storage(List<ActionCall> first) {
      calls = new ArrayList<>(first);
      for (int i = 0; i < first.size(); i++) {
        positions.putIfAbsent(first.get(i).action().actionId(), i);
      }
    }

    /** Whether this position was free; if so, the call takes it. */
    synchronized boolean append(int position, ActionCall call) {
      if (calls.size() != position) {
        return false;
      }
      calls.add(call);
      positions.putIfAbsent(call.action().actionId(), position);
      return true;
    }

    synchronized ActionCall get(int position) {
      return calls.get(position);
    }

    synchronized int position(String actionId) {
      return positions.getOrDefault(actionId, Integer.MAX_VALUE);
    }

    synchronized List<ActionCall> copy(int size) {
      return List.copyOf(calls.subList(0, size));
    }
  }

  private final Storage storage;
  private final int size;

  private Calls(Storage storage, int size) {
    this.storage = storage;
    this.size = size;
  }

  public static Calls none() {
    return of(List.of());
  }

  /** The same calls as a list that can grow. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static Calls of(List<ActionCall> calls) {
    return new Calls(new Storage(calls), calls.size());
  }

  /** These and one more; this list stays as it is. */
  public Calls plus(ActionCall call) {
    if (storage.append(size, call)) {
      return new Calls(storage, size + 1);
    }
    Storage own = new Storage(storage.copy(size));
    own.append(size, call);
    return new Calls(own, size + 1);
  }

  /** Whether an action of this id is among them. */
  public boolean contains(String actionId) {
    return storage.position(actionId) < size;
  }

  @Override
  public ActionCall get(int index) {
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
