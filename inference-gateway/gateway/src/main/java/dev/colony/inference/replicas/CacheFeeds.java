package dev.colony.inference.replicas;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.blackboard.OptionalJar;
import dev.colony.inference.replicas.KvEvents.KvEvent;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the KV events of replicas. Where these are published is said by the settings, else by the
 * server: {@code GET /kv_event_sources} of vLLM 0.32 lists endpoint, replay endpoint and topic of
 * each data-parallel rank. A server that lists none is asked again once in {@value #SELDOM} times,
 * and when it was restarted. Thread-safe; does not block but in {@link #close}.
 */
final class CacheFeeds implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CacheFeeds.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SOURCES = "/kv_event_sources";
  private static final int SELDOM = 30;
  private static final OptionalJar JAR =
      new OptionalJar("org.zeromq:jeromq and org.msgpack:msgpack-core", "org.zeromq.ZContext");

  /** Ranks of one server that are followed, at most: each takes a thread. */
  private static final int MOST_RANKS = 64;

  private static final Pattern TCP = Pattern.compile("tcp://(.+):(\\d{1,5})");
  private static final Set<String> ANY = Set.of("*", "0.0.0.0", "[::]", "::");
  private static final Pattern LOOPBACK = Pattern.compile("127\\..*|localhost|\\[?::1]?");

  /** A replica: what is known of where it publishes, and who listens there. */
  private static final class Followed {
    private List<KvEventFeed.Settings> sources = List.of();
    private List<KvEventFeed> feeds = List.of();
    private boolean asking;
    private int wait;
  }

  private final ReplicaSettings settings;
  private final ReplicaProbe probe;
  private final ExecutorService threads;
  private final Map<String, Followed> followed = new HashMap<>();
  private boolean closed;

  CacheFeeds(ReplicaSettings settings, ReplicaProbe probe, ExecutorService threads) {
    this.settings = settings;
    this.probe = probe;
    this.threads = threads;
  }

  /** Follows these, where they publish any events, and no others. */
  synchronized void follow(
      Collection<Replica> replicas, BiConsumer<String, List<KvEvent>> listener) {
    if (closed) {
      return;
    }
    Set<String> gone = new HashSet<>(followed.keySet());
    for (Replica replica : replicas) {
      gone.remove(replica.id());
      Followed one = followed.computeIfAbsent(replica.id(), id -> new Followed());
      Optional<KvEventFeed.Settings> set = settings.kvEvents(replica.baseUri());
      if (set.isPresent()) {
        open(replica.id(), one, List.of(set.get()), listener);
      } else if (one.feeds.isEmpty() && !one.asking && --one.wait < 0) {
        one.asking = true;
        threads.submit(() -> ask(replica, one, listener));
      }
    }
    gone.forEach(id -> leave(followed.remove(id).feeds));
  }

  private void ask(Replica replica, Followed one, BiConsumer<String, List<KvEvent>> listener) {
    Optional<String> told = probe.body(replica, SOURCES);
    synchronized (this) {
      one.asking = false;
      if (!closed && told.isPresent() && followed.get(replica.id()) == one) {
        one.wait = SELDOM;
        open(replica.id(), one, sources(told.get(), replica.baseUri()), listener);
      }
    }
  }

  private void open(
      String id,
      Followed one,
      List<KvEventFeed.Settings> sources,
      BiConsumer<String, List<KvEvent>> listener) {
    if (sources.equals(one.sources)) {
      return;
    }
    leave(one.feeds);
    one.sources = sources;
    one.feeds = List.of();
    if (!sources.isEmpty() && !JAR.present()) {
      LOG.warn("{}", JAR.missing("what " + id + " tells of its cache"));
      return;
    }
    LOG.info(
        "the KV events of {} are followed at {}",
        id,
        sources.stream().map(KvEventFeed.Settings::events).toList());
    one.feeds =
        sources.stream()
            .map(at -> KvEventFeed.follow(id, at, heard -> listener.accept(id, heard)))
            .toList();
  }

  private void leave(List<KvEventFeed> feeds) {
    feeds.forEach(feed -> threads.submit(feed::close));
  }

  /** The replica's process is another one, which may publish elsewhere. */
  synchronized void restarted(Replica replica, BiConsumer<String, List<KvEvent>> listener) {
    Followed one = followed.get(replica.id());
    if (one != null && !closed) {
      one.feeds.forEach(KvEventFeed::restarted);
      one.wait = 0;
      if (settings.kvEvents(replica.baseUri()).isEmpty() && !one.asking) {
        one.asking = true;
        threads.submit(() -> ask(replica, one, listener));
      }
    }
  }

  /**
   * What a server says of where it publishes; nothing where it does not, or says something else.
   *
   * @param server the address at which it is asked: it stands for that of all its interfaces
   */
  static List<KvEventFeed.Settings> sources(String told, URI server) {
    List<KvEventFeed.Settings> sources = new ArrayList<>();
    JsonNode ranks;
    try {
      ranks = told.isEmpty() ? JSON.nullNode() : JSON.readTree(told);
    } catch (JsonProcessingException another) {
      return List.of();
    }
    for (JsonNode rank : ranks.isObject() ? ranks : JSON.createArrayNode()) {
      if (rank.path("publisher").asText("").equals("zmq")
          && rank.path("enable_kv_cache_events").asBoolean(true)
          && sources.size() < MOST_RANKS) {
        socket(rank.path("endpoint").asText(""), server)
            .map(events ->
                new KvEventFeed.Settings(
                    events,
                    socket(rank.path("replay_endpoint").asText(""), server),
                    rank.path("topic").asText("")))
            .ifPresent(sources::add);
      }
    }
    return List.copyOf(sources);
  }

  /** Empty for none that can be reached from here: another protocol, another host's loopback. */
  private static Optional<URI> socket(String endpoint, URI server) {
    Matcher tcp = TCP.matcher(endpoint);
    if (!tcp.matches()) {
      return Optional.empty();
    }
    String host = ANY.contains(tcp.group(1)) ? server.getHost() : tcp.group(1);
    if (LOOPBACK.matcher(host).matches() && !LOOPBACK.matcher(server.getHost()).matches()) {
      LOG.warn("{} publishes its KV events at {} only: bind tcp://*:PORT", server, endpoint);
      return Optional.empty();
    }
    try {
      return Optional.of(URI.create("tcp://" + host + ":" + tcp.group(2)));
    } catch (IllegalArgumentException strange) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    List<KvEventFeed> all;
    synchronized (this) {
      closed = true;
      all = followed.values().stream().flatMap(one -> one.feeds.stream()).toList();
      followed.clear();
    }
    all.forEach(KvEventFeed::close);
  }
}
