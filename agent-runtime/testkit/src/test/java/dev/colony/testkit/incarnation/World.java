package dev.colony.testkit.incarnation;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.EntityState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Two incarnations of one agent and all that they share, at one moment. Immutable.
 *
 * @param journal what is durable, and which actor has written it
 * @param actors one on each node
 * @param deliveries how often each message has been delivered
 * @param keys the idempotency keys under which each action was executed
 * @param results those that were published of each run
 * @param answered the runs whose callers were told that they are accepted
 * @param failures of the journal so far
 * @param crashes of actors so far
 */
record World(
    List<Entry> journal,
    List<Actor> actors,
    List<Integer> deliveries,
    Map<String, Set<String>> keys,
    Map<RunId, Set<AgentRun>> results,
    Set<RunId> answered,
    int failures,
    int crashes) {

  /** An event and its writer. */
  record Entry(int writer, AgentEvent event) {

    /** Cheap: equal journals have equal types in the same order. */
    @Override
    public int hashCode() {
      return 31 * writer + event.getClass().hashCode();
    }
  }

  /**
   * The actor of the agent on a node.
   *
   * @param state of the agent as far as this actor has read and written
   * @param seen the events that this state is of
   * @param takesOver whether it is about to claim the agent
   * @param effect that is under way
   * @param stage how far that has come
   * @param begunIn the state in which it was begun
   */
  record Actor(
      EntityState at,
      AgentSnapshot state,
      int seen,
      boolean takesOver,
      AgentEffect effect,
      int stage,
      AgentSnapshot begunIn) {

    static final Actor STARTED = in(EntityState.Recovering.STARTED);

    /** One that knows nothing of the agent. */
    static Actor in(EntityState at) {
      return new Actor(
          at, AgentSnapshot.UNBORN, 0, false, new AgentEffect.Nothing(), 0, AgentSnapshot.UNBORN);
    }

    /** Cheap: what the actor knows follows from how much of the journal it has seen. */
    @Override
    public int hashCode() {
      return Objects.hash(at, seen, takesOver, effect.getClass(), stage);
    }

    boolean resting() {
      return effect instanceof AgentEffect.Nothing;
    }

    Actor at(EntityState next) {
      return new Actor(next, state, seen, takesOver, effect, stage, begunIn);
    }

    Actor takesOver(boolean does) {
      return new Actor(at, state, seen, does, effect, stage, begunIn);
    }

    Actor knows(AgentSnapshot next, int events) {
      return new Actor(at, next, events, takesOver, effect, stage, begunIn);
    }

    Actor begins(AgentEffect next) {
      return new Actor(at, state, seen, takesOver, next, 0, state);
    }

    Actor stage(int next) {
      return new Actor(at, state, seen, takesOver, effect, next, begunIn);
    }
  }

  static World of(int messages) {
    return new World(
        List.of(),
        List.of(Actor.STARTED, Actor.STARTED),
        Collections.nCopies(messages, 0),
        Map.of(),
        Map.of(),
        Set.of(),
        0,
        0);
  }

  World actor(int one, Actor next) {
    return new World(
        journal, with(actors, one, next), deliveries, keys, results, answered, failures, crashes);
  }

  World appended(int writer, List<AgentEvent> events) {
    List<Entry> longer = new ArrayList<>(journal);
    events.forEach(event -> longer.add(new Entry(writer, event)));
    return new World(
        List.copyOf(longer), actors, deliveries, keys, results, answered, failures, crashes);
  }

  World delivered(int message) {
    return new World(
        journal,
        actors,
        with(deliveries, message, deliveries.get(message) + 1),
        keys,
        results,
        answered,
        failures,
        crashes);
  }

  World executed(String action, String key) {
    return new World(
        journal, actors, deliveries, plus(keys, action, key), results, answered, failures, crashes);
  }

  World published(AgentRun run) {
    return new World(
        journal,
        actors,
        deliveries,
        keys,
        plus(results, run.runId(), run),
        answered,
        failures,
        crashes);
  }

  World answered(RunId run) {
    Set<RunId> more = new HashSet<>(answered);
    more.add(run);
    return new World(
        journal, actors, deliveries, keys, results, Set.copyOf(more), failures, crashes);
  }

  World failed() {
    return new World(journal, actors, deliveries, keys, results, answered, failures + 1, crashes);
  }

  World crashed() {
    return new World(journal, actors, deliveries, keys, results, answered, failures, crashes + 1);
  }

  private static <T> List<T> with(List<T> list, int index, T one) {
    List<T> changed = new ArrayList<>(list);
    changed.set(index, one);
    return List.copyOf(changed);
  }

  private static <K, V> Map<K, Set<V>> plus(Map<K, Set<V>> map, K key, V value) {
    Map<K, Set<V>> more = new HashMap<>(map);
    Set<V> values = new HashSet<>(map.getOrDefault(key, Set.of()));
    values.add(value);
    more.put(key, Set.copyOf(values));
    return Map.copyOf(more);
  }
}
