package dev.colony.inference.replicas;

import dev.colony.inference.replicas.KvEvents.KvEvent;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.ExecutorService;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The KV events of those replicas that are there and publish any. Thread-safe. */
final class KvEventFeeds implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KvEventFeeds.class);

  /** A feed, when its server's process began, and which life of the engine that was. */
  private static final class Followed {
    final KvEventFeed feed;
    double began;
    int life;

    Followed(KvEventFeed feed) {
      this.feed = feed;
    }
  }

  private final ReplicaSettings settings;
  private final ExecutorService threads;
  private final Map<String, Followed> feeds = new HashMap<>();

  /** Replicas that were asked where they publish, with what they said, if that can be followed. */
  private final Map<String, Optional<KvEventFeed.Settings>> listed = new HashMap<>();

  private boolean closed;

  /**
   * @param threads on which feeds end that are not wanted any more
   */
  KvEventFeeds(ReplicaSettings settings, ExecutorService threads) {
    this.settings = settings;
    this.threads = threads;
  }

  /**
   * Follows these replicas from here on, and no others.
   *
   * @param hears is told the name of a replica and what it says, in order, from one thread for each
   */
  synchronized void follow(Collection<Replica> replicas, BiConsumer<String, List<KvEvent>> hears) {
    Map<String, Followed> gone = new HashMap<>(feeds);
    for (Replica one : replicas) {
      gone.remove(one.id());
      Optional<KvEventFeed.Settings> events =
          settings
              .kvEvents(one.baseUri())
              .or(() -> listed.getOrDefault(one.id(), Optional.empty()));
      if (events.isPresent() && !feeds.containsKey(one.id()) && !closed) {
        feeds.put(
            one.id(),
            new Followed(
                KvEventFeed.follow(
                    one.id(), events.get(), heard -> hears.accept(one.id(), heard))));
      }
    }
    gone.forEach((id, one) -> {
      feeds.remove(id);
      threads.submit(one.feed::close);
    });
    listed.keySet().retainAll(replicas.stream().map(Replica::id).toList());
  }

  /** Whether a replica is to be asked, once, where it publishes: the settings do not say it. */
  synchronized boolean asks(Replica replica) {
    return settings.kvEvents(replica.baseUri()).isEmpty()
        && listed.putIfAbsent(replica.id(), Optional.empty()) == null;
  }

  /**
   * Has a replica followed where its server says that it publishes.
   *
   * @param sources what vLLM answers to {@code GET /kv_event_sources}
   */
  synchronized void sources(Replica replica, String sources) {
    List<KvEventFeed.Settings> ranks = KvEventFeed.Settings.of(sources, replica.baseUri());
    if (ranks.size() > 1) {
      LOG.info(
          "replica {} has {} ranks with a cache each, and its KV events do not say which of them"
              + " answers: they are not followed",
          replica.id(),
          ranks.size());
    }
    listed.put(replica.id(), ranks.stream().findFirst().filter(one -> ranks.size() == 1));
  }

  /**
   * Tells a replica's feed where its server was started anew: its cache is empty, which its first
   * event would tell.
   *
   * @param at when the server's process began, in seconds; empty where it does not say
   */
  synchronized void began(String replica, OptionalDouble at) {
    Followed one = feeds.get(replica);
    if (one == null || at.isEmpty() || at.getAsDouble() < one.began) {
      return;
    }
    if (one.began > 0 && at.getAsDouble() > one.began) {
      one.feed.over(one.life);
      // It may publish elsewhere.
      listed.remove(replica);
    }
    one.began = at.getAsDouble();
    one.life = one.feed.life();
  }

  @Override
  public synchronized void close() {
    closed = true;
    feeds.values().forEach(one -> one.feed.close());
    feeds.clear();
  }
}
