package dev.colony.client.directory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.blackboard.BlackboardEvent;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The children of one agent by their names, the oldest first. Of those that have ended only the
 * last are kept, so that an agent may have had any number.
 *
 * @param living those that have not stopped or failed
 * @param ended the last that have
 */
public record ChildList(Map<String, OnParentStop> living, Map<String, OnParentStop> ended) {

  static final ChildList NONE = new ChildList(Map.of(), Map.of());

  ChildList born(Map<String, OnParentStop> children) {
    Map<String, OnParentStop> more = new LinkedHashMap<>(living);
    more.putAll(children);
    return new ChildList(more, ended);
  }

  /** The same after a child has ended; at most {@code keep} of the ended ones stay. */
  ChildList ended(String child, int keep) {
    OnParentStop rule = living.get(child);
    if (rule == null) {
      return this;
    }
    Map<String, OnParentStop> more = new LinkedHashMap<>(ended);
    more.put(child, rule);
    Iterator<String> oldest = more.keySet().iterator();
    for (int over = more.size() - keep; over > 0; over--) {
      oldest.next();
      oldest.remove();
    }
    return new ChildList(without(child), more);
  }

  ChildList detached(String child) {
    return new ChildList(without(child), ended);
  }

  private Map<String, OnParentStop> without(String child) {
    Map<String, OnParentStop> left = new LinkedHashMap<>(living);
    left.remove(child);
    return left;
  }

  ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    put(json.putObject("living"), living);
    put(json.putObject("ended"), ended);
    return json;
  }

  static ChildList fromJson(JsonNode json) {
    return new ChildList(read(json.path("living")), read(json.path("ended")));
  }

  private static void put(ObjectNode json, Map<String, OnParentStop> children) {
    children.forEach((name, rule) -> json.put(name, rule.name()));
  }

  private static Map<String, OnParentStop> read(JsonNode json) {
    Map<String, OnParentStop> children = new LinkedHashMap<>();
    json.properties()
        .forEach(one -> children.put(one.getKey(), OnParentStop.valueOf(one.getValue().asText())));
    return children;
  }

  /**
   * Says that it is time to look again: after an event, once when it begins to hear of events, and,
   * because a connection may be lost, after some time in any case.
   */
  static final class Changes implements Flow.Subscriber<BlackboardEvent>, AutoCloseable {

    private final Semaphore heard = new Semaphore(0);
    private Flow.Subscription subscription;
    private boolean closed;

    /** Returns when something has changed since it returned last, or the time is over. */
    void await(long nanos) throws InterruptedException {
      if (heard.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
        heard.drainPermits();
      }
    }

    @Override
    public void onSubscribe(Flow.Subscription established) {
      boolean late;
      synchronized (this) {
        subscription = established;
        late = closed;
      }
      if (late) {
        established.cancel();
      } else {
        established.request(Long.MAX_VALUE);
        heard.release();
      }
    }

    @Override
    public void onNext(BlackboardEvent event) {
      heard.release();
    }

    @Override
    public void onError(Throwable failure) {
      // The next read of the directory, made without an event, fails with the reason.
    }

    @Override
    public void onComplete() {
      // The blackboard is closed: the next read of the directory fails with that.
    }

    @Override
    public void close() {
      Flow.Subscription established;
      synchronized (this) {
        closed = true;
        established = subscription;
      }
      if (established != null) {
        established.cancel();
      }
    }
  }
}
