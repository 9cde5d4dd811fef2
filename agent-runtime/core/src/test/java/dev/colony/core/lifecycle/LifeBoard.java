package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One scope of a blackboard as its contract describes it, reduced to what wakes an agent: the
 * stored events, the index of patterns, the wake that is pending.
 */
final class LifeBoard {

  static final int MOST_EVENTS = 3;

  private final List<BlackboardEvent.Written> log = new ArrayList<>();
  private final Map<Scope, Set<KeyGlob>> index = new HashMap<>();
  private final EventReading reading = new EventReading(MOST_EVENTS, 100);
  private Position head = Position.BEGINNING;
  private Position newest = Position.BEGINNING;
  private Optional<InboxMessage.Wake> pending = Optional.empty();

  Position write(String key, String writer) {
    return write(key, writer, "x");
  }

  Position write(String key, String writer, String value) {
    head = new Position(head.millis() + head.ordinal() % 2, head.ordinal() + 1);
    log.add(
        new BlackboardEvent.Written(
            Life.SCOPE,
            key,
            head,
            Life.AT,
            writer,
            JsonNodeFactory.instance.textNode(value),
            0,
            1,
            Set.of()));
    if (index.getOrDefault(Life.SCOPE, Set.of()).stream().anyMatch(glob -> glob.matches(key))
        && !writer.equals(Life.AGENT.persistenceId())) {
      newest = head;
      if (pending.isEmpty()) {
        wake(key);
      }
    }
    return head;
  }

  Optional<InboxMessage.Wake> pending() {
    return pending;
  }

  void acknowledge(InboxMessage.Wake seen) {
    pending = Optional.empty();
    if (newest.compareTo(seen.position()) > 0) {
      wake(seen.key());
    }
  }

  /** Lets go of the oldest events. */
  void keep(int events) {
    log.subList(0, log.size() - events).clear();
  }

  AgentCommand watch(AgentEffect.WatchScopes work) {
    index.clear();
    index.putAll(work.wanted());
    Position beginning = work.first() ? Position.BEGINNING : head;
    List<Watch> watches = new ArrayList<>();
    work.wanted()
        .forEach((scope, globs) ->
            watches.add(
                work.watched().stream()
                    .filter(watch -> watch.scope().equals(scope))
                    .findFirst()
                    .map(watch -> watch.globs(globs))
                    .orElseGet(
                        () -> Watch.begun(scope, globs, beginning, first(globs, beginning)))));
    return new AgentCommand.WatchScopes(watches, Life.AT);
  }

  AgentCommand read(AgentEffect.ReadEvents work) {
    Watch watch = work.watch();
    List<BlackboardEvent.Written> found =
        log.stream()
            .filter(event -> fits(event, watch.globs(), watch.taken()))
            .limit(reading.ask())
            .toList();
    boolean stored = log.stream().anyMatch(event -> event.position().equals(watch.due()));
    return reading.take(Life.AGENT, watch, found, !stored, work.intoRun(), Life.AT);
  }

  private Optional<Position> first(Set<KeyGlob> globs, Position after) {
    return log.stream()
        .filter(event -> fits(event, globs, after))
        .findFirst()
        .map(BlackboardEvent.Written::position);
  }

  private static boolean fits(BlackboardEvent.Written event, Set<KeyGlob> globs, Position after) {
    return event.position().compareTo(after) > 0
        && !event.writer().equals(Life.AGENT.persistenceId())
        && globs.stream().anyMatch(glob -> glob.matches(event.key()));
  }

  private void wake(String key) {
    pending =
        Optional.of(
            new InboxMessage.Wake(
                "w" + newest, Life.AGENT.persistenceId(), Life.SCOPE, key, newest));
  }
}
