package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonCreator;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult.ActionHistory;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.RandomAccess;

/**
 * The actions of a run and what became of them, as an immutable list that grows by sharing: {@link
 * #plus} and finding an action cost amortized constant time, where a copy per step or a search in
 * it would make a run of n steps cost n squared. Lists grown from one another share their storage;
 * the one that is extended first takes the next slot, any other copies. Thread-safe.
 *
 * <p>{@link #newest} lets go of the oldest ones, so that a run without an end has a list that has
 * one. What a shared storage holds before the first call of a list goes with the next copy, which
 * is made when it is more than half of it.
 */
public final class SharedActionHistory extends AbstractList<ActionCall>
    implements ActionHistory, RandomAccess {

  /** What lists grown from one another have in common; each sees its own stretch of it. */
  private static final class Storage {

    private final List<ActionCall> calls = new ArrayList<>();

    /** How large all calls up to and including one are. */
    private final List<Long> bytes = new ArrayList<>();

    private final Map<String, Integer> positions = new HashMap<>();

    /** Where actions were dispatched again, by the ids under which they were first. */
    private final Map<String, List<Integer>> repeated = new HashMap<>();

    /** Where actions asked for a person's answer. */
    private final List<Integer> asking = new ArrayList<>();

    Storage(List<ActionCall> first) {
      first.forEach(this::add);
    }

    private void add(ActionCall call) {
      String id = call.action().actionId();
      positions.putIfAbsent(id, calls.size());
      String first = Action.firstId(id);
      if (!first.equals(id)) {
        repeated.computeIfAbsent(first, key -> new ArrayList<>()).add(calls.size());
      }
      if (call.asked().isPresent()) {
        asking.add(calls.size());
      }
      bytes.add(bytesBefore(calls.size()) + StepSize.of(call));
      calls.add(call);
    }

    /**
     * Whether this position was free, and the call's id before it, too; if so, the call takes it.
     *
     * @param from where the list begins that is to grow
     */
    synchronized boolean append(int from, int position, ActionCall call) {
      boolean forgotten = position(call.action().actionId()) < from;
      if (calls.size() != position || forgotten) {
        return false;
      }
      add(call);
      return true;
    }

    synchronized ActionCall get(int position) {
      return calls.get(position);
    }

    synchronized int position(String actionId) {
      return positions.getOrDefault(actionId, Integer.MAX_VALUE);
    }

    /** The last position before {@code to} at which an action was dispatched, or -1. */
    synchronized int latest(String actionId, int to) {
      int first = position(actionId);
      int latest = first < to ? first : -1;
      List<Integer> again = repeated.get(actionId);
      for (int i = again == null ? -1 : again.size() - 1; i >= 0; i--) {
        if (again.get(i) < to) {
          return Math.max(latest, again.get(i));
        }
      }
      return latest;
    }

    synchronized List<ActionCall> asking(int from, int to) {
      return asking.stream()
          .filter(position -> position >= from && position < to)
          .map(calls::get)
          .toList();
    }

    synchronized long bytesBefore(int position) {
      return position == 0 ? 0 : bytes.get(position - 1);
    }

    synchronized List<ActionCall> copy(int from, int to) {
      return List.copyOf(calls.subList(from, to));
    }
  }

  private final Storage storage;
  private final int from;
  private final int to;

  private SharedActionHistory(Storage storage, int from, int to) {
    this.storage = storage;
    this.from = from;
    this.to = to;
  }

  public static SharedActionHistory none() {
    return of(List.of());
  }

  /** The same calls as a list that can grow. */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static SharedActionHistory of(List<ActionCall> calls) {
    return new SharedActionHistory(new Storage(calls), 0, calls.size());
  }

  /** These and one more; this list stays as it is. */
  public SharedActionHistory plus(ActionCall call) {
    if (storage.append(from, to, call)) {
      return new SharedActionHistory(storage, from, to + 1);
    }
    Storage own = new Storage(storage.copy(from, to));
    own.append(0, size(), call);
    return new SharedActionHistory(own, 0, size() + 1);
  }

  /**
   * The newest of these calls: as many as take no more bytes than given, about, and the last one
   * whatever it takes.
   */
  SharedActionHistory newest(long most) {
    int begin = from;
    long end = storage.bytesBefore(to);
    while (begin < to - 1 && end - storage.bytesBefore(begin) > most) {
      begin++;
    }
    return begin > to - begin
        ? of(storage.copy(begin, to))
        : new SharedActionHistory(storage, begin, to);
  }

  long bytes() {
    return storage.bytesBefore(to) - storage.bytesBefore(from);
  }

  public boolean contains(String actionId) {
    int position = storage.position(actionId);
    return position >= from && position < to;
  }

  @Override
  public Optional<ActionCall> call(String actionId) {
    return contains(actionId)
        ? Optional.of(storage.get(storage.position(actionId)))
        : Optional.empty();
  }

  @Override
  public Optional<ActionCall> latest(String actionId) {
    int position = storage.latest(actionId, to);
    return position < from ? Optional.empty() : Optional.of(storage.get(position));
  }

  @Override
  public List<ActionCall> pending() {
    Map<String, ActionCall> byFirst = new LinkedHashMap<>();
    for (ActionCall call : storage.asking(from, to)) {
      byFirst.put(Action.firstId(call.action().actionId()), call);
    }
    return byFirst.entrySet().stream()
        .filter(asked -> latest(asked.getKey()).filter(asked.getValue()::equals).isPresent())
        .map(Map.Entry::getValue)
        .toList();
  }

  @Override
  public ActionCall get(int index) {
    if (index < 0 || index >= size()) {
      throw new IndexOutOfBoundsException(index + " of " + size());
    }
    return storage.get(from + index);
  }

  @Override
  public int size() {
    return to - from;
  }
}
