package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.author.EventStream.Subscriptions;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.value.ValueMapper;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * A part of an agent: what it can do ({@link ActionExecutor} methods), what it reacts to ({@link
 * EventHandler} methods), what it does in the {@link Background}, and what it hooks into ({@link
 * dev.colony.agent.author.Hook} methods).
 *
 * <p>An implementation has one constructor, which takes a {@link CapabilityContext} and, if the
 * type has arguments, the record of these. It is made on the owning node when the agent has
 * something to do, and thrown away when it has not: what must survive belongs on the blackboard or
 * in {@link #snapshot}.
 */
public abstract class AgentCapability implements AutoCloseable {

  private final CapabilityContext context;
  private final Subscriptions subscriptions;

  protected AgentCapability(CapabilityContext context) {
    this.context = context;
    this.subscriptions = new Subscriptions(context.blackboard());
  }

  /** Names the capability within its agent. */
  public final String capabilityKey() {
    return context.capabilityKey();
  }

  /** Where the capability's entries and events stand. */
  public final Scope scope() {
    return context.scope();
  }

  /** The capability's part of the blackboard. */
  public final Blackboard blackboard() {
    return context.blackboard();
  }

  /**
   * The agent that it is part of.
   *
   * @throws dev.colony.agent.AgentException if it is detached
   */
  public final Agent agent() {
    return context.owner();
  }

  public final boolean detached() {
    return context.agent().isEmpty();
  }

  /**
   * Publishes a record under the key that it knows, in the capability's scope. Besides these tags
   * it carries {@code type:SimpleName}, by which {@link #resultFuture(Class)} finds it.
   *
   * @throws IllegalArgumentException if it has no JSON form, or its key is invalid
   */
  public final CompletionStage<WriteResult> publish(Publishable entry, String... tags) {
    String[] all = Arrays.copyOf(tags, tags.length + 1);
    all[tags.length] = typeTag(entry.getClass());
    return publish(entry.blackboardKey(), entry, all);
  }

  /**
   * Publishes a value under a key of the capability's scope.
   *
   * @throws IllegalArgumentException if it has no JSON form, or the key is invalid
   */
  public final CompletionStage<WriteResult> publish(String key, Object value, String... tags) {
    return blackboard().write(Write.value(key, value).tags(tags));
  }

  /**
   * The result of a run of the agent whose scope is the capability's: the way in which a parent
   * waits for a child. It may be there already.
   *
   * @return cancel it when it is no longer needed; fails as the blackboard does
   */
  public final CompletableFuture<AgentRun> resultFuture(RunId run) {
    String key = new AgentRunProtocol().resultKey(run.value());
    return subscriptions.first(
        EventFilter.keys(key),
        written -> AgentRun.fromJson(written.value()),
        () ->
            blackboard()
                .read(key)
                .thenApply(there -> there.map(Entry::value).map(AgentRun::fromJson)));
  }

  /**
   * The next record of a type that is published in the capability's scope.
   *
   * @return cancel it when it is no longer needed; fails as the blackboard does
   */
  public final <T extends Publishable> CompletableFuture<T> resultFuture(Class<T> type) {
    return subscriptions.first(
        EventFilter.tag(typeTag(type)).and(EventFilter.types(EventType.WRITTEN)),
        written -> ValueMapper.read(written.key(), written.value(), type),
        () -> CompletableFuture.completedStage(Optional.empty()));
  }

  /**
   * The events of the capability's scope from now on, as a stream that honours demand.
   *
   * @param keyGlobs which keys; none for all events
   */
  public final Flow.Publisher<BlackboardEvent> events(String... keyGlobs) {
    return blackboard().subscribe(filter(keyGlobs), SubscribeFrom.now());
  }

  /**
   * Puts the events of the capability's scope into a queue, from now on and in their order. A
   * bounded queue that is full delays them and loses none.
   *
   * @param keyGlobs which keys; none for all events
   * @return close it when the events are no longer wanted; it ends with the capability at the
   *     latest
   * @throws dev.colony.agent.AgentException if the capability has too many of them
   */
  public final EventStream streamEventsTo(
      BlockingQueue<BlackboardEvent> queue, String... keyGlobs) {
    return subscriptions.into(queue, filter(keyGlobs), SubscribeFrom.now());
  }

  private static EventFilter filter(String... keyGlobs) {
    return keyGlobs.length == 0 ? EventFilter.all() : EventFilter.keys(keyGlobs);
  }

  private static String typeTag(Class<?> type) {
    return "type:" + type.getSimpleName();
  }

  /**
   * Ends the streams and futures that it has handed out. The runtime does so when it throws the
   * instance away; of a detached capability its maker does.
   */
  @Override
  public final void close() {
    subscriptions.close();
    closed();
  }

  /**
   * Lets go of what it holds besides streams and futures: connections, say. Called when it is
   * closed, on any thread, possibly more than once; must not block.
   */
  protected void closed() {}

  /**
   * Looks whether the node lets the capability do what its blueprint asks for; called on an
   * instance that is made to check a blueprint and does nothing else. May block.
   *
   * @throws dev.colony.agent.AgentException or {@link IllegalArgumentException} on one line, if it
   *     could never do that here
   */
  public void checkUsable() {}

  /**
   * What is to survive, asked for at the end of each iteration; JSON null for nothing. At most
   * {@code colony.agent.capability.max-snapshot} bytes.
   */
  public JsonNode snapshot() {
    return JsonNodeFactory.instance.nullNode();
  }

  /**
   * What {@code $global.capabilityKey} stands for in an action's parameters; by default the {@link
   * #snapshot}. Called on any thread; must not block.
   */
  public JsonNode readable() {
    return snapshot();
  }

  /**
   * What {@code $children.name} stands for in an action's parameters: what a child of the agent has
   * exported, by the names of its results; a JSON object. May block.
   *
   * @param child its name as planners know it
   * @return empty where this capability has given no child of that name a task that has ended
   */
  public Optional<JsonNode> exportedBy(String child) {
    return Optional.empty();
  }

  /** Given the last {@link #snapshot} before anything else is asked of a new instance. */
  public void restore(JsonNode snapshot) {}

  /** What its group of actions is for, for a reader who decides; empty for its type's summary. */
  public Optional<String> summary() {
    return Optional.empty();
  }

  /**
   * What a capability stands on.
   *
   * @param agent the agent that it is part of; empty for a detached capability
   * @param capabilityKey names it within the agent
   * @param blackboard the part of the blackboard that is the capability's: in local mode the
   *     agent's, in remote mode another agent's, in shared mode one that several agents have in
   *     common
   */
  public record CapabilityContext(
      Optional<Agent> agent, String capabilityKey, Blackboard blackboard) {

    public CapabilityContext {
      Objects.requireNonNull(agent, "agent");
      Objects.requireNonNull(capabilityKey, "capabilityKey");
      Objects.requireNonNull(blackboard, "blackboard");
    }

    /** For a capability outside any agent: it reaches agents through a scope of theirs. */
    public static CapabilityContext detached(
        Blackboards blackboards, Scope scope, String capabilityKey) {
      return new CapabilityContext(
          Optional.empty(), capabilityKey, blackboards.open(scope, capabilityKey));
    }

    public Scope scope() {
      return blackboard.scope();
    }

    /**
     * The agent.
     *
     * @throws AgentException for a detached capability
     */
    public Agent owner() {
      return agent.orElseThrow(() ->
          AgentException.refused(
              "the capability " + capabilityKey + " is detached: it has no agent"));
    }
  }

  /** A record that knows under which key it is published, relative to the capability's scope. */
  public interface Publishable {

    String blackboardKey();
  }
}
