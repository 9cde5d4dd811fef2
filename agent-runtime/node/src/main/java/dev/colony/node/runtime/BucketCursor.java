package dev.colony.node.runtime;

import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.client.AgentSignal;
import dev.colony.node.runtime.DeliveryLanes.Kind;
import dev.colony.node.runtime.DeliveryLanes.LaneKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where to read on in one bucket. What is read is held by its {@link DeliveryLanes}, as far as
 * these have room; reading goes on behind what waits there, and of what they do not hold, this
 * remembers where each lane is to be read on once it is empty. So what one agent is sent costs the
 * others nothing but the reading. Pure but for its own state; not thread-safe.
 */
final class BucketCursor {

  /** That of the ids of messages: by their time, then by their number. */
  static final Comparator<String> STREAM_ORDER =
      Comparator.<String>comparingLong(id -> part(id, 0)).thenComparingLong(id -> part(id, 1));

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final DeliveryLanes lanes;

  /** Behind these ids there may be more in the stream than is held. */
  private final Map<LaneKey, String> rests = new HashMap<>();

  private Optional<String> last = Optional.empty();

  BucketCursor(DeliveryLanes lanes) {
    this.lanes = lanes;
  }

  /** The last message that was read, behind which to read on. */
  Optional<String> last() {
    return last;
  }

  /** Takes what was read behind {@link #last}. */
  void read(List<InboxMessage> page, Instant now) {
    for (InboxMessage message : page) {
      LaneKey key = key(message);
      if (!lanes.isUnderWay(message.id()) && !rests.containsKey(key)) {
        hold(key, message, false, now);
      }
      last = Optional.of(message.id());
    }
  }

  /** False, and noted, where its lane has no room. */
  private boolean hold(LaneKey key, InboxMessage message, boolean turn, Instant now) {
    boolean held = lanes.add(key, message.scope().tenant(), message.id(), turn, now);
    if (!held) {
      rests.put(key, lanes.last(key));
    }
    return held;
  }

  /**
   * From where to read for lanes that have nothing left but what was not held; the oldest first.
   */
  Optional<String> restFrom() {
    return rests.entrySet().stream()
        .filter(rest -> lanes.isEmpty(rest.getKey()))
        .map(Map.Entry::getValue)
        .min(STREAM_ORDER);
  }

  /**
   * Takes what was read from {@link #restFrom} on, for all lanes that have nothing left but what
   * was not held.
   *
   * @param page empty where there is nothing
   */
  void readRest(String from, List<InboxMessage> page, Instant now) {
    String end = page.isEmpty() ? last.orElse(from) : page.getLast().id();
    boolean over = page.isEmpty() || order(end, last.orElse(from)) >= 0;
    Map<LaneKey, List<InboxMessage>> found = new HashMap<>();
    for (InboxMessage message : page) {
      boolean known = last.isPresent() && order(message.id(), last.get()) <= 0;
      if (known && !lanes.isUnderWay(message.id())) {
        found.computeIfAbsent(key(message), any -> new ArrayList<>()).add(message);
      }
    }
    for (LaneKey key : List.copyOf(rests.keySet())) {
      String rest = rests.get(key);
      if (lanes.isEmpty(key) && order(rest, from) >= 0 && order(rest, end) <= 0) {
        rests.remove(key);
        boolean held =
            found.getOrDefault(key, List.of()).stream()
                .filter(message -> order(message.id(), rest) > 0)
                .allMatch(message -> hold(key, message, true, now));
        if (held && !over) {
          rests.put(key, end);
        }
      }
    }
  }

  /** Reads anew from the oldest message on: the bucket may have lost what was read. */
  void restart() {
    last = Optional.empty();
    rests.clear();
    lanes.clear();
  }

  private static LaneKey key(InboxMessage message) {
    return new LaneKey(
        message.recipient(),
        switch (message) {
          case InboxMessage.Wake wake -> Kind.OTHER;
          case InboxMessage.Request request ->
              PROTOCOL.requestId(request.key()).isPresent()
                  ? Kind.RUN
                  : AgentSignal.cancels(request) ? Kind.CANCELLATION : Kind.OTHER;
        });
  }

  private static int order(String one, String other) {
    return STREAM_ORDER.compare(one, other);
  }

  private static long part(String id, int which) {
    int dash = id.indexOf('-');
    if (which == 0) {
      return Long.parseLong(id, 0, dash < 0 ? id.length() : dash, 10);
    }
    return dash < 0 ? 0 : Long.parseLong(id.substring(dash + 1));
  }
}
