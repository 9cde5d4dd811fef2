package dev.colony.node.entity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.Watch;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.pekko.persistence.typed.SnapshotAdapter;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;

/**
 * The states of a node's agents, as they follow from the journal. Agents by the thousand are
 * spawned from one blueprint, and each has read it from its own journal; here they come to share
 * it, which is most of what an idle one takes. Thread-safe.
 */
final class SharedStates
    implements EventHandler<AgentSnapshot, AgentEvent>, SnapshotAdapter<AgentSnapshot> {

  private final Lifecycle lifecycle;
  private final Interned<AgentBlueprint> blueprints = new Interned<>();
  private final Interned<Set<KeyGlob>> globs = new Interned<>();

  SharedStates(Lifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  /** Patterns of writes, for the code that keeps them. */
  Set<KeyGlob> shared(Set<KeyGlob> patterns) {
    return globs.of(patterns);
  }

  @Override
  public AgentSnapshot apply(AgentSnapshot state, AgentEvent event) {
    AgentSnapshot next = lifecycle.apply(state, event);
    if (event instanceof AgentEvent.Spawned spawned) {
      return next.spawned(blueprints.of(spawned.blueprint()));
    }
    if (event instanceof AgentEvent.BlueprintRevised revised) {
      return next.spawned(blueprints.of(revised.blueprint()));
    }
    return event instanceof AgentEvent.ScopesWatched watched
        ? next.watches(shared(watched.watches()))
        : next;
  }

  @Override
  public Object toJournal(AgentSnapshot state) {
    return state;
  }

  @Override
  public AgentSnapshot fromJournal(Object stored) {
    AgentSnapshot state = (AgentSnapshot) stored;
    return state
        .blueprint()
        .map(blueprint -> state.spawned(blueprints.of(blueprint)))
        .orElse(state)
        .watches(shared(state.watches()));
  }

  private List<Watch> shared(List<Watch> watches) {
    return watches.stream().map(watch -> watch.globs(shared(watch.globs()))).toList();
  }

  /**
   * Values of which equal ones are one object for as long as a reference holds it; it holds none
   * itself, so that it is as large as what is in use. For immutable values that many agents have in
   * common. Thread-safe.
   */
  private static final class Interned<T> {

    private final Map<T, WeakReference<T>> known = new WeakHashMap<>();

    /** The one that is equal to this, which is this one if there was none. */
    synchronized T of(T value) {
      WeakReference<T> held = known.get(value);
      T same = held == null ? null : held.get();
      if (same == null) {
        known.put(value, new WeakReference<>(value));
        return value;
      }
      return same;
    }
  }
}
